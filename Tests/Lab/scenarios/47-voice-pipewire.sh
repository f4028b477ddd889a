# The cases of 47-voice with PipeWire instead of PulseAudio.
# lab: virtual-time timeout=600 soak
. "$LAB/scenarios/47-voice.sh"
sound_server=pipewire
