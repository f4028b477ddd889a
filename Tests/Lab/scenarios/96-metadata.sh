# Driver metadata for each frame: packet timestamps from the camera's metadata node.
# lab: virtual-time timeout=300 soak
cycles=8

inside() {
    cameras studio:1 cheap:2
    cat > "$RESULTS/metadata.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 640x480, rate: 30 }
  face: { device: any, size: 640x480, rate: 30 }
YAML
}

with_both() { "${@:1:2}" --profile "$RESULTS/metadata.yaml" --camera desk="$(node 1)" --camera face="$(node 2)" "${@:3}"; }

# The number of open video nodes: one per camera, two with metadata.
inside_lines() {
    with_both start lines --metadata --duration 8
    sleep 1
    nodes_open "$recorder" > "$results/open.before"
    fault error 1 # the driver drops the picture, and its metadata
    sleep 0.5
    fault short 1
    sleep 0.5
    fault unplug 2
    wait_until 10 grep -q '"device-lost"' "$results/lines.events"
    sleep 1
    nodes_open "$recorder" > "$results/open.away"
    fault plug 2
    wait_until 10 grep -q '"device-restored"' "$results/lines.events"
    sleep 0.5
    nodes_open "$recorder" > "$results/open.after"
    ended lines
}
outside_lines() {
    local role
    recorded lines
    for role in desk face; do
        check "$role: its lines" "$LAB/tools/check-metadata.py" "$folder" "$role" > "$results/$role.json"
        cat "$results/$role.json"
        equal "$role: pictures without the clock" "$(json "$results/$role.json" 'd["without_clock"]')" 0
        # Both clocks advance equally, except that the driver stamps up to one 4 ms request late.
        within "$role: largest step of the camera's clock against the stamps', µs" \
            "$(json "$results/$role.json" 'd["largest_step_us"]')" 0 4100
        within "$role: how fast it runs, ppm" "$(json "$results/$role.json" 'd["ppm"]')" -600 600
    done
    equal "desk: what was lost" "$(json "$results/desk.json" 'd["lost"]')" "{'bus': 1, 'corrupt': 1}"
    equal "nodes open" "$(wc -l < "$results/open.before")" 4
    equal "nodes open while one is away" "$(wc -l < "$results/open.away")" 2
    equal "nodes open afterwards" "$(wc -l < "$results/open.after")" 4
    check "the same nodes as before" cmp <(sort "$results/open.before") <(sort "$results/open.after")
}

# Metadata not requested: the metadata nodes stay closed.
inside_unasked() {
    with_both start unasked --duration 1
    nodes_open "$recorder" > "$results/open"
    ended unasked
}
outside_unasked() {
    recorded unasked
    equal "nodes open" "$(wc -l < "$results/open")" 2
    equal "files of metadata" "$(find "$folder" -name '*.ndjson' ! -name events.ndjson | wc -l)" 0
}

# The metadata node of the camera at a port.
metadata_node() {
    local index
    index=$(grep -lx 1 "$(usb "$1")":1.0/video4linux/*/index) && index=${index%/index} && echo "/dev/${index##*/}"
}

# A metadata node that can't be opened is reported, and the recording is complete.
inside_missing() {
    local node
    node=$(metadata_node 1)
    mv "$node" "$node.away"
    with_both record missing --metadata --duration 2
    mv "$node.away" "$node"
}
outside_missing() {
    recorded missing
    equal "warnings" "$(events missing '[e["track"] for e in d if e["event"] == "warning"]')" "['desk']"
    check "desk: its lines" "$LAB/tools/check-metadata.py" "$folder" desk > "$results/desk.json"
    equal "desk: pictures with the clock" "$(json "$results/desk.json" 'd["with_clock"]')" 0
    check "face: its lines" "$LAB/tools/check-metadata.py" "$folder" face > "$results/face.json"
    equal "face: pictures without the clock" "$(json "$results/face.json" 'd["without_clock"]')" 0
}

# A metadata node that appears after the camera's own node, as can happen with udev: its clock is logged from then on, without a
# warning.
inside_late() {
    local node
    node=$(metadata_node 1)
    mv "$node" "$node.away"
    { sleep 0.7; mv "$node.away" "$node"; } &
    with_both record late --metadata --duration 3
}
outside_late() {
    recorded late
    equal "warnings" "$(events late '[e["text"] for e in d if e["event"] == "warning"]')" "[]"
    check "desk: its lines" "$LAB/tools/check-metadata.py" "$folder" desk > "$results/desk.json"
    within "desk: pictures without the clock" "$(json "$results/desk.json" 'd["without_clock"]')" 1 45
    within "desk: pictures with the clock" "$(json "$results/desk.json" 'd["with_clock"]')" 45 89
}

# A camera that disconnects and returns leaves no open files.
inside_cycles() {
    local cycle
    with_both start cycles --metadata
    ls "/proc/$recorder/fd" | wc -l > "$results/files.before"
    for ((cycle = 1; cycle <= cycles; cycle++)); do
        fault unplug 2
        wait_until 10 seen device-lost "$cycle"
        fault plug 2
        wait_until 10 seen device-restored "$cycle"
        sleep 0.4
    done
    sleep 1
    ls "/proc/$recorder/fd" | wc -l > "$results/files.after"
    kill -INT "$recorder"
    ended cycles
}
seen() { [ "$(grep -c "\"event\":\"$1\"" "$results/cycles.events")" -ge "$2" ]; }
outside_cycles() {
    recorded cycles
    check "face: its lines" "$LAB/tools/check-metadata.py" "$folder" face > "$results/face.json"
    equal "face: pictures without the clock" "$(json "$results/face.json" 'd["without_clock"]')" 0
    equal "open files as at the start" "$(cat "$results/files.after")" "$(cat "$results/files.before")"
}
