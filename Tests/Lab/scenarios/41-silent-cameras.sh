# Cameras that stop sending frames but stay connected.
# lab: virtual-time timeout=600

inside() {
    cameras studio:1 cheap:2
    cat > "$results/two.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 640x480, rate: 30 }
  face: { device: any, size: 640x480, rate: 30 }
YAML
    { cat "$results/two.yaml"; echo "limits: { lost_frames: 0.05 }"; } > "$results/limited.yaml"
}

start_two() { start r --profile "$RESULTS/$1.yaml" --camera desk="$(node 1)" --camera face="$(node 2)" --duration "$2"; }
desk() { json "$ledger" "d['tracks']['desk']['$1']"; }
away() { json "$ledger" 'd["tracks"]["desk"]["lost"]["disconnected"]'; }
desk_gap() { json "$ledger" "[gap[$1] for gap in d['gaps'] if gap[0] == 'desk']"; }

inside_short_freeze() {
    start_two two 2
    sleep 0.5
    fault freeze 1
    sleep 0.3
    fault thaw 1
    ended r
}
outside_short_freeze() {
    recorded r
    within "pictures that were not sent" "$(away)" 8 11
    # The camera restarts at an arbitrary phase between two ticks: allow half an interval either way, which is up to one tick.
    within "each is replaced by the last frame" "$(desk duplicated)" $(($(away) - 1)) $(($(away) + 1))
    equal "no other losses" "$(desk slate) $(json "$ledger" 'list(d["tracks"]["desk"]["lost"])')" "0 ['disconnected']"
    equal "gaps" "$(json "$ledger" '[gap[:2] for gap in d["gaps"]]')" "[['desk', 'silent']]"
    within "the gap's length" "$(json "$ledger" 'd["gaps"][0][3] - d["gaps"][0][2]')" 0.26 0.37
    untouched desk 1
    untouched face 2
}

inside_long_freeze() {
    start_two two 5
    sleep 1
    fault freeze 1
    sleep 2
    fault thaw 1
    ended r
}
outside_long_freeze() {
    recorded r
    within "lost: disconnected" "$(away)" 58 66
    equal "no other losses" "$(json "$ledger" 'list(d["tracks"]["desk"]["lost"])')" "['disconnected']"
    within "a second of the last picture" "$(desk duplicated)" 29 34
    within "then a slate" "$(desk slate)" 28 45
    within "the gap begins" "$(desk_gap 2 | tr -d '[]')" 0.95 1.15
    within "and ends" "$(desk_gap 3 | tr -d '[]')" 2.9 3.6
    equal "its cause" "$(desk_gap 1)" "['silent']"
    equal "events" "$(events r '[(e["event"], e["track"]) for e in d if e["event"] in ("device-lost", "device-restored")]')" "[('device-lost', 'desk'), ('device-restored', 'desk')]"
    copied "$folder/cameras/desk.mov" > "$results/desk.json" || fail "desk: $(json "$results/desk.json" 'd["damaged"], d["backwards"]')"
    equal "slates in the file" "$(json "$results/desk.json" 'd["unmarked"]')" "$(desk slate)"
    untouched face 2
    equal "the other camera" "$(json "$ledger" '[d["tracks"]["face"][key] for key in ("captured", "lost")]')" "[150, {}]"
}

inside_frozen_to_the_end() {
    start_two two 3
    sleep 1
    fault freeze 1
    ended r
}
outside_frozen_to_the_end() {
    recorded r
    within "lost: disconnected" "$(away)" 56 62
    within "the gap begins" "$(desk_gap 2 | tr -d '[]')" 0.95 1.15
    equal "and ends with the recording" "$(desk_gap 3)" "[3.0]"
    equal "tracks of one length" "$(desk written) $(json "$ledger" 'd["tracks"]["face"]["written"]')" "90 90"
    untouched face 2
}

inside_beyond_the_limit() {
    start_two limited 4
    sleep 1
    fault freeze 1
    sleep 1
    fault thaw 1
    ended r 6
}
outside_beyond_the_limit() {
    recorded r 6
    equal "outcome" "$(json "$ledger" 'd["outcome"]')" finished
    check "the track and the limit are named" grep -q "[Cc]amera desk is missing .*limit 5 %" "$results/r.stderr"
    check "and only that track" bash -c '! grep -q "face is missing" "$0"' "$results/r.stderr"
}

inside_within_the_limit() {
    start_two limited 2
    sleep 0.5
    fault error 1
    sleep 0.5
    fault short 2
    ended r
}
outside_within_the_limit() {
    recorded r
    equal "lost" "$(desk lost) $(json "$ledger" 'd["tracks"]["face"]["lost"]')" "{'bus': 1} {'corrupt': 1}"
    equal "the last frame is repeated" "$(desk duplicated) $(json "$ledger" 'd["tracks"]["face"]["duplicated"]')" "1 1"
    equal "reported immediately" "$(events r '[(e["track"], e["cause"], e["count"]) for e in d if e["event"] == "drop"]')" \
        "[('desk', 'bus', 1), ('face', 'corrupt', 1)]"
    untouched desk 1
    untouched face 2
}
