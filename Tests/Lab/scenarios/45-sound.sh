# Microphones that go silent, disconnect, or would be replaced by the sound server.
# lab: virtual-time timeout=600

inside() {
    cameras studio:1 cheap:2
    sound
    echo "{ microphones: { host: { device: default } }, tracks: { microphones: wav } }" > "$results/one.yaml"
    echo "{ microphones: { host: { device: default } }, tracks: { microphones: wav }, limits: { silence: 2s } }" > "$results/limited.yaml"
    echo "{ microphones: { host: { device: default }, guest: { device: default } }, tracks: { microphones: wav } }" > "$results/two.yaml"
}

host() { json "$ledger" "d['tracks']['host']['$1']"; }
gaps() { json "$ledger" '[(gap[0], gap[1]) for gap in d["gaps"]]'; }

inside_silence() {
    start r --profile "$RESULTS/limited.yaml" --mic host="pulse:$(mic 1)"
    sleep 1
    fault mute 1
    sleep 3
    fault unmute 1
    sleep 1
    kill -INT "$recorder"
    ended r 6
}
outside_silence() {
    recorded r 6
    within "the alarm" "$(events r '[e["at_ns"] / 1e9 for e in d if e["event"] == "silence"][0]')" 2.95 3.3
    equal "alarms" "$(events r '[(e["track"], e["alarm"], e["state"]) for e in d if e["event"] == "silence"]')" \
        "[('host', 'silence', 'begins'), ('host', 'silence', 'ends')]"
    check "a sentence names the microphone" grep -q "Microphone host was silent for longer" "$results/r.stderr"
    sounds track "$folder/audio/host.wav" 1000 0 1 4 "$(json "$ledger" 'd["seconds"]')"
    equal "captured silence is not counted as missing" "$(host silence) $(gaps)" "0 []"
}

inside_short_silence() {
    start r --profile "$RESULTS/limited.yaml" --mic host="pulse:$(mic 1)" --duration 3
    sleep 0.5
    fault mute 1
    sleep 1.5
    fault unmute 1
    ended r
}
outside_short_silence() {
    recorded r
    equal "alarms" "$(events r '[e for e in d if e["event"] == "silence"]')" "[]"
    sounds track "$folder/audio/host.wav" 1000 0 0.5 2 3
}

# Without intervention, the server would switch to the other microphone.
inside_unplugged() {
    start r --profile "$RESULTS/two.yaml" --mic host="pulse:$(mic 1)" --mic guest="pulse:$(mic 2)" --duration 6
    sleep 1
    fault unplug 1
    sleep 2
    fault plug 1
    wait_until 5 present 1
    cut -d ' ' -f 1 /proc/uptime > "$results/back"
    ended r
}
outside_unplugged() {
    recorded r
    equal "gaps" "$(gaps)" "[('host', 'unplugged')]"
    "$LAB/tools/measure-tone.py" "$folder/audio/host.wav" > "$results/tone.json"
    equal "only this microphone's tone" "$(json "$results/tone.json" '[round(f) for _, _, f in d["stretches"]]')" "[1000, 1000]"
    within "until it was unplugged" "$(json "$results/tone.json" 'd["stretches"][0][1]')" 0.95 1.1
    within "from its return on" "$(json "$results/tone.json" 'd["stretches"][1][0]')" 3 5
    equal "to the end" "$(json "$results/tone.json" 'd["stretches"][1][1], d["seconds"]')" "(6.0, 6.0)"
    local hole silence
    hole=$(json "$results/tone.json" 'd["stretches"][1][0] - d["stretches"][0][1]')
    silence=$(host silence)
    within "silence, in the manifest and by ear" "$(python3 -c "print($silence / 48000 - $hole)")" -0.03 0.03
    within "the gap" "$(json "$ledger" "d['gaps'][0][3] - d['gaps'][0][2] - $hole")" -0.05 0.05
    tone guest "$folder/audio/guest.wav" 1500
    equal "guest: silence" "$(json "$ledger" 'd["tracks"]["guest"]["silence"]')" 0
}

inside_new_default() {
    pactl set-default-source "$(mic 1)"
    start r --profile "$RESULTS/one.yaml" --mic host=default --duration 3
    sleep 1
    pactl set-default-source "$(mic 2)"
    ended r
}
outside_new_default() {
    recorded r
    sounds track "$folder/audio/host.wav" 1000 0 3
    equal "silence, gaps" "$(host silence) $(gaps)" "0 []"
}

inside_moved() {
    start r --profile "$RESULTS/one.yaml" --mic host="pulse:$(mic 1)" --duration 4
    sleep 1
    pactl move-source-output "$(pactl list short source-outputs | cut -f 1)" "$(mic 2)" > "$results/move" 2>&1 || true
    ended r
}
outside_moved() {
    recorded r
    "$LAB/tools/measure-tone.py" "$folder/audio/host.wav" > "$results/tone.json"
    equal "never the other's tone" "$(json "$results/tone.json" '{round(f) for _, _, f in d["stretches"]}')" "{1000}"
    within "hardly a hole" "$(json "$results/tone.json" 'd["quiet"]')" 0 0.3
}

inside_suspended() {
    start r --profile "$RESULTS/one.yaml" --mic host="pulse:$(mic 1)" --duration 4
    sleep 1
    pactl suspend-source "$(mic 1)" 1
    sleep 1
    pactl suspend-source "$(mic 1)" 0
    ended r
}
outside_suspended() {
    recorded r
    equal "gaps" "$(gaps)" "[('host', 'suspended')]"
    sounds track "$folder/audio/host.wav" 1000 0 1.05 2.05 4
    within "silence" "$(host silence)" 43200 56000
}

# --- before the start

inside_no_server() {
    PULSE_SERVER=unix:/run/nobody.socket refused server \
        "$MULTICAM" record --profile "$RESULTS/one.yaml" --mic host=default --duration 1 --output "$results/recordings"
}
outside_no_server() {
    says server 3 PulseAudio "--no-mics"
    check "no files are left behind" test ! -e "$results/recordings"
}

inside_no_such_microphone() {
    refused microphone "$MULTICAM" record --profile "$RESULTS/one.yaml" --mic host=pulse:nobody --duration 1 --output "$results/recordings"
}
outside_no_such_microphone() { says microphone 3 pulse:nobody "multicam devices"; }
