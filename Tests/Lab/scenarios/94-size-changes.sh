# An HDMI capture stick receives a signal of another size: it disconnects and returns with only that size. A track that is encoded
# here and the program continue, scaled; a copied track waits for its file's size.
# lab: virtual-time timeout=300 soak

inside() {
    cameras capture:1 capture:2
    cat > "$results/sizes.yaml" <<'YAML'
cameras:
  console: { device: any, size: 1920x1080, rate: 30 }
program: { size: 640x360, rate: 30, layout: single, main: console, video: { preset: ultrafast } }
tracks: { cameras: encode, video: { preset: ultrafast } }
YAML
    cat > "$results/copied.yaml" <<'YAML'
cameras:
  console: { device: any, size: 1920x1080, rate: 30 }
YAML
    "$MULTICAM" record --profile "$results/sizes.yaml" --camera console="$(node 1)" --duration 9 \
        --output "$results/recordings" --name sizes --json > "$results/events" 2> "$results/stderr" & local encoded=$!
    "$MULTICAM" record --profile "$results/copied.yaml" --camera console="$(node 2)" --duration 9 \
        --output "$results/recordings" --name copied --json > "$results/events.copied" 2> "$results/stderr.copied" & local copied=$!
    wait_until 20 grep -q '"started"' "$results/events"
    wait_until 20 grep -q '"started"' "$results/events.copied"
    sleep 1
    fault signal 1 720p
    fault signal 2 720p
    sleep 4
    fault signal 2 1080p
    wait "$encoded" || fail "record ended with $?: $(cat "$results/stderr")"
    wait "$copied" || fail "record ended with $?: $(cat "$results/stderr.copied")"
}

outside() {
    local folder=$results/recordings/sizes file
    check "the other size is told" grep -q '"device-restored".*it delivers mjpeg 1280x720' "$folder/events.ndjson"
    equal "one size in the encoded track" "$(probe "$folder/cameras/console.mov" v:0 width,height)" 1920,1080
    for file in "$folder/cameras/console.mov" "$folder/program.mp4"; do
        equal "$(basename "$file"): frames" "$(frames "$file")" 270
        # Frames of both sizes appear: strip numbers continue after the change, after an absence of one or two seconds.
        strips "$file" > "$results/strips.json"
        within "$(basename "$file"): readable frames" "$(json "$results/strips.json" 'd["readable"]')" 210 270
    done
    folder=$results/recordings/copied
    check "copied: whole pictures, and the manifest agrees" \
        copied "$folder/cameras/console.mov" --manifest "$folder/manifest.json" console > "$results/copied.json"
    equal "copied: frames" "$(json "$results/copied.json" 'd["frames"]')" 270
    equal "copied: one gap" "$(json "$folder/manifest.json" 'len(d["gaps"])')" 1
    check "copied: what it waits for is told" \
        grep -q 'cannot deliver mjpeg 1920x1080 at 30. It offers mjpeg 1280x720.*"device-lost"' "$folder/events.ndjson"
    within "copied: the gap, s" "$(json "$folder/manifest.json" '(d["gaps"][0]["to_ns"] - d["gaps"][0]["from_ns"]) / 1e9')" 4 6
}
