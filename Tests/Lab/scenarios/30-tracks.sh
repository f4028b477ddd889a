# Separate tracks for every camera and microphone: camera bytes are copied unchanged, and every lost frame is in the manifest.
# lab: virtual-time timeout=600

inside() {
    cameras studio:1 cheap:2
    sound
    "$MULTICAM" record --profile tracks --camera desk="$(node 1)" --camera face="$(node 2)" --mic host="pulse:$(mic 2)" \
        --duration 10 --output "$results/recordings" --name tracks --json > "$results/events" 2> "$results/stderr" & local job=$!
    wait_until 20 grep -q '"started"' "$results/events"
    sleep 2
    fault error 1
    sleep 2
    fault error 2
    wait "$job" || fail "record ended with $?: $(cat "$results/stderr")"
}

outside() {
    local folder=$results/recordings/tracks manifest role
    manifest=$folder/manifest.json
    equal "the last event" "$(tail -1 "$results/events" | json /dev/stdin 'd["event"], d["exit"]')" "('finished', 0)"
    for role in desk face; do
        check "$role: the camera's bytes, and the manifest agrees with the file" \
            copied "$folder/cameras/$role.mov" --manifest "$manifest" "$role" > "$results/$role.json"
        equal "$role: frames" "$(json "$results/$role.json" 'd["frames"]')" 300
        equal "$role: lost by the transmission error" "$(json "$results/$role.json" 'len(d["missing"])')" 1
        within "$role: start" "$(probe "$folder/cameras/$role.mov" v:0 start_time)" -0.001 0.001
        # A tick shows the nearest frame, within 0.55 of an interval plus 1.5 ms. The driver's timestamp is up
        # to one 4 ms request after the exposure. If a frame was lost, the tick repeats the previous one.
        within "$role: earliest picture, ms" "$(json "$results/$role.json" 'd["offset_ms"]["least"]')" -57.2 20
        within "$role: latest picture, ms" "$(json "$results/$role.json" 'd["offset_ms"]["most"]')" -24 20
    done
    equal "whose pictures" "$(json "$results/desk.json" 'd["cameras"]') $(json "$results/face.json" 'd["cameras"]')" "[1] [2]"
    equal "sound: samples" "$(probe "$folder/audio/host.wav" a:0 duration_ts)" 480000
    tone "sound" "$folder/audio/host.wav" 1500
}
