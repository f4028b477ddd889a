# Two identical cameras without serial numbers: a moved camera is recognized, and a swap is always reported.
# lab: virtual-time timeout=200 soak

inside() {
    cameras cheap:1 cheap:2
    cat > "$results/twins.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 640x480, rate: 15 }
  face: { device: any, size: 640x480, rate: 15 }
YAML
    "$MULTICAM" record --profile "$results/twins.yaml" --camera desk="$(node 1)" --camera face="$(node 2)" \
        --duration 16 --output "$results/recordings" --name twins --json > "$results/events" 2> "$results/stderr" & local job=$!
    wait_until 20 grep -q '"started"' "$results/events"
    sleep 1
    fault unplug 2
    sleep 1
    fault plug 2@4 # the only missing camera, so it is unambiguous
    wait_until 10 grep -q '"device-restored"' "$results/events"
    sleep 1
    fault unplug 1 2
    sleep 1
    fault plug 1@4 2@1 # swapped
    wait_until 10 test "$(grep -c '"device-restored"' "$results/events")" -ge 1
    wait "$job" || fail "record ended with $?: $(cat "$results/stderr")"
}

outside() {
    local folder=$results/recordings/twins role
    for role in desk face; do
        equal "$role: frames" "$(frames "$folder/cameras/$role.mov")" 240
        copied "$folder/cameras/$role.mov" > "$results/$role.json" || true
    done
    # Both returned by port; the possible swap was reported in the events and on the terminal.
    equal "returns" "$(grep -c '"device-restored"' "$results/events")" 3
    for role in desk face; do
        check "$role: the possible exchange is in the events" \
            grep -q '"device-restored".*camera '"$role"' is back.*swapped' "$folder/events.ndjson"
    done
    equal "the one that moved alone is told without it" \
        "$(grep '"device-restored"' "$folder/events.ndjson" | head -1 | grep -c 'swapped' || true)" 0
}
