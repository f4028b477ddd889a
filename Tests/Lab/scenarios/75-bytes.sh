# Faults in frame data are distinguished: truncated, trailing bytes, damaged content, lost to a burst of errors.
# lab: virtual-time timeout=300

inside() {
    cameras cheap:1
    cat > "$results/bytes.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 640x480, rate: 30 }
program: { size: 640x480, rate: 30, layout: single, main: desk, audio: { mix: [] } }
tracks: { cameras: copy, microphones: none }
YAML
    "$MULTICAM" record --profile "$results/bytes.yaml" --camera desk="$(node 1)" --duration 6 \
        --output "$results/recordings" --name bytes --json > "$results/events" 2> "$results/stderr" & local job=$!
    wait_until 20 grep -q '"started"' "$results/events"
    sleep 1
    fault tail 1 5
    sleep 1
    fault short 1 3
    sleep 1
    fault error 1 4
    sleep 1
    fault bad 1 2
    wait "$job" || fail "record ended with $?: $(cat "$results/stderr")"
}

outside() {
    local folder=$results/recordings/bytes
    copied "$folder/cameras/desk.mov" --manifest "$folder/manifest.json" desk > "$results/desk.json" || true
    equal "complaints" "$(json "$results/desk.json" 'd["complaints"]')" "[]"
    equal "frames" "$(json "$results/desk.json" 'd["frames"]')" 180
    equal "lost" "$(json "$folder/manifest.json" '[t["frames"]["lost"] for t in d["tracks"] if t["name"] == "desk"]')" "[{'bus': 4, 'corrupt': 3}]"
    equal "missing" "$(json "$results/desk.json" 'len(d["missing"])')" 7
    # A copied track holds the camera's bytes: damage that only a decoder detects is copied, and five frames kept or lost trailing
    # bytes.
    equal "damaged within" "$(json "$results/desk.json" 'len(d["damaged"])')" 2
    check "tails do no harm" test "$(json "$results/desk.json" 'len(d["tails"]) in (0, 5)')" = True
    equal "decoded" "$(ffprobe -v quiet -count_frames -select_streams v:0 -show_entries stream=nb_read_frames -of csv=p=0 "$folder/cameras/desk.mov")" 180
    # The program decodes: it repeats the last good frame instead of a damaged one, and shows frames with trailing bytes normally.
    strips "$folder/program.mp4" > "$results/program.json"
    equal "program: frames, readable, backwards" "$(json "$results/program.json" 'd["frames"], d["readable"], d["backwards"]')" "(180, 180, 0)"
    # 180 ticks can span 181 camera intervals: then one more frame is decimated, or one lost frame isn't duplicated.
    within "program: left out" "$(json "$results/program.json" 'd["skips"]')" 9 10
    within "program: repeats" "$(json "$results/program.json" 'd["repeats"]')" 8 9
    # Only the two frames that can't be decoded are losses of the program itself. Frames that the camera lost are listed as missing, in
    # ticks of the program: each repeated picture has exactly one cause.
    equal "program: lost" "$(json "$folder/manifest.json" '[t["frames"]["lost"] for t in d["tracks"] if t["name"] == "program"]')" \
        "[{'corrupt': 2}]"
    equal "program: lost and missing" "$(json "$folder/manifest.json" \
        '[2 + sum(t["missing"]["desk"].values()) for t in d["tracks"] if t["name"] == "program"]')" \
        "$(json "$results/program.json" '[d["repeats"]]')"
}
