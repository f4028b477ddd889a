# Requests that can't be recorded fail before anything starts, with a message that names the device and the solution.
# lab: virtual-time

refused() { # NAME ARGUMENT…: saves the output and exit status of `record`
    local status=0
    timeout 30 "$MULTICAM" record --duration 1 --output "$results/recordings" "${@:2}" > "$results/$1.out" 2> "$results/$1.err" || status=$?
    echo "$status" > "$results/$1.status"
}

inside() {
    cameras studio:1 cheap:2 cheap:3
    echo "cameras: { desk: { device: any, size: 640x480, rate: 30 } }" > "$results/one.yaml"
    echo "cameras: { desk: { device: any, size: 1024x768, rate: 30 } }" > "$results/lacks.yaml"
    echo "cameras: { desk: { device: any, format: yuyv, size: 640x480 } }" > "$results/raw.yaml"
    node 1 > "$results/node"

    v4l2-ctl -d "$(node 1)" --set-fmt-video=width=640,height=480,pixelformat=MJPG --stream-mmap=4 --stream-to="$results/stream" \
        > "$results/holder.log" 2>&1 & local holder=$!
    wait_until 10 test -s "$results/stream"
    refused busy --profile "$results/one.yaml" --camera desk="$(node 1)"
    "$MULTICAM" devices --json > "$results/devices.json"
    kill "$holder"
    wait "$holder" || true

    refused lacks --profile "$results/lacks.yaml" --camera desk="$(node 2)"
    refused raw --profile "$results/raw.yaml" --camera desk="$(node 2)"
    refused twins --profile "$results/one.yaml" --camera desk="Cheap Webcam"
    refused missing --profile "$results/one.yaml" --camera desk=/dev/video77
}

# says NAME STATUS WORD…: checks the exit status, empty standard output, and that one message contains all words
says() {
    local word
    equal "$1: exit status" "$(cat "$results/$1.status")" "$2"
    equal "$1: lines on standard output" "$(wc -l < "$results/$1.out")" 0
    for word in "${@:3}"; do check "$1: $word" grep -qF -- "$word" "$results/$1.err"; done
}

outside() {
    local node
    node=$(cat "$results/node")
    says busy 3 "$node" v4l2-ctl
    equal "in use, in the list" "$(json "$results/devices.json" "[c['problem'] for c in d['cameras'] if c['node'] == '$node']")" \
        "['in use by v4l2-ctl']"
    equal "and still with its formats" "$(json "$results/devices.json" "[len(c['formats']) for c in d['cameras'] if c['node'] == '$node']")" "[6]"
    says lacks 2 1024x768 "mjpeg 1280x720" "yuyv 640x480" lacks.yaml:1:
    says raw 2 encode yuyv
    says twins 3 usb:platform-vhci_hcd.0-usb-0:2:1.0 usb:platform-vhci_hcd.0-usb-0:3:1.0
    says missing 3 /dev/video77
    check "no session folder" test ! -e "$results/recordings"
}
