# Commands to a running recording: markers, new files, and stopping.
# lab: virtual-time timeout=600 soak

inside() {
    cameras studio:1 cheap:2
    sound
    cat > "$results/two.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 640x480, rate: 30 }
  face: { device: any, size: 640x480, rate: 30 }
microphones:
  host: { device: default }
program: { size: 640x480, rate: 30, layout: pip, main: desk, inset: face, scale: 0.5, margin: 0 }
tracks: { cameras: copy, microphones: wav }
YAML
    echo "cameras: { desk: { device: any, size: 640x480, rate: 30 } }" > "$results/one.yaml"
}
two() { echo "--profile $RESULTS/two.yaml --camera desk=$(node 1) --camera face=$(node 2) --mic host=pulse:$(mic 1)"; }
one() { echo "--profile $RESULTS/one.yaml --camera desk=$(node 2)"; }

inside_markers() {
    start r $(one)
    sleep 0.7
    kill -USR1 "$recorder"
    sleep 0.8
    kill -USR1 "$recorder"
    sleep 0.5
    kill -INT "$recorder"
    ended r
}
outside_markers() {
    recorded r
    equal "markers" "$(json "$ledger" '[text for _, text in d["markers"]]')" "['signal', 'signal']"
    within "the first" "$(json "$ledger" 'd["markers"][0][0]')" 0.65 0.85
    within "from one to the other" "$(json "$ledger" 'd["markers"][1][0] - d["markers"][0][0]')" 0.79 0.82
    equal "in the events" "$(events r '[e["at_ns"] for e in d if e["event"] == "mark"]')" "$(json "$manifest" '[m["at_ns"] for m in d["markers"]]')"
    equal "no picture is lost by it" "$(json "$ledger" 'd["tracks"]["desk"]["duplicated"], d["tracks"]["desk"]["lost"]')" "(0, {})"
}

inside_splits() {
    start r $(two)
    sleep 1.2
    kill -USR2 "$recorder"
    sleep 1.3
    kill -USR2 "$recorder"
    sleep 1
    kill -INT "$recorder"
    ended r
}
outside_splits() {
    recorded r
    equal "parts" "$(json "$ledger" '[d["tracks"][t]["files"] for t in ("desk", "host", "program")]')" \
        "[['cameras/desk.mov', 'cameras/desk-2.mov', 'cameras/desk-3.mov'], ['audio/host.wav', 'audio/host-2.wav', 'audio/host-3.wav'], ['program.mp4', 'program-2.mp4', 'program-3.mp4']]"
    equal "events" "$(events r '[e["part"] for e in d if e["event"] == "split"]')" "[2, 3]"
    local role part
    for part in "" -2 -3; do
        for role in desk face; do
            copied "$folder/cameras/$role$part.mov" > "$results/$role$part.json"
        done
        strips "$folder/program$part.mp4" > "$results/program$part.json"
        equal "parts of one length" "$(frames "$folder/cameras/desk$part.mov") $(frames "$folder/cameras/face$part.mov")" \
            "$(frames "$folder/program$part.mp4") $(frames "$folder/program$part.mp4")"
        tone "sound$part" "$folder/audio/host$part.wav" 1000
    done
    for role in desk face program; do
        equal "$role: each part continues where the previous one ended" \
            "$(for part in "" -2 -3; do json "$results/$role$part.json" 'd["first"], d["last"]'; done |
                python3 -c 'import ast, sys; r = [ast.literal_eval(line) for line in sys.stdin]; print([b[0] - a[1] for a, b in zip(r, r[1:])])')" \
            "[1, 1]"
        equal "$role: no missing or duplicated frames" "$(for part in "" -2 -3; do
            json "$results/$role$part.json" 'd.get("skips", len(d.get("missing", []))), d["repeats"], len(d["backwards"]) if isinstance(d["backwards"], list) else d["backwards"]'
        done | sort -u)" "(0, 0, 0)"
    done
    # An extra or missing sample at a file boundary would shift the tone's phase and the mean frequency over all parts.
    ffmpeg -v error -y -i "$folder/audio/host.wav" -i "$folder/audio/host-2.wav" -i "$folder/audio/host-3.wav" \
        -filter_complex '[0][1][2]concat=n=3:v=0:a=1' -c:a pcm_s24le "$results/joined.wav"
    "$LAB/tools/measure-tone.py" "$results/joined.wav" > "$results/tone.json"
    within "the sound of all parts" "$(json "$results/tone.json" 'd["frequency"]')" 999.99 1000.01
}

stopped_by() { # SIGNAL…
    local signal
    start r $(two)
    sleep 1
    for signal in "$@"; do kill "-$signal" "$recorder"; done
    ended r
}
whole() {
    recorded r
    equal "outcome" "$(json "$ledger" 'd["outcome"]')" finished
    within "seconds" "$(json "$ledger" 'd["seconds"]')" 0.99 1.2
    untouched desk 1
    untouched face 2
    in_order program "$folder/program.mp4" "$(frames "$folder/program.mp4")"
    tone host "$folder/audio/host.wav" 1000
}
inside_interrupted() { stopped_by INT; }
outside_interrupted() { whole; }
inside_terminated() { stopped_by TERM; }
outside_terminated() { whole; }
inside_hung_up() { stopped_by HUP; }
outside_hung_up() { whole; }

# A terminal and a wrapper both forward Ctrl-C: they must count as a single request.
inside_signals_at_once() { stopped_by INT TERM INT; }
outside_signals_at_once() {
    whole
    equal "no word of closing without waiting" "$(grep -c 'without waiting' "$results/r.stderr" || true)" 0
}

inside_durations() {
    record a $(one) --duration 500ms
    record b $(one) --duration 1.5
    record c $(one) --duration 2s
    record d $(one) --duration 0.02m
    local bad
    for bad in 0 -1 abc 5x ""; do refused "bad$bad" "$MULTICAM" record $(one) --duration "$bad" --output "$results/recordings"; done
}
lasts() { # NAME "SECONDS, FRAMES"
    recorded "$1"
    equal "$1: seconds, frames" "$(json "$ledger" 'd["seconds"], d["tracks"]["desk"]["written"]')" "($2)"
}
outside_durations() {
    local name
    lasts a "0.5, 15"
    lasts b "1.5, 45"
    lasts c "2.0, 60"
    lasts d "1.2, 36"
    for name in 0 -1 abc 5x ""; do
        equal "$name: exit status" "$(cat "$results/bad$name.status")" 2
        check "$name: the option is named" grep -q -- --duration "$results/bad$name.err"
    done
    equal "folders" "$(cd "$results/recordings" && echo *)" "a b c d"
}

inside_same_name() {
    record r $(one) --duration 1
    sha256sum "$results/recordings/r/cameras/desk.mov" > "$results/first"
    mv "$results/r.events" "$results/first.events"
    record r $(one) --duration 1
}
outside_same_name() {
    equal "folders" "$(cd "$results/recordings" && echo *)" "r r-2"
    equal "each command returned its own folder" "$(for name in first r; do events $name '[e["folder"].split("/")[-1] for e in d if e["event"] == "started"]'; done | tr '\n' ' ')" \
        "['r'] ['r-2'] "
    equal "the first recording is unchanged" "$(sha256sum < "$results/recordings/r/cameras/desk.mov" | cut -c 1-64)" "$(cut -c 1-64 "$results/first")"
    local folder
    for folder in r r-2; do check "$folder" "$LAB/tools/check-ledger.py" "$results/recordings/$folder" > "$results/$folder.ledger"; done
}
