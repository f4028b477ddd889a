# Cameras with problems at stream start: corrupt first frames, a slow first frame, no frames on the first attempt, a focus that
# returns to automatic. Copied tracks contain no damaged frame, and the recording has the requested length.
# lab: virtual-time timeout=300

record() { # NAME PORT
    echo "cameras: { desk: { device: any, size: 640x480, rate: 30 } }" > "$results/one.yaml"
    "$MULTICAM" record --profile "$results/one.yaml" --camera desk="$(node "$2")" --duration 3 \
        --output "$results/recordings" --name "$1" > "$results/$1.out" 2> "$results/$1.err" ||
        fail "$1 ended with $?: $(cat "$results/$1.err")"
}

inside() {
    cameras firstbad:1 cheap:2 controls:3
    record corrupt 1
    fault slow 2 1500
    record slow 2
    fault slow 2 2900
    record slower 2
    fault slow 2 0
    fault nostart 2
    record nothing 2

    cat > "$results/controls.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 640x480, rate: 30,
          controls: { focus_absolute: 50, focus_automatic_continuous: 0, exposure_time_absolute: 100, auto_exposure: 1 } }
YAML
    "$MULTICAM" record --profile "$results/controls.yaml" --camera desk="$(node 3)" --duration 3 --output "$results/recordings" \
        --name controls --json > "$results/events" 2> "$results/controls.err" & local job=$!
    wait_until 20 grep -q '"started"' "$results/events"
    v4l2-ctl -d "$(node 3)" --get-ctrl=focus_absolute,focus_automatic_continuous,exposure_time_absolute > "$results/kept"
    wait "$job" || fail "controls ended with $?: $(cat "$results/controls.err")"
    sed -i 's/focus_automatic_continuous: 0/focus_automatic_continuous: 1/' "$results/controls.yaml"
    "$MULTICAM" record --profile "$results/controls.yaml" --camera desk="$(node 3)" --duration 1 --output "$results/recordings" \
        > "$results/governed.out" 2> "$results/governed.err" && fail "a focus was set beside the automatic one"
    true
}

outside() {
    local run folder
    for run in corrupt slow slower nothing controls; do
        folder=$results/recordings/$run
        check "$run: whole pictures, and the manifest agrees" \
            copied "$folder/cameras/desk.mov" --manifest "$folder/manifest.json" desk > "$results/$run.json"
        equal "$run: frames, missing, unmarked" "$(json "$results/$run.json" 'd["frames"], d["missing"], d["unmarked"]')" "(90, [], 0)"
        equal "$run: lost" "$(json "$folder/manifest.json" 'd["tracks"][0]["frames"]["lost"]')" "{}"
        equal "$run: gaps" "$(json "$folder/manifest.json" 'd["gaps"]')" "[]"
    done
    equal "controls while it records" "$(tr '\n' ' ' < "$results/kept")" \
        "focus_absolute: 50 focus_automatic_continuous: 0 exposure_time_absolute: 100 "
    check "a control that an automatic one governs" grep -q 'controls.focus_absolute: found a control that `focus_automatic_continuous` sets automatically' "$results/governed.err"
}
