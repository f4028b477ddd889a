# Cameras and microphones with fast and slow clocks: tracks have equal length and don't drift, and the manifest contains each
# clock's error. Takes two minutes, or an hour with MINUTES=60.
# lab: virtual-time timeout=7200 soak

minutes=${MINUTES:-2}
skews=(150 -120 20) # parts per million, for cameras 1 to 3

inside() {
    cameras studio:1 cheap:2 twin:3
    local number
    for number in 1 2 3; do fault skew "$number" "${skews[number - 1]}"; done
    sound
    cat > "$results/skews.yaml" <<'YAML'
cameras:
  one: { device: any, size: 640x480, rate: 30 }
  two: { device: any, size: 640x480, rate: 30 }
  three: { device: any, size: 640x480, rate: 15 }
microphones: { first: { device: default }, second: { device: default }, third: { device: default } }
tracks: { cameras: copy, microphones: wav }
YAML
    record skews --profile "$results/skews.yaml" --duration "${minutes}m" \
        --camera one="$(node 1)" --camera two="$(node 2)" --camera three="$(node 3)" \
        --mic first="pulse:$(mic 1)" --mic second="pulse:$(mic 2)" --mic third="pulse:$(mic 3)"
}

lost() { json "$ledger" "d['tracks']['$1']['lost'], d['tracks']['$1']['written']"; }
ppm() { json "$manifest" "[e['clock']['ppm'] for e in d['devices'] if e['role'] == '$1'][0]"; }

# pictures ROLE CAMERA RATE: checks that all frames are present and aligned until the end.
pictures() {
    local role=$1 camera=$2 rate=$3
    equal "$role: lost, written" "$(lost "$role")" "({}, $((minutes * 60 * rate)))"
    untouched "$role" "$camera"
    within "$role: ppm too many" "$(python3 -c "print($(ppm "$role") - ${skews[camera - 1]})")" -3 3
}

outside_pictures() {
    results=$RESULTS
    recorded skews
    pictures one 1 30
    pictures two 2 30
    pictures three 3 15
}

# The microphone's crystal drives the tone, so on the session clock its frequency is off by the crystal's error. A deviation of
# 0.28 ppm from that adds up to one millisecond per hour.
outside_sound() {
    results=$RESULTS
    recorded skews
    local number role
    for number in 1 2 3; do
        role=$(json "$manifest" "[e['role'] for e in d['devices'] if e['kind'] == 'microphone'][$number - 1]")
        equal "$role: samples, silence" "$(json "$ledger" "d['tracks']['$role']['written'], d['tracks']['$role']['silence']")" \
            "($((minutes * 60 * 48000)), 0)"
        "$LAB/tools/measure-tone.py" "$folder/audio/$role.wav" > "$results/tone.json"
        within "$role: ppm too many" "$(python3 -c "print($(ppm "$role") - ${skews[number - 1]})")" -3 3
        within "$role: drift over the recording, ms" "$(python3 - "$results/tone.json" "$number" "${skews[number - 1]}" <<'PYTHON'
import json, sys
found = json.load(open(sys.argv[1]))
true = (500 + 500 * int(sys.argv[2])) * (1 + int(sys.argv[3]) * 1e-6)
print((found["frequency"] / true - 1) * found["seconds"] * 1000)
PYTHON
)" -1 1
        equal "$role: share of silence" "$(json "$results/tone.json" 'd["quiet"]')" 0.0
    done
}
