# A bus with limited bandwidth: when a camera doesn't fit, the message names the camera that occupies the bus and a format that
# fits.
# lab: virtual-time

inside() {
    cameras studio:1 cheap:2
    bandwidth 100 # per 125 µs, as with EHCI
    echo "cameras: { desk: { device: any, format: yuyv, size: 640x480, rate: 30 } }
tracks: { cameras: encode }
budget: { hardware: 10 }" > "$results/raw.yaml" # the driver must refuse it, not the plan
    node 1 > "$results/first"
    node 2 > "$results/second"

    # 640×480 YUYV requests 2316 bytes per microframe and thus alternate setting 3072: 60 of the 100 µs.
    v4l2-ctl -d "$(node 1)" --set-fmt-video=width=640,height=480,pixelformat=YUYV --stream-mmap=4 --stream-to="$results/stream" \
        > "$results/holder.log" 2>&1 & local holder=$! status=0
    wait_until 10 test -s "$results/stream"
    echo "$holder" > "$results/holder"
    timeout 30 "$MULTICAM" record --profile "$results/raw.yaml" --camera desk="$(node 2)" --duration 1 \
        --output "$results/recordings" > "$results/out" 2> "$results/err" || status=$?
    echo "$status" > "$results/status"

    # The proposed format works while the other camera is running.
    sed s/30/15/ "$results/raw.yaml" > "$results/slower.yaml"
    status=0
    timeout 60 "$MULTICAM" record --profile "$results/slower.yaml" --camera desk="$(node 2)" --duration 1 \
        --output "$results/recordings" --name slower > "$results/slower" 2>&1 || status=$?
    echo "$status" > "$results/slower.status"
    "$MULTICAM" doctor --output "$results" --json > "$results/doctor.json" || true
    kill "$holder"
    wait "$holder" || true
    rm "$results/stream"

    # Both cameras in one recording: the bus is occupied by our own camera.
    sed 's/^cameras: { \(desk\): \({.*}\) }/cameras: { desk: \2, face: \2 }/' "$results/raw.yaml" > "$results/both.yaml"
    status=0
    timeout 60 "$MULTICAM" record --profile "$results/both.yaml" --camera desk="$(node 1)" --camera face="$(node 2)" \
        --duration 1 --output "$results/recordings" --name both > "$results/out" 2> "$results/both" || status=$?
    echo "$status" > "$results/both.status"

    status=0
    timeout 60 "$MULTICAM" record --profile "$results/raw.yaml" --camera desk="$(node 2)" --duration 1 \
        --output "$results/recordings" --name alone > "$results/alone" 2>&1 || status=$?
    echo "$status" > "$results/alone.status"
}

outside() {
    local words
    equal "refused: exit status" "$(cat "$results/status")" 3
    for words in "$(cat "$results/second"): VIDIOC_STREAMON failed: the USB controller vhci_hcd.0 does not have enough free bandwidth" \
        "Studio Webcam ($(cat "$results/first")), in use by \`v4l2-ctl\` (process $(cat "$results/holder")), reserves 3072 bytes" \
        "needs at least 3072 bytes per microframe (60 %)" "disk space is not the problem"; do
        check "refused: $words" grep -qF "$words" "$results/err"
    done
    equal "refused: sentences on one line" "$(wc -l < "$results/err")" 1
    check "refused: message names a format that fits" grep -qF "Choose yuyv 640x480 at 15, or an mjpeg size" "$results/err"
    equal "both: exit status" "$(cat "$results/both.status")" 3
    check "both: who has the bus" grep -q "enough free bandwidth.*, in use by .$(basename "$MULTICAM"). (process [0-9]*), reserves 3072 bytes" "$results/both"
    equal "slower: exit status" "$(cat "$results/slower.status")" 0
    equal "the doctor warns of both" "$(json "$results/doctor.json" "[f['level'] for f in d['findings'] if f['check'] == 'usb.bandwidth']")" "['warning']"
    equal "single camera: exit status" "$(cat "$results/alone.status")" 0
}
