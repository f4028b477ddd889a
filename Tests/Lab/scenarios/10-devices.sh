# Device identification: the devices that `devices` lists with real drivers, and how to select a camera. Doesn't record.
# lab: virtual-time

inside() {
    cameras studio:1 cheap:2 cheap:3
    sound
    echo "cameras: { desk: { device: any, size: 640x480, rate: 30 } }" > "$results/one.yaml"
    "$MULTICAM" devices --json > "$results/devices.json"
    "$MULTICAM" devices > "$results/devices.txt"
    local camera
    for camera in 1 2 3; do
        node "$camera" > "$results/node$camera"
        mic "$camera" > "$results/mic$camera"
    done
    ls /dev/video* > "$results/nodes"
}

# node_of CAMERA, mic_of CAMERA, field CAMERA FIELD: values reported by the lab and by `devices`
node_of() { cat "$RESULTS/node$1"; }
mic_of() { cat "$RESULTS/mic$1"; }
field() { json "$RESULTS/devices.json" "[c['$2'] for c in d['cameras'] if c['node'] == '$(node_of "$1")']"; }

outside_cameras() {
    equal "cameras, and no metadata nodes" "$(json "$RESULTS/devices.json" 'sorted((c["node"], c["name"]) for c in d["cameras"])')" \
        "$(python3 -c 'import sys; print(sorted(zip(sys.argv[1:], ["Studio Webcam", "Cheap Webcam", "Cheap Webcam"])))' \
            "$(node_of 1)" "$(node_of 2)" "$(node_of 3)")"
    equal "nodes in all" "$(wc -l < "$RESULTS/nodes")" 6
    equal "1080p is offered" "$(json "$RESULTS/devices.json" \
        'any(f["pixel"] == "mjpeg" and f["width"] == 1920 and 30 in f["rates"] for c in d["cameras"] for f in c["formats"])')" True
    equal "no problems" "$(json "$RESULTS/devices.json" 'd["problems"], [c["problem"] for c in d["cameras"]]')" "([], [None, None, None])"
}

outside_microphones() {
    equal "microphones, and no monitors" "$(json "$RESULTS/devices.json" 'sorted(m["source"] for m in d["microphones"])')" \
        "$(python3 -c 'import sys; print(sorted(sys.argv[1:]))' "$(mic_of 1)" "$(mic_of 2)" "$(mic_of 3)")"
    local camera
    for camera in 1 2 3; do
        equal "camera $camera and its microphone know each other" "$(json "$RESULTS/devices.json" "[
            c['companion'] == m['identity'] and m['companion'] == c['identity'] for c in d['cameras'] for m in d['microphones']
            if c['node'] == '$(node_of "$camera")' and m['source'] == '$(mic_of "$camera")']")" "[True]"
    done
}

outside_twins() {
    equal "serial numbers" "$(field 1 serial) $(field 2 serial) $(field 3 serial)" "['LAB0001'] [''] ['']"
    equal "twins have one product" "$(field 2 product)" "$(field 3 product)"
    equal "identities" "$(json "$RESULTS/devices.json" 'len({c["identity"] for c in d["cameras"]})')" 3
    equal "selectors" "$(json "$RESULTS/devices.json" 'len({c["selector"] for c in d["cameras"]})')" 3
}

outside_table() {
    local word
    for word in "Studio Webcam" "Cheap Webcam" "mjpeg 1920x1080" LAB0001 "$(node_of 3)" "$(mic_of 2)"; do
        check "for people: $word" grep -qF -- "$word" "$RESULTS/devices.txt"
    done
}

# --- selecting a camera; `plan` finds the device as `record` does

chosen() { "$MULTICAM" plan --json --profile "$RESULTS/one.yaml" --camera desk="$1" > "$results/plan.json"; }
is_camera() { # NUMBER
    equal "the camera" "$(json "$results/plan.json" '[c["identity"] for c in d["devices"]]')" "$(field "$1" identity)"
}

inside_by_link() { chosen /dev/v4l/by-id/usb-Multicam_Lab_Studio_Webcam_LAB0001-video-index0; }
outside_by_link() { is_camera 1; }

inside_by_port_link() { chosen /dev/v4l/by-path/platform-vhci_hcd.0-usb-0:3:1.0-video-index0; }
outside_by_port_link() { is_camera 3; }

inside_by_serial() { chosen serial:LAB0001; }
outside_by_serial() { is_camera 1; }

inside_by_port() { chosen usb:platform-vhci_hcd.0-usb-0:3; }
outside_by_port() { is_camera 3; }

inside_by_interface() { chosen usb:platform-vhci_hcd.0-usb-0:2:1.0; }
outside_by_interface() { is_camera 2; }

inside_by_part_of_name() { chosen stUDio; }
outside_by_part_of_name() { is_camera 1; }

inside_by_twins_name() { refused twins "$MULTICAM" plan --profile "$RESULTS/one.yaml" --camera desk="Cheap Webcam"; }
outside_by_twins_name() { says twins 3 "Cheap Webcam" usb:platform-vhci_hcd.0-usb-0:2:1.0 usb:platform-vhci_hcd.0-usb-0:3:1.0; }

inside_by_metadata_node() {
    local node
    node=$(grep -lx 1 "$(usb 1)":1.0/video4linux/*/index)
    node=${node%/index}
    echo "/dev/${node##*/}" > "$results/node"
    refused metadata "$MULTICAM" plan --profile "$RESULTS/one.yaml" --camera desk="$(cat "$results/node")"
}
outside_by_metadata_node() { says metadata 3 "$(cat "$results/node")"; }

# --- problems

inside_in_use() {
    v4l2-ctl -d "$(node 1)" --set-fmt-video=width=640,height=480,pixelformat=MJPG --stream-mmap=4 --stream-to="$results/stream" \
        > "$results/holder.log" 2>&1 &
    wait_until 10 test -s "$results/stream"
    "$MULTICAM" devices --json > "$results/devices.json"
}
outside_in_use() {
    equal "whose" "$(json "$results/devices.json" "[(c['problem'], len(c['formats'])) for c in d['cameras'] if c['node'] == '$(node_of 1)']")" \
        "[('in use by v4l2-ctl', 6)]"
    equal "the others" "$(json "$results/devices.json" "[c['problem'] for c in d['cameras'] if c['node'] != '$(node_of 1)']")" "[None, None]"
}

inside_no_permission() {
    chgrp video /dev/video*
    chmod 660 /dev/video*
    "${nobody[@]}" "$MULTICAM" devices --json > "$results/devices.json"
    refused denied "${nobody[@]}" "$MULTICAM" plan --profile "$RESULTS/one.yaml" --camera desk="$(node 1)"
}
outside_no_permission() {
    equal "in the list" "$(json "$results/devices.json" '{"usermod -aG video" in c["problem"] for c in d["cameras"]}')" "{True}"
    equal "cameras in the list" "$(json "$results/devices.json" 'len(d["cameras"])')" 3
    says denied 4 "$(node_of 1)" "usermod -aG video"
}
