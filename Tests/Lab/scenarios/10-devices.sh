# `multicam devices` on real drivers: two cameras, each with its microphone, and nothing else.
# lab: virtual-time

inside() {
    cameras studio:1 cheap:2
    sound
    "$MULTICAM" devices --json > "$results/devices.json"
    "$MULTICAM" devices > "$results/devices.txt"
    echo "$(node 1) $(node 2)" > "$results/nodes"
    echo "$(mic 1) $(mic 2)" > "$results/mics"
}

outside() {
    local devices=$results/devices.json nodes mics pair
    read -ra nodes < "$results/nodes"
    read -ra mics < "$results/mics"
    equal "cameras" "$(json "$devices" 'sorted((c["node"], c["name"]) for c in d["cameras"])')" \
        "$(python3 -c 'import sys; print(sorted(zip(sys.argv[1:], ["Studio Webcam", "Cheap Webcam"])))' "${nodes[@]}")"
    equal "different identities" "$(json "$devices" 'len({c["identity"] for c in d["cameras"]})')" 2
    equal "microphones" "$(json "$devices" 'sorted(m["source"] for m in d["microphones"] if not m["source"].endswith(".monitor"))')" \
        "$(python3 -c 'import sys; print(sorted(sys.argv[1:]))' "${mics[@]}")"
    check "the table for people names the first camera" grep -q "Studio Webcam" "$results/devices.txt"
    check "and the second" grep -q "Cheap Webcam" "$results/devices.txt"
    local camera
    for camera in 0 1; do
        pair="next((c, m) for c in d['cameras'] for m in d['microphones']
            if c['node'] == '${nodes[camera]}' and m['source'] == '${mics[camera]}')"
        equal "camera $((camera + 1)) and its microphone know each other" \
            "$(json "$devices" "[(c['companion'] == m['identity'], m['companion'] == c['identity']) for c, m in [$pair]]")" "[(True, True)]"
    done
    equal "1080p is offered" \
        "$(json "$devices" 'any(f["pixel"] == "mjpeg" and f["width"] == 1920 and 30 in f["rates"] for c in d["cameras"] for f in c["formats"])')" True
}
