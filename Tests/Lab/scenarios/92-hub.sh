# A hub's cable is pulled: two cameras and a microphone disconnect at once, and return in another order.
# lab: virtual-time timeout=300

inside() {
    cameras studio:1 cheap:2 cheap:3
    sound
    cat > "$results/hub.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 640x480, rate: 15 }
  left: { device: any, size: 640x480, rate: 15 }
  right: { device: any, size: 640x480, rate: 15 }
microphones:
  host: { device: default }
  guest: { device: default }
YAML
    "$MULTICAM" record --profile "$results/hub.yaml" --camera desk="$(node 1)" --camera left="$(node 2)" --camera right="$(node 3)" \
        --mic host="pulse:$(mic 1)" --mic guest="pulse:$(mic 3)" \
        --duration 14 --output "$results/recordings" --name hub --json > "$results/events" 2> "$results/stderr" & local job=$!
    wait_until 20 grep -q '"started"' "$results/events"
    sleep 2
    fault unplug 2 3
    sleep 2
    fault plug 3
    sleep 1.5
    fault plug 2
    sleep 3
    fault unplug 2 3
    sleep 0.5
    fault plug 2 3
    wait "$job" || fail "record ended with $?: $(cat "$results/stderr")"
}

outside() {
    local folder=$results/recordings/hub manifest role
    manifest=$folder/manifest.json
    for role in desk left right; do
        check "$role: whole pictures of one camera, and the manifest agrees with the file" \
            copied "$folder/cameras/$role.mov" --manifest "$manifest" "$role" > "$results/$role.json"
        equal "$role: frames" "$(json "$results/$role.json" 'd["frames"]')" 210
    done
    equal "whose pictures" "$(for role in desk left right; do json "$results/$role.json" 'd["cameras"]'; done | tr '\n' ' ')" "[1] [2] [3] "
    equal "desk lost nothing" "$(json "$manifest" '[t["frames"]["lost"] for t in d["tracks"] if t["name"] == "desk"]')" "[{}]"
    check "left: outages as they were" "$LAB/tools/compare-outages.py" "$folder/cameras/left.mov" "$manifest" left "$results/cameras.log" 2
    check "right: outages as they were" "$LAB/tools/compare-outages.py" "$folder/cameras/right.mov" "$manifest" right "$results/cameras.log" 3
    for role in host guest; do
        equal "$role: samples" "$(probe "$folder/audio/$role.wav" a:0 duration_ts)" 672000
    done
    tone host "$folder/audio/host.wav" 1000
    equal "guest: away twice" "$(json "$manifest" 'sum(g["track"] == "guest" for g in d["gaps"])')" 2
}
