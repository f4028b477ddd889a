# Raw frames in driver buffers: encoded as a track and composed into a program, with correct colors.
# lab: virtual-time timeout=600

inside() {
    cameras studio:1 cheap:2
    sound
    cat > "$results/raw.yaml" <<'YAML'
cameras:
  desk: { device: any, format: yuyv, size: 640x480, rate: 30 }
  face: { device: any, format: yuyv, size: 640x480, rate: 30 }
microphones:
  host: { device: default }
program: { size: 960x720, rate: 30, layout: pip, main: desk, inset: face, scale: 0.35, margin: 0 }
tracks: { cameras: encode, microphones: none }
YAML
    "$MULTICAM" record --profile "$results/raw.yaml" --camera desk="$(node 1)" --camera face="$(node 2)" --mic host="pulse:$(mic 1)" \
        --duration 5 --output "$results/recordings" --name raw > "$results/stdout" 2> "$results/stderr" ||
        fail "record ended with $?: $(cat "$results/stderr")"
}

# color WHAT FILE X Y RED GREEN BLUE: checks a patch of the program, with a tolerance of 4 levels
color() {
    local found
    found=$(ffmpeg -v error -i "$2" -vf "crop=16:16:$3:$4,scale=1:1:flags=area:in_color_matrix=bt709,format=rgb24" -frames:v 1 -f rawvideo - |
        od -An -tu1)
    # intentional word splitting: three words
    set -- "$1" $found "${@:5}"
    within "$1: red" "$2" $(($5 - 4)) $(($5 + 4))
    within "$1: green" "$3" $(($6 - 4)) $(($6 + 4))
    within "$1: blue" "$4" $(($7 - 4)) $(($7 + 4))
}

outside() {
    local folder=$results/recordings/raw report=$results/strips.json role file where
    equal "lost" "$(json "$folder/manifest.json" '[t["frames"]["lost"] for t in d["tracks"] if "frames" in t]')" "[{}, {}, {}]"
    for role in desk face; do
        file=$folder/cameras/$role.mov
        equal "$role" "$(probe "$file" v:0 codec_name,width,height,pix_fmt,r_frame_rate)" h264,640,480,yuv420p,30/1
        equal "$role: frames" "$(frames "$file")" 150
        strips "$file" > "$report"
        equal "$role: readable, repeats, skips, backwards" \
            "$(json "$report" 'd["readable"], d["repeats"], d["skips"], d["backwards"]')" "(150, 0, 0, 0)"
    done
    file=$folder/program.mp4
    equal "program: frames" "$(frames "$file")" 150
    for where in "" "624 468 336 252"; do
        # intentional word splitting: four words or none
        strips "$file" $where > "$report"
        equal "${where:-main}: readable, repeats, skips, backwards" \
            "$(json "$report" 'd["readable"], d["repeats"], d["skips"], d["backwards"]')" "(150, 0, 0, 0)"
    done
    # In the middle of each frame, the cameras' backgrounds are Y 147, Cb 158, Cr 98 and Y 147, Cb 98, Cr 158 (picture.c), in
    # BT.601 limited range. ITU-R BT.601-7, 2.5.1, gives red, green and blue:
    color "main" "$file" 472 352 105 165 213
    color "inset" "$file" 784 586 200 140 92
}
