# Standby with real drivers: recordings start and stop while cameras run; between recordings the preferred camera is used.
# lab: virtual-time timeout=300

ctl() { "$MULTICAM" ctl "$@"; }
# shown NAME COUNT: whether the session has reported this camera as used at least COUNT times
shown() { [ "$(grep -c "Now using $1" "$results/standby.stderr")" -ge "$2" ]; }
standing_by() { [ "$(grep -c '"standby"' "$results/standby.events")" -ge "$1" ]; }
ended_recordings() { [ "$(grep -c '"finished"' "$results/standby.events")" -ge "$1" ]; }

inside() {
    export XDG_STATE_HOME=/run/state XDG_RUNTIME_DIR=/run
    cameras studio:1 cheap:2
    fault unplug 2
    wait_until 10 absent 2
    cat > "$results/one.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 640x480, rate: 30 }
choice: { policy: follow-and-choose }
YAML
    "$MULTICAM" record --standby --profile "$results/one.yaml" --output "$results/recordings" --name standby --json \
        > "$results/standby.events" 2> "$results/standby.stderr" & local standby=$!
    wait_until 20 standing_by 1
    ctl status --json > "$results/idle.json"
    check "the first recording begins" ctl start
    # Plugged in during a recording: used when the recording ends.
    fault plug 2
    wait_until 20 present 2
    sleep 1
    equal "cameras taken meanwhile" "$(grep -c "Now using" "$results/standby.stderr" | cat)" 0
    check "the first recording ends" ctl stop
    wait_until 20 ended_recordings 1
    wait_until 20 shown "Cheap Webcam" 1
    wait_until 20 standing_by 2
    check "the second recording begins" ctl start
    # A choice made during a recording takes effect when it ends.
    ctl select-camera Studio 2> "$results/later.txt"
    check "the second recording ends" ctl stop
    wait_until 20 ended_recordings 2
    wait_until 20 shown "Studio Webcam" 1
    wait_until 20 standing_by 3
    # Unplugged during standby: the next preferred camera takes over and is recorded.
    fault unplug 1
    wait_until 20 shown "Cheap Webcam" 2
    wait_until 20 standing_by 4
    check "the third recording begins" ctl start
    check "the third recording ends" ctl stop
    wait_until 20 ended_recordings 3
    # Selected by position: no camera faces back.
    refused nowhere "$MULTICAM" ctl select-camera
    check "it ends" ctl quit
    local status=0
    wait "$standby" || status=$?
    echo "$status" > "$results/status"
    "$MULTICAM" prefer --show --json > "$results/history.json"
}

camera() { json "$results/recordings/$1/manifest.json" '[v["name"] for v in d["devices"] if v["kind"] == "camera"]'; }

outside() {
    equal "the exit status" "$(cat "$results/status")" 0
    equal "idle" "$(json "$results/idle.json" 'd["status"]["state"], d["status"]["cameras"][0]["role"]')" "('standby', 'desk')"
    equal "the first recording keeps its camera to the end" "$(camera standby)" "['Studio Webcam']"
    equal "then the one that was plugged in" "$(camera standby-2)" "['Cheap Webcam']"
    equal "then the next, since the chosen one was pulled out" "$(camera standby-3)" "['Cheap Webcam']"
    check "a choice is for later" grep -q "desk will use Studio Webcam after this recording" "$results/later.txt"
    equal "which is a person's; a switch by itself is none" "$(json "$results/history.json" '[(h["name"], h["by"]) for h in d["history"]]')" \
        "[('Studio Webcam', 'person')]"
    says nowhere 1 "no camera to switch to"
    local folder
    for folder in standby standby-2 standby-3; do
        "$LAB/tools/check-ledger.py" "$results/recordings/$folder" > "$results/ledger" || fail "$folder: the ledger: $(json "$results/ledger" 'd["complaints"]')"
        equal "$folder: its end" "$(json "$results/recordings/$folder/manifest.json" 'd["outcome"]')" finished
    done
}
