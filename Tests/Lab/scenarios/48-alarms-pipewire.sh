# The cases of 48-alarms with PipeWire instead of PulseAudio.
# lab: virtual-time timeout=300 soak
. "$LAB/scenarios/48-alarms.sh"
sound_server=pipewire
