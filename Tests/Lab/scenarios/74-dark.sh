# The room gets dark, then light again. If the profile allows it, the camera halves its rate, which counts as low light and not as
# a bus fault, and a warning suggests a remedy. Otherwise the rate is locked and stays constant.
# lab: virtual-time timeout=300 soak

inside() {
    cameras dark:1 dark:2
    cat > "$results/dark.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 640x480, rate: 30, controls: { exposure_dynamic_framerate: 1 } }
  face: { device: any, size: 640x480, rate: 30 }
YAML
    "$MULTICAM" record --profile "$results/dark.yaml" --camera desk="$(node 1)" --camera face="$(node 2)" --duration 9 \
        --output "$results/recordings" --name dark --json > "$results/events" 2> "$results/stderr" & local job=$!
    wait_until 20 grep -q '"started"' "$results/events"
    sleep 3
    fault dark 1
    fault dark 2
    sleep 3
    fault light 1
    fault light 2
    wait "$job" || fail "record ended with $?: $(cat "$results/stderr")"
}

outside() {
    local folder=$results/recordings/dark manifest role
    manifest=$folder/manifest.json
    for role in desk face; do
        check "$role: the camera's bytes" copied "$folder/cameras/$role.mov" > "$results/$role.json"
        equal "$role: frames" "$(json "$results/$role.json" 'd["frames"]')" 270
        equal "$role: lost on the bus" "$(json "$manifest" "[t['frames']['lost'].get('bus', 0) for t in d['tracks'] if t['name'] == '$role']")" "[0]"
    done
    within "desk: frames lost to 3 s of long exposures" \
        "$(json "$manifest" "[t['frames']['lost']['low-light'] for t in d['tracks'] if t['name'] == 'desk'][0]")" 43 47
    check "desk: a warning contains a solution" grep -q '"warning".*exposure_dynamic_framerate' "$results/events"
    check "face: its rate is locked, and the manifest agrees" \
        copied "$folder/cameras/face.mov" --manifest "$manifest" face > "$results/face.json"
    equal "face: missing" "$(json "$results/face.json" 'd["missing"]')" "[]"
    within "face: repeats" "$(json "$results/face.json" 'd["repeats"]')" 0 1
}
