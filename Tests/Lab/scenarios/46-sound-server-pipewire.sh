# What 46-sound-server holds for PulseAudio's server, with PipeWire's in its place.
# lab: virtual-time timeout=400 soak
. "$LAB/scenarios/46-sound-server.sh"
sound_server=pipewire
