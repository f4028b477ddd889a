# A camera with a built-in encoder, like a C920: its H.264 is copied frame by frame, its raw frames are encoded, and its H.264 is
# decoded for a program.
# lab: virtual-time timeout=300

inside() {
    cameras c920:1 c920:2
    sound
    cat > "$results/copy.yaml" <<'YAML'
cameras:
  desk: { device: any, format: h264, size: 1280x720, rate: 30 }
microphones:
  host: { device: default }
YAML
    "$MULTICAM" record --profile "$results/copy.yaml" --camera desk="$(node 1)" --mic host="pulse:$(mic 1)" --duration 5 \
        --output "$results/recordings" --name copy > "$results/copy.out" 2> "$results/copy.err" ||
        fail "copy ended with $?: $(cat "$results/copy.err")"
    cat > "$results/encode.yaml" <<'YAML'
cameras:
  desk: { device: any, format: yuyv, size: 640x480, rate: 30 }
  face: { device: any, format: h264, size: 1280x720, rate: 30 }
program: { size: 1280x720, rate: 30, layout: single, main: face, audio: { mix: [] } }
tracks: { cameras: encode, microphones: none }
YAML
    "$MULTICAM" record --profile "$results/encode.yaml" --camera desk="$(node 2)" --camera face="$(node 1)" --duration 4 \
        --output "$results/recordings" --name encode > "$results/encode.out" 2> "$results/encode.err" ||
        fail "encode ended with $?: $(cat "$results/encode.err")"
}

outside() {
    local folder=$results/recordings/copy file report=$results/strips.json
    file=$folder/cameras/desk.mov
    check "every byte as sent" copied "$file" > "$results/desk.json"
    equal "whose, repeats, missing" "$(json "$results/desk.json" 'd["cameras"], d["repeats"], d["missing"]')" "([1], 0, [])"
    equal "codec, size" "$(probe "$file" v:0 codec_name,width,height)" h264,1280,720
    within "start" "$(probe "$file" v:0 start_time)" -0.001 0.001
    within "duration" "$(probe "$file" v:0 duration)" 4.999 5.001
    equal "variable rate" "$(json "$folder/manifest.json" '[t.get("variable_rate") for t in d["tracks"] if t["name"] == "desk"]')" "[True]"
    equal "lost" "$(json "$folder/manifest.json" '[t["frames"]["lost"] for t in d["tracks"] if t["name"] == "desk"]')" "[{}]"
    strips "$file" > "$report"
    equal "decoded: skips, repeats, backwards" "$(json "$report" 'd["skips"], d["repeats"], d["backwards"]')" "(0, 0, 0)"
    within "decoded: readable" "$(json "$report" 'd["readable"]')" 149 180
    tone "stereo microphone" "$folder/audio/host.wav" 1000

    folder=$results/recordings/encode
    for file in "$folder/cameras/desk.mov" "$folder/cameras/face.mov" "$folder/program.mp4"; do
        strips "$file" > "$report"
        equal "$(basename "$file"): frames, readable, backwards" "$(json "$report" 'd["frames"], d["readable"], d["backwards"]')" "(120, 120, 0)"
        within "$(basename "$file"): repeats" "$(json "$report" 'd["repeats"]')" 0 1
        within "$(basename "$file"): skips" "$(json "$report" 'd["skips"]')" 0 1
    done
    equal "raw pictures, encoded" "$(probe "$folder/cameras/desk.mov" v:0 codec_name,width,height)" h264,640,480
}
