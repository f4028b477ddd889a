# An HDMI capture stick temporarily loses its signal: it stays connected but sends no frames. The track shows the last frame, then
# a slate, and continues when the signal returns. A second camera isn't affected.
# lab: virtual-time timeout=300 soak

inside() {
    cameras capture:1 cheap:2
    cat > "$results/signal.yaml" <<'YAML'
cameras:
  console: { device: any, size: 1920x1080, rate: 30 }
  face: { device: any, size: 640x480, rate: 30 }
YAML
    "$MULTICAM" record --profile "$results/signal.yaml" --camera console="$(node 1)" --camera face="$(node 2)" --duration 10 \
        --output "$results/recordings" --name signal --json > "$results/events" 2> "$results/stderr" & local job=$!
    wait_until 20 grep -q '"started"' "$results/events"
    sleep 2
    fault signal 1 lost
    sleep 4
    fault signal 1 1080p
    wait "$job" || fail "record ended with $?: $(cat "$results/stderr")"
}

outside() {
    local folder=$results/recordings/signal role
    for role in console face; do
        check "$role: the camera's pictures, and the manifest agrees" \
            copied "$folder/cameras/$role.mov" --manifest "$folder/manifest.json" $role > "$results/$role.json"
        equal "$role: frames" "$(json "$results/$role.json" 'd["frames"]')" 300
    done
    within "slates for 4 s less the second of the last picture" "$(json "$results/console.json" 'd["unmarked"]')" 80 100
    equal "gaps" "$(json "$folder/manifest.json" '[g["track"] for g in d["gaps"]]')" "['console']"
    within "the gap's length, s" "$(json "$folder/manifest.json" '(d["gaps"][0]["to_ns"] - d["gaps"][0]["from_ns"]) / 1e9')" 3.8 4.5
    equal "the neighbor: missing, slates" "$(json "$results/face.json" 'd["missing"], d["unmarked"]')" "([], 0)"
}
