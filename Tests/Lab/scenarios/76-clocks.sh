# A camera clock that jumps while the driver trusts it (uvcvideo hwtimestamps=1): timestamps in the past and in the future. The
# track keeps its grid and every frame.
# lab: virtual-time timeout=300

inside() {
    cameras cheap:1
    echo 1 > /sys/module/uvcvideo/parameters/hwtimestamps
    v4l2-ctl -d "$(node 1)" --set-fmt-video=width=640,height=480,pixelformat=MJPG --stream-mmap=4 --stream-count=150 \
        --stream-to="$results/stamps.mjpeg" --verbose > "$results/stamps.log" 2>&1 & local job=$!
    wait_until 20 test -s "$results/stamps.mjpeg"
    sleep 2
    fault clock 1 -500
    wait "$job"
    echo "cameras: { desk: { device: any, size: 640x480, rate: 30 } }" > "$results/one.yaml"
    "$MULTICAM" record --profile "$results/one.yaml" --camera desk="$(node 1)" --duration 8 \
        --output "$results/recordings" --name clock --json > "$results/events" 2> "$results/stderr" & job=$!
    wait_until 20 grep -q '"started"' "$results/events"
    sleep 2
    fault clock 1 -500
    sleep 2
    fault clock 1 700
    wait "$job" || fail "record ended with $?: $(cat "$results/stderr")"
}

outside() {
    local folder=$results/recordings/clock
    check "the driver's stamps do run backwards" test "$(sed -n 's/.* ts: \([0-9.]*\).*/\1/p' "$results/stamps.log" |
        awk 'NR > 1 && $1 < last { n++ } { last = $1 } END { print n + 0 }')" -gt 0
    check "the camera's pictures, and the manifest agrees" \
        copied "$folder/cameras/desk.mov" --manifest "$folder/manifest.json" desk > "$results/desk.json"
    equal "frames, missing" "$(json "$results/desk.json" 'd["frames"], d["missing"]')" "(240, [])"
    equal "lost" "$(json "$folder/manifest.json" 'd["tracks"][0]["frames"]["lost"]')" "{}"
}
