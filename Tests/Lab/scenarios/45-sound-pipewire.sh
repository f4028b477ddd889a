# The cases of 45-sound with PipeWire instead of PulseAudio.
# lab: virtual-time timeout=600 soak
. "$LAB/scenarios/45-sound.sh"
sound_server=pipewire

# PipeWire immediately resumes a suspended source that has a listener.
outside_suspended() {
    recorded r
    equal "gaps" "$(gaps)" "[('host', 'late')]"
    within "silence" "$(host silence)" 1 2400
    "$LAB/tools/measure-tone.py" "$folder/audio/host.wav" > "$results/tone.json"
    equal "its tone" "$(json "$results/tone.json" '{round(f) for _, _, f in d["stretches"]}, d["seconds"]')" "({1000}, 4.0)"
    within "seconds of silence" "$(json "$results/tone.json" 'd["quiet"] * d["seconds"]')" 0 0.05
}
