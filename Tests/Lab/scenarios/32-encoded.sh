# Encoded camera tracks, and all tracks in one file.
# lab: virtual-time timeout=600 soak

inside() {
    cameras studio:1 cheap:2
    sound
}

inside_encoded() {
    cat > "$results/p.yaml" <<'YAML'
cameras:
  desk: { device: any, format: mjpeg, size: 1280x720, rate: 30 }
  face: { device: any, format: yuyv, size: 640x480, rate: 30, rotation: 90 }
tracks: { cameras: encode }
YAML
    record r --profile "$results/p.yaml" --camera desk="$(node 1)" --camera face="$(node 2)" --duration 3
}
outside_encoded() {
    recorded r
    local role
    for role in desk face; do
        equal "$role" "$(json "$ledger" "[d['tracks']['$role'][key] for key in ('codec_name', 'written', 'lost')]")" "['h264', 90, {}]"
        # By the code strip, each frame is within half an interval of its time, plus 4 ms of stamping delay and the strip's
        # resolution.
        strips --since "$(json "$manifest" 'd["t0_monotonic_ns"]')" "$folder/cameras/$role.mov" > "$results/strips.json"
        equal "$role: readable, skips, backwards" "$(json "$results/strips.json" 'd["readable"], d["skips"], d["backwards"]')" "(90, 0, 0)"
        within "$role: earliest picture, ms" "$(json "$results/strips.json" 'd["offset_ms"]["least"]')" -22 17
        within "$role: latest picture, ms" "$(json "$results/strips.json" 'd["offset_ms"]["most"]')" -22 17
    done
    equal "the raw one's tag" "$(json "$ledger" 'd["tracks"]["face"]["rotation"]')" 90
}

inside_one_file() {
    cat > "$results/p.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 640x480, rate: 30 }
  face: { device: any, size: 640x480, rate: 15 }
microphones:
  host: { device: default }
  guest: { device: default }
tracks: { files: one }
YAML
    record r --profile "$results/p.yaml" --camera desk="$(node 1)" --camera face="$(node 2)" \
        --mic host="pulse:$(mic 1)" --mic guest="pulse:$(mic 2)" --duration 3
}
outside_one_file() {
    recorded r
    equal "files" "$(cd "$folder" && find . -type f | sort | tr '\n' ' ')" "./events.ndjson ./manifest.json ./report/sync.svg ./session.mov "
    # The last stream is the timecode track.
    equal "streams" "$(ffprobe -v error -show_entries stream=codec_name -of csv=p=0 "$folder/session.mov" | tr '\n' ' ')" "mjpeg mjpeg aac aac unknown "
    local role
    for role in desk face; do
        copied "$folder/session.mov" --manifest "$manifest" "$role" > "$results/$role.json" || fail "$role: $(json "$results/$role.json" 'd["complaints"]')"
    done
    equal "whose pictures" "$(json "$results/desk.json" 'd["cameras"], d["frames"]') $(json "$results/face.json" 'd["cameras"], d["frames"]')" \
        "([1], 90) ([2], 45)"
    tone host "$folder/session.mov" 1000
}
