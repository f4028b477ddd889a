# A camera that lists a format but doesn't deliver it: one clear message, the right exit status, nothing left behind.
# lab: virtual-time timeout=300

record() { # NAME
    local status=0
    timeout 30 "$MULTICAM" record --profile "$results/one.yaml" --camera desk="$(node 1)" --duration 1 \
        --output "$results/$1.d" --name "$1" > "$results/$1.out" 2> "$results/$1.err" || status=$?
    echo "$status" > "$results/$1.status"
}

inside() {
    cameras studio:1
    node 1 > "$results/node"
    echo "cameras: { desk: { device: any, size: 640x480, rate: 30 } }" > "$results/one.yaml"
    fault refuse 1
    record refused
    fault accept 1
    fault alter 1
    record altered
    fault accept 1
    record accepted
}

outside() {
    local run node
    node=$(cat "$results/node")
    for run in refused altered; do
        check "$run: exit status" grep -qx '[23]' "$results/$run.status"
        equal "$run: standard output" "$(cat "$results/$run.out")" ""
        check "$run: the camera" grep -qF "$node" "$results/$run.err"
        equal "$run: sentences" "$(grep -c . "$results/$run.err")" 1
        check "$run: no files are left behind" test -z "$(ls -A "$results/$run.d" 2> /dev/null)"
    done
    check "altered: requested format named" grep -qF "640x480" "$results/altered.err"
    check "refused: why" grep -qF "the camera rejected MJPG 640x480, although it reports this format as supported" "$results/refused.err"
    equal "accepted: exit status" "$(cat "$results/accepted.status")" 0
}
