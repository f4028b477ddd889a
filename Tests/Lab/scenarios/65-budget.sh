# A plan above its budget is either reduced before the start, so that the drivers run with the reduced settings, or refused before
# any device is opened.
# lab: virtual-time

inside() {
    cameras studio:1 cheap:2
    # One CPU with the default cost figures: a program of two cameras uses a quarter of it.
    export XDG_STATE_HOME=/run/state
    cat > "$results/adapt.yaml" <<'YAML'
cameras:
  desk: { device: any, format: mjpeg, size: 1280x720, rate: 30 }
  face: { device: any, format: mjpeg, size: 1280x720, rate: 30 }
program: { size: 640x360, rate: 30, layout: pip, main: desk, inset: face }
tracks: { cameras: copy }
budget: { hardware: 0.2, floors: { size: 640x480, rate: 15 } }
YAML
    sed 's/hardware: 0.2/hardware: 0.2, policy: refuse/' "$results/adapt.yaml" > "$results/refuse.yaml"
}

inside_reduced() { record r --profile "$RESULTS/adapt.yaml" --camera desk="$(node 1)" --camera face="$(node 2)" --duration 3; }
outside_reduced() {
    recorded r
    check "the program's effort first" grep -q 'reduced: program preset balanced → ultrafast' "$results/r.stderr"
    equal "no copied camera gives anything for the processor" "$(grep -cE 'reduced: (desk|face) ' "$results/r.stderr" || true)" 0
    equal "reported as events, too" "$(events r '[e["step"] for e in d if e["event"] == "reduced"]')" \
        "$(json "$manifest" '[r["step"] for r in d["cost"]["reductions"]]')"
    equal "each step lowers the cost" "$(json "$manifest" 'all(r["after"] < r["before"] for r in d["cost"]["reductions"])')" True
    within "cost predicted for the actual settings" "$(json "$manifest" 'd["cost"]["hardware"]')" 0.01 1
    local role expected
    for role in desk face; do
        expected=$(json "$manifest" "[(f['format']['width'], f['format']['height'], f['format']['rate']) for f in d['devices'] if f['role'] == '$role'][0]")
        copied "$folder/cameras/$role.mov" > "$results/$role.json" || fail "$role: $(json "$results/$role.json" 'd["complaints"]')"
        equal "$role: as the driver gave it" "($(probe "$folder/cameras/$role.mov" v:0 width,height | tr ',' ' ' | sed 's/ /, /'), $(json "$manifest" \
            "float([t['rate'] for t in d['tracks'] if t['name'] == '$role'][0])"))" "$(json /dev/stdin "tuple(d[:2]) + (float(d[2]),)" <<< "[${expected//[()]/}]")"
    done
}

inside_refused() {
    refused r "$MULTICAM" record --profile "$RESULTS/refuse.yaml" --camera desk="$(node 1)" --camera face="$(node 2)" \
        --duration 3 --output "$results/recordings"
}
outside_refused() {
    equal "exit status" "$(cat "$results/r.status")" 5
    equal "lines on standard output" "$(wc -l < "$results/r.out")" 0
    check "why" grep -q "over budget: .*cpu .* the profile's policy is .refuse." "$results/r.err"
    check "term by term" grep -q "ms of processor time per second" "$results/r.err"
    check "no folder" test ! -e "$results/recordings"
}
