# A camera that sends its frames 137 ms after exposure, so that the driver's timestamps are equally late. calibrate measures this
# latency with claps that all devices see and hear, recordings subtract it, and sync-check, which uses only frames and audio,
# confirms that the tracks are aligned.
# lab: virtual-time timeout=600 soak

late=137 # ms, camera 2
# A frame's timestamp is the completion time of a 4 ms request, 0 to 4 ms after the frame's first packet. The
# mean is 2 ms ± 0.7 ms from one stream start to the next: frames start at three positions within requests,
# 1.3 ms apart.
stamped=2 stamped_by=0.7
precision=2 # ms, guaranteed by calibrate

inside() {
    cameras studio:1 cheap:2
    sound
    fault hush 1
    fault hush 2
    fault skew 1 80 # clocks drift
    fault skew 2 -50
    fault late 2 "$late"
    export XDG_STATE_HOME=$results/state
    cat > "$results/claps.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 640x480, rate: 30 }
  face: { device: any, size: 640x480, rate: 30 }
microphones: { host: { device: default }, guest: { device: default } }
tracks: { cameras: copy, microphones: wav }
YAML
    devices=(--profile "$results/claps.yaml" --camera desk="$(node 1)" --camera face="$(node 2)"
        --mic host="pulse:$(mic 1)" --mic guest="pulse:$(mic 2)")

    record_claps before
    start_calibrating
    clap_until_over "$calibration"
    wait "$calibration" || fail "calibrate ended with $?: $(cat "$results/calibrate.err")"
    "$MULTICAM" calibrate --show --json > "$results/show.out"
    record_claps after
}

# Runs in the background, returning once it listens; its process ID is $calibration.
start_calibrating() {
    "$MULTICAM" calibrate "${devices[@]}" --json > "$results/calibrate.out" 2> "$results/calibrate.err" &
    calibration=$!
    wait_until 30 grep -q '"listening"' "$results/calibrate.out"
}

# With metadata, which contains multicam's and the camera's capture time for each frame.
record_claps() {
    start "$1" "${devices[@]}" --metadata --duration 20
    clap_until_over "$recorder"
    ended "$1"
}

# At irregular times, so that claps cover all phases of the frames.
clap_until_over() {
    local number
    for ((number = 0; ; number++)); do
        kill -0 "$1" 2> /dev/null || return 0
        fault clap
        sleep "$((900 + number * 309 % 500))e-3"
    done
}

# Early Ctrl-C after three claps: latencies are accurate to about 6 ms. This is sufficient for the late camera, but not for the
# other one.
inside_stopped() {
    local status=0
    export XDG_STATE_HOME=$results/state
    start_calibrating
    for _ in 1 2 3; do
        fault clap
        sleep 1.01
    done
    wait_until 10 grep -q '"number":3' "$results/calibrate.out"
    kill -INT "$calibration"
    wait "$calibration" || status=$?
    echo "$status" > "$results/calibrate.status"
}
outside_stopped() {
    local off
    equal "exit status" "$(cat "$results/calibrate.status")" 1
    equal "events heard" "$(tail -1 "$results/calibrate.out" | json /dev/stdin 'd["detected_events"]')" 3
    equal "desk" "$(found desk verdict)" undecided
    equal "face" "$(found face verdict)" coarse
    off=$(sum "$(found face uncertainty_ns)" "$stamped_by")
    within "face: less the truth, ms" "$(difference "$(found face latency_ns)" "$(sum "$late" "$stamped")")" "-$off" "$off"
    equal "kept" "$(json "$results/state/multicam/calibration.json" 'sorted(e["role"] for e in d["devices"])')" "['face', 'guest', 'host']"
}

# found ROLE KEY: a device's value in the calibration's last line; ns converted to ms
found() {
    tail -1 "$results/calibrate.out" |
        json /dev/stdin "[e['$2'] / 1e6 if '$2'.endswith('_ns') else e['$2'] for e in d['devices'] if e['role'] == '$1'][0]"
}

# lateness NAME ROLE: the recording's capture times relative to exposure on the camera's own clock: mean, minimum and maximum in
# ms. Packets count CLOCK_MONOTONIC at 48 MHz in 32 bits.
lateness() {
    python3 - "$RESULTS/recordings/$1" "$2" <<'PYTHON'
import json, sys
folder, role = sys.argv[1:]
t0, turn = json.load(open(f"{folder}/manifest.json"))["t0_monotonic_ns"], 1 << 32
lines = [json.loads(line) for line in open(f"{folder}/cameras/{role}.ndjson")]
late = [((round((t0 + line["captured_ns"]) * 0.048) - line["uvc"]["pts"] + turn // 2) % turn - turn // 2) / 48e3 for line in lines]
print(sum(late) / len(late), min(late), max(late))
PYTHON
}
difference() { awk -v a="$1" -v b="$2" 'BEGIN { print a - b }'; }
sum() { awk -v a="$1" -v b="$2" -v c="${3:-0}" 'BEGIN { print a + b + c }'; }

outside_measured() {
    results=$RESULTS
    equal "exit, kept, problems" "$(tail -1 "$results/calibrate.out" | json /dev/stdin 'd["exit"], d["stored"], d["problems"]')" \
        "(0, True, [])"
    equal "host" "$(found host verdict)" reference
    local role measured mean off
    for role in desk face guest; do
        equal "$role" "$(found "$role" verdict)" measured
        within "$role: events" "$(found "$role" events)" 10 60
        within "$role: uncertainty, ms" "$(found "$role" uncertainty_ns)" 0 "$precision"
    done
    within "guest: offset, ms" "$(found guest offset_ns)" -0.5 0.5
    for role in desk face; do
        measured=$(found "$role" latency_ns)
        off=$(sum "$precision" "$stamped_by")
        mean=$stamped
        [ "$role" = desk ] || mean=$(sum "$late" "$stamped")
        within "$role: latency, ms" "$measured" "$(difference "$mean" "$off")" "$(sum "$mean" "$off")"
        # The same applies to the previous recording; each stream start may deviate from the mean by the tolerance.
        off=$(sum "$(found "$role" uncertainty_ns)" "$stamped_by" "$stamped_by")
        read -r mean _ <<< "$(lateness before "$role")"
        within "$role: less what it was in the recording, ms" "$(difference "$measured" "$mean")" "-$off" "$off"
    done
}

outside_kept() {
    results=$RESULTS
    local kept=$results/state/multicam/calibration.json
    equal "roles" "$(json "$kept" 'sorted(e["role"] for e in d["devices"])')" "['desk', 'face', 'guest', 'host']"
    equal "face: kept, ms" "$(json "$kept" '[e["correction"] / 1e6 for e in d["devices"] if e["role"] == "face"][0]')" \
        "$(found face latency_ns)"
    equal "face: shown, ms" "$(json "$results/show.out" '[e["latency_ns"] / 1e6 for e in d["devices"] if e["role"] == "face"][0]')" \
        "$(found face latency_ns)"
}

# corrected ROLE: the manifest's correction of its timestamps
corrected() { json "$manifest" "[(e['latency_ns'] / 1e6, e['latency_source']) for e in d['devices'] if e['role'] == '$1'][0]"; }

# checked NAME STATUS VERDICT…: checks the exit status of `multicam sync-check` and its verdicts on face, desk and guest
checked() {
    local status=0 role report=$results/$1.sync
    "$MULTICAM" sync-check "$folder" --json > "$report" || status=$?
    equal "$1: sync-check's exit status" "$status" "$2"
    shift 2
    for role in face desk guest; do
        equal "$role" "$(json "$report" "[t['verdict'] for t in d['tracks'] if t['name'] == '$role'][0]")" "$1"
        shift
    done
}

outside_before() {
    local mean
    results=$RESULTS
    recorded before
    equal "face: latency" "$(corrected face)" "(0.0, 'none')"
    checked before 6 apart aligned aligned
    read -r mean _ <<< "$(lateness before face)"
    within "face: late by, ms" "$mean" "$(sum "$late" "$stamped" "-$stamped_by")" "$(sum "$late" "$stamped" "$stamped_by")"
}

outside_after() {
    local role mean least most off
    results=$RESULTS
    recorded after
    equal "face: latency" "$(corrected face)" "($(found face latency_ns), 'calibration')"
    checked after 0 aligned aligned aligned
    for role in desk face; do
        equal "$role: lost" "$(json "$ledger" "d['tracks']['$role']['lost']")" "{}"
        off=$(sum "$(found "$role" uncertainty_ns)" "$stamped_by" "$stamped_by")
        read -r mean least most <<< "$(lateness after "$role")"
        within "$role: late by at least, ms" "$least" "-$off" "$off"
        within "$role: late by at most, ms" "$most" "-$off" "$off"
    done
    # The files themselves: the camera's original frames, each at its exposure time.
    untouched desk 1
    untouched face 2
}
