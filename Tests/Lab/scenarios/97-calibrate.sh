# A camera that sends its pictures 137 ms after they were exposed, so that the driver's stamps are as late: calibrate measures
# that by claps that all see and hear, recordings take it off, and sync-check, which knows nothing but pictures and sound, finds
# the tracks together.
# lab: virtual-time timeout=600 soak

late=137 # ms, of camera 2
# The driver stamps a picture when a request of 4 ms is complete, 0 to 4 ms after its first packet. That is 2 ms in the mean, give
# or take 0.7 from one start of a stream to the next: the pictures' beginnings fall into requests at three places, 1.3 ms apart.
stamped=2 stamped_by=0.7
precision=2 # ms, that calibrate promises

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

# In the background, from when it listens; its process is $calibration.
start_calibrating() {
    "$MULTICAM" calibrate "${devices[@]}" --json > "$results/calibrate.out" 2> "$results/calibrate.err" &
    calibration=$!
    wait_until 30 grep -q '"listening"' "$results/calibrate.out"
}

# With metadata, which tell of each picture when it was captured by multicam and by the camera.
record_claps() {
    start "$1" "${devices[@]}" --metadata --duration 20
    clap_until_over "$recorder"
    ended "$1"
}

# At uneven times, so that they fall at all phases of the pictures.
clap_until_over() {
    local number
    for ((number = 0; ; number++)); do
        kill -0 "$1" 2> /dev/null || return 0
        fault clap
        sleep "$((900 + number * 309 % 500))e-3"
    done
}

# Nobody has the patience: Ctrl-C after three claps, which tell latencies to some 6 ms. That is better than nothing for the late
# camera, but not for the other one.
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
    equal "events heard" "$(tail -1 "$results/calibrate.out" | json /dev/stdin 'd["heard"]')" 3
    equal "desk" "$(found desk verdict)" undecided
    equal "face" "$(found face verdict)" coarse
    off=$(sum "$(found face uncertainty_ns)" "$stamped_by")
    within "face: less the truth, ms" "$(difference "$(found face latency_ns)" "$(sum "$late" "$stamped")")" "-$off" "$off"
    equal "kept" "$(json "$results/state/multicam/calibration.json" 'sorted(e["role"] for e in d["devices"])')" "['face', 'guest', 'host']"
}

# found ROLE KEY: of a device in the calibration's last line; in ms, if it is in ns
found() {
    tail -1 "$results/calibrate.out" |
        json /dev/stdin "[e['$2'] / 1e6 if '$2'.endswith('_ns') else e['$2'] for e in d['devices'] if e['role'] == '$1'][0]"
}

# lateness NAME ROLE: how much later than their exposure, by the camera's own clock, a recording takes its pictures to be: the
# mean and both ends, in ms. In the packets, CLOCK_MONOTONIC is counted at 48 MHz, in 32 bits.
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
    equal "exit, kept, problems" "$(tail -1 "$results/calibrate.out" | json /dev/stdin 'd["exit"], d["kept"], d["problems"]')" \
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
        # And as it was in the recording before; each start of a stream is as far from the mean as may be.
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

# corrected ROLE: what the manifest says of its time stamps
corrected() { json "$manifest" "[(e['latency_ns'] / 1e6, e['latency_source']) for e in d['devices'] if e['role'] == '$1'][0]"; }

# checked NAME STATUS VERDICT…: how `multicam sync-check` ends with the recording, and what it says of face, desk and guest
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
    # The files themselves: the camera's very pictures, each in the place of its exposure.
    untouched desk 1
    untouched face 2
}
