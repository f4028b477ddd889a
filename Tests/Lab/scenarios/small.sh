# The checks of 20-pip and 30-tracks in one recording that an emulated CPU can keep up with: small frames at half the rate.
# For `tools/lab vm`. The file name is unnumbered because the UML lab doesn't need to run it.
# lab: virtual-time timeout=300

inside() {
    cameras studio:1 cheap:2
    sound
    cat > "$results/small.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 640x480, rate: 15 }
  face: { device: any, size: 640x480, rate: 15 }
microphones:
  host: { device: default }
program: { size: 480x360, rate: 15, layout: pip, main: desk, inset: face, scale: 0.5, margin: 0 }
tracks: { cameras: copy, microphones: wav }
YAML
    "$MULTICAM" record --profile "$results/small.yaml" --camera desk="$(node 1)" --camera face="$(node 2)" --mic host="pulse:$(mic 2)" \
        --duration 8 --output "$results/recordings" --name small --json > "$results/events" 2> "$results/stderr" & local job=$!
    wait_until 20 grep -q '"started"' "$results/events"
    sleep 2
    fault error 1
    wait "$job" || fail "record ended with $?: $(cat "$results/stderr")"
}

outside() {
    local folder=$results/recordings/small manifest role report=$results/strips.json where
    manifest=$folder/manifest.json
    equal "the last event" "$(tail -1 "$results/events" | json /dev/stdin 'd["event"], d["exit"]')" "('finished', 0)"
    for role in desk face; do
        check "$role: the camera's bytes, and the manifest agrees with the file" \
            copied "$folder/cameras/$role.mov" --manifest "$manifest" "$role" > "$results/$role.json"
        equal "$role: frames" "$(json "$results/$role.json" 'd["frames"]')" 120
    done
    equal "missing from desk by the transmission error, from face" \
        "$(json "$results/desk.json" 'len(d["missing"])') $(json "$results/face.json" 'len(d["missing"])')" "1 0"
    equal "lost, by the manifest" "$(json "$manifest" '[t["frames"]["lost"] for t in d["tracks"] if t["kind"] == "camera"]')" "[{'bus': 1}, {}]"
    equal "whose pictures" "$(json "$results/desk.json" 'd["cameras"]') $(json "$results/face.json" 'd["cameras"]')" "[1] [2]"
    equal "sound: samples" "$(probe "$folder/audio/host.wav" a:0 duration_ts)" 384000
    tone "sound" "$folder/audio/host.wav" 1500

    equal "program: frames" "$(frames "$folder/program.mp4")" 120
    tone "program's sound" "$folder/program.mp4" 1500
    for where in "" "240 180 240 180"; do
        # intentional word splitting: four words or none
        strips "$folder/program.mp4" $where > "$report"
        within "${where:-main}: readable" "$(json "$report" 'd["readable"]')" 89 120
        within "${where:-main}: repeats" "$(json "$report" 'd["repeats"]')" 0 2
        within "${where:-main}: skips" "$(json "$report" 'd["skips"]')" 0 2
        equal "${where:-main}: backwards" "$(json "$report" 'd["backwards"]')" 0
    done
}
