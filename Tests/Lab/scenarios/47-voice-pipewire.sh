# What 47-voice holds for PulseAudio's server, with PipeWire's in its place.
# lab: virtual-time timeout=600 soak
. "$LAB/scenarios/47-voice.sh"
sound_server=pipewire
