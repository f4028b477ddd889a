# What 48-alarms holds for PulseAudio's server, with PipeWire's in its place.
# lab: virtual-time timeout=300 soak
. "$LAB/scenarios/48-alarms.sh"
sound_server=pipewire
