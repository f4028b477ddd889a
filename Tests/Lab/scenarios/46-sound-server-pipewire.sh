# The cases of 46-sound-server with PipeWire instead of PulseAudio.
# lab: virtual-time timeout=400 soak
. "$LAB/scenarios/46-sound-server.sh"
sound_server=pipewire
