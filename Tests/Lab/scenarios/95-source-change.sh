# vivid as a capture card: its HDMI signal is lost, which the driver reports (V4L2_EVENT_SOURCE_CHANGE), and returns. The same
# tracks continue. Without a signal at the start, recording fails with a message that states the reason.
# lab: virtual-time timeout=400 soak

inside() {
    modprobe vivid n_devs=1 node_types=0x1 num_inputs=1 input_types=0x3
    wait_until 10 test -c /dev/video0
    v4l2-ctl -d /dev/video0 --set-dv-bt-timings index=1 # 720x480
    v4l2-ctl -d /dev/video0 --list-ctrls-menus --get-dv-timings > "$results/vivid.txt"
    "$MULTICAM" devices --json > "$results/devices.json"
    cat > "$results/card.yaml" <<'YAML'
cameras:
  card: { device: any, format: yuyv, size: 640x480, rate: 15 }
program: { size: 640x480, rate: 15, layout: single, main: card, video: { preset: ultrafast } }
tracks: { cameras: encode, video: { preset: ultrafast } }
YAML
    "$MULTICAM" record --profile "$results/card.yaml" --camera card=/dev/video0 --duration 8 \
        --output "$results/recordings" --name card --json > "$results/events" 2> "$results/stderr" & local job=$!
    wait_until 30 grep -q '"started"' "$results/events"
    sleep 1
    v4l2-ctl -d /dev/video0 -c dv_timings_signal_mode=1 # no signal
    sleep 2.5
    v4l2-ctl -d /dev/video0 -c dv_timings_signal_mode=0
    wait "$job" || fail "record ended with $?: $(cat "$results/stderr")"

    v4l2-ctl -d /dev/video0 -c dv_timings_signal_mode=1
    local status=0
    "$MULTICAM" record --profile "$results/card.yaml" --camera card=/dev/video0 --duration 1 \
        --output "$results/recordings" --name none > "$results/none.out" 2> "$results/none.err" || status=$?
    echo "$status" > "$results/none.status"
}

outside() {
    local folder=$results/recordings/card file
    for file in "$folder/cameras/card.mov" "$folder/program.mp4"; do
        equal "$(basename "$file"): frames" "$(frames "$file")" 120
    done
    equal "gaps" "$(json "$folder/manifest.json" '[(g["track"], g["cause"]) for g in d["gaps"]]')" \
        "[('card', 'no signal'), ('program', 'no signal')]"
    within "the gap, s" "$(json "$folder/manifest.json" '(d["gaps"][0]["to_ns"] - d["gaps"][0]["from_ns"]) / 1e9')" 2.3 3.5
    equal "slates" "$(json "$folder/manifest.json" '[15 < t["frames"]["slate"] < 45 for t in d["tracks"] if t["name"] == "card"]')" "[True]"
    equal "without a signal: exit status" "$(cat "$results/none.status")" 3
    check "without a signal: why" grep -q 'no signal at the device.s input' "$results/none.err"
}
