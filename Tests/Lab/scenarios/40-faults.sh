# Camera faults: each costs only the expected frames, is reported, and doesn't affect other cameras.
# lab: virtual-time timeout=600

inside() {
    cameras studio:1 cheap:2
    sound
    cat > "$results/faults.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 640x480, rate: 30 }
  face: { device: any, size: 640x480, rate: 30 }
microphones:
  host: { device: default }
  guest: { device: default }
YAML
    "$MULTICAM" record --profile "$results/faults.yaml" --camera desk="$(node 1)" --camera face="$(node 2)" \
        --mic host="pulse:$(mic 1)" --mic guest="pulse:$(mic 2)" \
        --duration 10 --output "$results/recordings" --name faults --json > "$results/events" 2> "$results/stderr" & local job=$!
    wait_until 20 grep -q '"started"' "$results/events"
    sleep 1
    fault error 1 # the driver drops the picture
    sleep 0.5
    fault short 1 # undetected by the driver
    sleep 0.5
    fault unplug 2
    sleep 4
    fault plug 2
    wait "$job" || fail "record ended with $?: $(cat "$results/stderr")"
}

outside() {
    local folder=$results/recordings/faults manifest role
    manifest=$folder/manifest.json
    equal "the last event" "$(tail -1 "$results/events" | json /dev/stdin 'd["event"], d["exit"]')" "('finished', 0)"
    for role in desk face; do
        check "$role: whole pictures of the camera's, and the manifest agrees with the file" \
            copied "$folder/cameras/$role.mov" --manifest "$manifest" "$role" > "$results/$role.json"
        equal "$role: frames" "$(json "$results/$role.json" 'd["frames"]')" 300
        equal "$role: duration" "$(probe "$folder/cameras/$role.mov" v:0 duration)" 10.000000
    done
    equal "desk: lost" "$(json "$manifest" '[t["frames"]["lost"] for t in d["tracks"] if t["name"] == "desk"]')" "[{'bus': 1, 'corrupt': 1}]"
    equal "desk: missing" "$(json "$results/desk.json" 'len(d["missing"])')" 2
    equal "disconnected devices" "$(json "$manifest" '[(g["track"], g["cause"]) for g in d["gaps"]]')" "[('face', 'unplugged'), ('guest', 'unplugged')]"
    cat "$results"/*.json
    for role in host guest; do
        equal "$role: samples" "$(probe "$folder/audio/$role.wav" a:0 duration_ts)" 480000
    done
    tone host "$folder/audio/host.wav" 1000
}
