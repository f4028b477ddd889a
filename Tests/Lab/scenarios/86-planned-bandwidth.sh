# USB bandwidth in plans matches the real driver: cameras reserve the predicted amount, formats that don't fit are refused, and
# the bandwidth a camera once reserved is remembered.
# lab: virtual-time timeout=300 soak

settings=(0 192 512 1024 1600 2048 3072) # bandwidth reserved by the lab's cameras, by alternate setting

plan() { # NAME PROFILE ARGUMENT…
    "$MULTICAM" plan --profile "$results/$2.yaml" --json --output "$results" "${@:3}" > "$results/$1.json" 2> "$results/$1.err" ||
        fail "plan $1: $(cat "$results/$1.err")"
}

# run NAME PROFILE PORT PORT: records with the cameras at two ports, and logs the bandwidth reserved by each while streaming.
run() {
    local port status=0
    start "$1" --profile "$results/$2.yaml" --duration 3 --camera desk="$(node "$3")" --camera face="$(node "$4")"
    wait_until 30 begun_or_over "$1"
    for port in "$3" "$4"; do
        echo "${settings[$(tr -d ' ' < "$(usb "$port"):1.1/bAlternateSetting")]}"
    done > "$results/$1.kept"
    wait "$recorder" || status=$?
    echo "$status" > "$results/$1.status"
}

# turned_away NAME PROFILE: a recording of the cameras at ports 1 and 2 that fails to start.
turned_away() {
    local status=0
    timeout 60 "$MULTICAM" record --profile "$results/$2.yaml" --duration 1 --output "$results/recordings" --name "$1" \
        --camera desk="$(node 1)" --camera face="$(node 2)" > "$results/$1.out" 2> "$results/$1.stderr" || status=$?
    echo "$status" > "$results/$1.status"
}

profile() { # NAME FORMAT RATE TRACKS
    echo "cameras:
  desk: { device: any, format: $2, size: 640x480, rate: $3 }
  face: { device: any, format: $2, size: 640x480, rate: $3 }
tracks: { cameras: $4 }
budget: { hardware: 10, policy: refuse }" > "$results/$1.yaml"
}

inside() {
    export XDG_STATE_HOME=/run/state
    cameras studio:1 cheap:2 greedy:3
    bandwidth 100 # per 125 µs, as with EHCI
    profile jpeg mjpeg 30 copy
    profile raw yuyv 30 encode
    profile slow yuyv 15 encode
    local cameras=(--camera desk="$(node 1)" --camera face="$(node 3)")
    plan before jpeg "${cameras[@]}"
    run jpeg jpeg 1 3
    plan after jpeg "${cameras[@]}"
    cp /run/state/multicam/bandwidth.json "$results/bandwidth.json"

    cameras=(--camera desk="$(node 1)" --camera face="$(node 2)")
    plan slow slow "${cameras[@]}"
    run slow slow 1 2
    plan raw raw "${cameras[@]}"
    turned_away raw raw
    sed -i 's/hardware: 10/hardware: 1/' "$results/raw.yaml"
    turned_away refused raw
    plan sets raw "${cameras[@]}" --sets
}

bus() { json "$results/$1.json" "[(round(t['used'], 2), t['explanation']) for t in d['cost']['terms'] if t['resource'] == 'usb:1']"; }
kept() { tr '\n' ' ' < "$results/$1.kept"; }

outside() {
    equal "JPEGs: exit status" "$(cat "$results/jpeg.status")" 0
    check "first plan: bandwidth marked as assumed" grep -q "desk is assumed to reserve 512 bytes, .*at most 3072" "$results/before.json"
    equal "bandwidth reserved by the driver" "$(kept jpeg)" "1024 3072 "
    check "it is known the next time" grep -q "desk reserves 1024 bytes, as when it was last used; face reserves 3072 bytes, as when it was last used" "$results/after.json"
    equal "total of both" "$(bus after | cut -c 1-7)" "[(0.81,"

    equal "half as fast: exit status" "$(cat "$results/slow.status")" 0
    equal "half rate: bandwidth reserved by the driver" "$(kept slow)" "1600 1600 "
    check "half rate: matches the plan" grep -q "desk reserves 1600 bytes for its raw format; face reserves 1600 bytes for its raw" "$results/slow.json"

    equal "raw: plan reports that they don't fit" "$(bus raw | cut -c 1-7)" "[(1.21,"
    equal "raw: nor do they" "$(cat "$results/raw.status")" 3
    check "raw: the driver's reason" grep -q "VIDIOC_STREAMON failed: the USB controller vhci_hcd.0 does not have enough free bandwidth" "$results/raw.stderr"
    equal "raw: within the budget the plan refuses before" "$(cat "$results/refused.status")" 5
    equal "raw: together one of them runs at half its rate" \
        "$(json "$results/sets.json" '[[c["format"]["rate"] for c in s["cameras"]] for s in d["sets"]]')" "[[30, 15]]"
}
