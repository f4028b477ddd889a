# The main use case on real drivers: two cameras and a microphone recorded into one finished file.
# lab: virtual-time timeout=600

inside() {
    cameras studio:1 cheap:2
    sound
    "$MULTICAM" record --profile pip --camera desk="$(node 1)" --camera face="$(node 2)" --mic host="pulse:$(mic 1)" \
        --duration 8 --output "$results/recordings" --name pip > "$results/stdout" 2> "$results/stderr" ||
        fail "record ended with $?: $(cat "$results/stderr")"
}

outside() {
    equal "lines on standard output" "$(wc -l < "$results/stdout")" 1
    local folder film report=$results/strips.json
    folder=$results/recordings/$(basename "$(cat "$results/stdout")")
    film=$folder/program.mp4
    equal "outcome" "$(json "$folder/manifest.json" 'd["outcome"]')" finished
    equal "frames" "$(frames "$film")" 240
    equal "picture" "$(probe "$film" v:0 codec_name,width,height,pix_fmt,color_range,color_space,r_frame_rate)" \
        h264,1920,1080,yuv420p,tv,bt709,30/1
    equal "sound" "$(probe "$film" a:0 codec_name,sample_rate)" aac,48000
    within "picture's start" "$(probe "$film" v:0 start_time)" -0.001 0.001
    within "sound's start" "$(probe "$film" a:0 start_time)" -0.001 0.001
    within "picture's duration" "$(probe "$film" v:0 duration)" 7.999 8.001
    within "sound's duration" "$(probe "$film" a:0 duration)" 7.966 8.034
    tone "microphone in the program" "$film" 1000

    # Every frame of both cameras, in order: the cameras run at the program's rate. Allow settling at the start.
    local where
    for where in "" "1402 772 480 270"; do # the inset: a quarter of the width, in the lower right corner, 2 % of the width from the edges
        # intentional word splitting: four words or none
        strips "$film" $where > "$report"
        within "${where:-main}: readable" "$(json "$report" 'd["readable"]')" 238 240
        within "${where:-main}: repeats" "$(json "$report" 'd["repeats"]')" 0 2
        within "${where:-main}: skips" "$(json "$report" 'd["skips"]')" 0 1
        equal "${where:-main}: backwards" "$(json "$report" 'd["backwards"]')" 0
    done
}
