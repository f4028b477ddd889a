# A camera that is unplugged and returns at another port continues in the same track, with its controls and in its program.
# lab: virtual-time timeout=200

inside() {
    cameras studio:1 cheap:2
    cat > "$results/replug.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 1280x720, rate: 30 }
  face: { device: any, size: 640x480, rate: 30 }
program: { size: 1280x720, rate: 30, layout: pip, main: desk, inset: face, corner: bottom-right, scale: 0.25, margin: 0, video: { preset: ultrafast } }
tracks: { cameras: copy }
YAML
    "$MULTICAM" record --profile "$results/replug.yaml" --camera desk="$(node 1)" --camera face="$(node 2)" \
        --duration 12 --output "$results/recordings" --name replug --json > "$results/events" 2> "$results/stderr" & local job=$!
    wait_until 20 grep -q '"started"' "$results/events"
    sleep 2
    nodes_open "$job" > "$results/open.before"
    fault unplug 2
    sleep 2
    nodes_open "$job" > "$results/open.away"
    fault plug 2@5
    wait_until 10 grep -q '"device-restored"' "$results/events"
    sleep 1
    nodes_open "$job" > "$results/open.after"
    fault unplug 2
    sleep 0.3
    fault plug 2@5
    wait "$job" || fail "record ended with $?: $(cat "$results/stderr")"
}

outside() {
    local folder=$results/recordings/replug manifest role
    manifest=$folder/manifest.json
    for role in desk face; do
        check "$role: whole pictures of the camera's, and the manifest agrees with the file" \
            copied "$folder/cameras/$role.mov" --manifest "$manifest" "$role" > "$results/$role.json"
        equal "$role: frames" "$(json "$results/$role.json" 'd["frames"]')" 360
        equal "$role: whose pictures" "$(json "$results/$role.json" 'd["cameras"]')" "[$([ $role = desk ] && echo 1 || echo 2)]"
    done
    equal "desk lost nothing" "$(json "$manifest" '[t["frames"]["lost"] for t in d["tracks"] if t["name"] == "desk"]')" "[{}]"
    check "face: outages as they were" "$LAB/tools/compare-outages.py" "$folder/cameras/face.mov" "$manifest" face "$results/cameras.log" 2
    equal "face: slates" "$(json "$manifest" '[t["frames"]["slate"] > 30 for t in d["tracks"] if t["name"] == "face"]')" "[True]"
    equal "program: frames" "$(frames "$folder/program.mp4")" 360
    equal "program: the other camera's pictures are all there" "$(strips "$folder/program.mp4" | json /dev/stdin 'd["skips"], d["backwards"]')" "(0, 0)"
    check "the other port is told" grep -q 'another port' "$results/events"
    equal "nodes open" "$(wc -l < "$results/open.before")" 2
    equal "nodes open while it is away" "$(wc -l < "$results/open.away")" 1
    equal "nodes open afterwards" "$(wc -l < "$results/open.after")" 2
}
