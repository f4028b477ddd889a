# Two simultaneous recorders with one camera each; a third recorder finds the cameras in use.
# lab: virtual-time timeout=600 soak

inside() {
    cameras studio:1 cheap:2
    sound
    cat > "$results/one.yaml" <<'YAML'
cameras: { desk: { device: any, size: 640x480, rate: 30 } }
microphones: { host: { device: default } }
YAML
    local first
    start a --profile "$results/one.yaml" --camera desk="$(node 1)" --mic host="pulse:$(mic 1)" --duration 5
    first=$recorder
    start b --profile "$results/one.yaml" --camera desk="$(node 2)" --mic host="pulse:$(mic 2)" --duration 3
    refused busy "$MULTICAM" record --profile "$results/one.yaml" --camera desk="$(node 1)" --mic host="pulse:$(mic 1)" --duration 1 \
        --output "$results/others"
    refused any "$MULTICAM" record --profile "$results/one.yaml" --mic host="pulse:$(mic 1)" --duration 1 --output "$results/others"
    node 1 > "$results/node"
    ended b
    recorder=$first
    ended a
}

outside_both() {
    local name camera=1
    results=$RESULTS
    for name in a b; do
        recorded $name
        untouched desk $camera
        equal "$name: lost, silence" "$(json "$ledger" 'd["tracks"]["desk"]["lost"], d["tracks"]["host"]["silence"]')" "({}, 0)"
        tone "$name" "$folder/audio/host.wav" $((500 + 500 * camera))
        camera=$((camera + 1))
    done
}

outside_busy() {
    results=$RESULTS
    says busy 3 "$(cat "$RESULTS/node")" multicam
    check "no files are left behind" test ! -e "$results/others"
}

outside_all_taken() {
    results=$RESULTS
    says any 3 multicam
}
