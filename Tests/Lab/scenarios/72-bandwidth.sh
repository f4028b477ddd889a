# A bus with realistic bandwidth: the second greedy camera is refused before the start, with a message that states the cause, and
# leaves nothing behind. Modest cameras run together.
# lab: virtual-time timeout=300 soak

# record NAME ARGUMENT…: saves the output and exit status of `record`
record() {
    local status=0
    timeout 60 "$MULTICAM" record --profile "$results/two.yaml" --duration 2 --output "$results/$1.d" --name "$1" "${@:2}" \
        > "$results/$1.out" 2> "$results/$1.err" || status=$?
    echo "$status" > "$results/$1.status"
}

inside() {
    cameras greedy:1 greedy:2 studio:3 studio:4
    bandwidth 100
    cat > "$results/two.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 640x480, rate: 30 }
  face: { device: any, size: 640x480, rate: 30 }
YAML
    record greedy --camera desk="$(node 1)" --camera face="$(node 2)"
    record again --camera desk="$(node 2)" --camera face="$(node 1)"
    record mixed --camera desk="$(node 1)" --camera face="$(node 3)"
    record modest --camera desk="$(node 3)" --camera face="$(node 4)"
    bandwidth 0
    record unlimited --camera desk="$(node 1)" --camera face="$(node 2)"
    node 2 > "$results/node"
    node 1 >> "$results/node"
}

outside() {
    local run nodes
    mapfile -t nodes < "$results/node"
    for run in greedy again; do
        equal "$run: exit status" "$(cat "$results/$run.status")" 3
        equal "$run: standard output" "$(cat "$results/$run.out")" ""
        check "$run: one sentence names the controller" grep -q "USB controller vhci_hcd.0 has no bandwidth left" "$results/$run.err"
        check "$run: no files are left behind" test -z "$(ls -A "$results/$run.d" 2> /dev/null)"
    done
    check "the second camera is named" grep -qF "${nodes[0]}" "$results/greedy.err"
    check "and the other one in the other order" grep -qF "${nodes[1]}" "$results/again.err"
    for run in mixed modest unlimited; do
        equal "$run: exit status" "$(cat "$results/$run.status")" 0
        for role in desk face; do
            check "$run: $role" copied "$results/$run.d/$run/cameras/$role.mov" --manifest "$results/$run.d/$run/manifest.json" \
                $role > "$results/$run-$role.json"
            equal "$run: $role: frames, missing" "$(json "$results/$run-$role.json" 'd["frames"], d["missing"]')" "(60, [])"
        done
    done
}
