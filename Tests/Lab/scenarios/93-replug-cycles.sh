# One camera is unplugged and plugged in again at random times during one recording: 50 times, or TIMES.
# lab: virtual-time timeout=580 soak
cycles=${TIMES:-50}

inside() {
    cameras studio:1 cheap:2
    cat > "$results/cycles.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 640x480, rate: 15 }
  face: { device: any, size: 640x480, rate: 15 }
YAML
    mkfifo /run/events /run/never
    exec 3<> /run/never 4<> /run/events # for pauses and events, without starting a program each time
    "$MULTICAM" record --profile "$results/cycles.yaml" --camera desk="$(node 1)" --camera face="$(node 2)" \
        --output "$results/recordings" --name cycles --json > /run/events 2> "$results/stderr" & local job=$! cycle
    hear '"started"'
    RANDOM=7
    pause 2.0
    for ((cycle = 1; cycle <= cycles; cycle++)); do
        # After the first outage, which lasts long enough to load a slate and its fonts.
        [ "$cycle" != 2 ] || resources "$job" > "$results/resources.before"
        fault unplug 2
        [ "$cycle" != 1 ] || pause 2.0
        pause "0.$((RANDOM % 900 + 100))"
        fault plug 2
        hear '"device-restored"'
        pause "0.$((RANDOM % 900 + 100))"
    done
    pause 2.0
    resources "$job" > "$results/resources.after"
    kill -INT "$job"
    hear '"finished"'
    wait "$job" || fail "record ended with $?: $(cat "$results/stderr")"
}

pause() { read -r -t "$1" <&3 || true; }

# hear EVENT: waits for an event, and saves all earlier ones.
hear() {
    local line
    while read -r -t 30 line <&4; do
        echo "$line" >> "$results/events"
        [[ $line != *$1* ]] || return 0
    done
    fail "heard no $1"
}

# resources PROCESS: open files, then memory in use in kilobytes.
resources() {
    ls "/proc/$1/fd" | wc -l
    awk '$1 == "VmRSS:" { print $2 }' "/proc/$1/status"
}

outside() {
    local folder=$results/recordings/cycles manifest role before after
    manifest=$folder/manifest.json
    equal "the last event" "$(tail -1 "$results/events" | json /dev/stdin 'd["event"], d["exit"]')" "('finished', 0)"
    for role in desk face; do
        check "$role: whole pictures of one camera, and the manifest agrees with the file" \
            copied "$folder/cameras/$role.mov" --manifest "$manifest" "$role" > "$results/$role.json"
    done
    equal "frames of both" "$(json "$results/face.json" 'd["frames"]')" "$(json "$results/desk.json" 'd["frames"]')"
    equal "desk lost nothing" "$(json "$manifest" '[t["frames"]["lost"] for t in d["tracks"] if t["name"] == "desk"]')" "[{}]"
    equal "desk duplicated nothing" "$(json "$results/desk.json" 'd["repeats"], len(d["missing"])')" "(0, 0)"
    "$LAB/tools/compare-outages.py" "$folder/cameras/face.mov" "$manifest" face "$results/cameras.log" 2 > "$results/outages.json" ||
        fail "the ledger's gaps are not the outages: $(cat "$results/outages.json")"
    cat "$results/outages.json"
    equal "outages" "$(json "$results/outages.json" 'd["outages"]')" $cycles
    mapfile -t before < "$results/resources.before"
    mapfile -t after < "$results/resources.after"
    equal "open files as at the start" "${after[0]}" "${before[0]}"
    within "memory against the start" "$(awk "BEGIN { print ${after[1]} / ${before[1]} }")" 0.9 1.05
}
