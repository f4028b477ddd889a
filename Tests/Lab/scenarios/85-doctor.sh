# `multicam doctor` with real drivers: no findings on a healthy machine; each problem is found, named and fixed.
# lab: virtual-time

doctor() { # NAME COMMAND…: the report as JSON and as text, and the exit status
    local status=0
    "${@:2}" "$MULTICAM" doctor --output "$results" --json > "$results/$1.json" 2> "$results/$1.err" || status=$?
    echo "$status" > "$results/$1.status"
}

# root bypasses permissions, so another user checks them; the sound server and the program are accessible to everyone.
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/tmp "$@"; }

inside() {
    cameras studio:1 cheap:2
    sound
    local power
    power=$(realpath "$(usb 1)")/power
    node 1 > "$results/node"
    pactl set-default-source "$(mic 1)"
    doctor healthy env
    "$MULTICAM" doctor --output "$results" > "$results/healthy.txt"

    chmod 600 "$(node 1)"
    chgrp video "$(node 1)"
    doctor closed as_nobody
    chmod 660 "$(node 1)"
    doctor group as_nobody

    # The lab's own kernel can't suspend; a distribution's can (`tools/lab vm`).
    if [ -e "$power/control" ]; then
        echo 2000 > "$power/autosuspend_delay_ms"
        echo auto > "$power/control"
        doctor asleep env
        json "$results/asleep.json" "[f['remedy_command'] for f in d['findings'] if (f['check'], f['device']) == ('usb.autosuspend', '$(node 1)')][0]" > "$results/fix"
        bash "$results/fix" > "$results/fixed"
        doctor awake env
    fi

    v4l2-ctl -d "$(node 1)" --set-fmt-video=width=640,height=480,pixelformat=MJPG --stream-mmap=4 --stream-to="$results/stream" \
        > "$results/holder.log" 2>&1 & local holder=$!
    wait_until 10 test -s "$results/stream"
    echo "$holder" > "$results/holder"
    doctor held env
    kill "$holder"
    wait "$holder" || true

    pactl set-source-mute "$(mic 1)" 1
    doctor muted env
}

# finds NAME STATUS CHECK LEVEL: checks the exit status, and saves the only finding of that check and level in finding.json
finds() {
    equal "$1: exit status" "$(cat "$results/$1.status")" "$2"
    equal "$1: $4 findings of $3" "$(json "$results/$1.json" "len([f for f in d['findings'] if (f['check'], f['level']) == ('$3', '$4')])")" 1
    json "$results/$1.json" "json.dumps([f for f in d['findings'] if (f['check'], f['level']) == ('$3', '$4')][0])" > "$results/finding.json"
}
field() { json "$results/finding.json" "d['$1']"; }

outside() {
    local node
    node=$(cat "$results/node")
    equal "healthy: exit status" "$(cat "$results/healthy.status")" 0
    equal "healthy: problems" "$(json "$results/healthy.json" "[f['text'] for f in d['findings'] if f['level'] == 'problem']")" "[]"
    equal "healthy: cameras that may be opened" \
        "$(json "$results/healthy.json" "len([f for f in d['findings'] if (f['check'], f['level']) == ('camera.access', 'ok')])")" 2
    equal "healthy: cameras with their driver" \
        "$(json "$results/healthy.json" "len([f for f in d['findings'] if (f['check'], f['level']) == ('camera.driver', 'ok')])")" 2
    check "healthy: for people" grep -q "✓ ok .*Studio Webcam" "$results/healthy.txt"

    local mends="[f['remedy_command'] for f in d['findings'] if (f['check'], f['level'], f['device']) == ('camera.access', 'problem', '$node')]"
    equal "closed: exit status" "$(cat "$results/closed.status")" 1
    equal "closed: suggested fix" "$(json "$results/closed.json" "$mends")" "['sudo chgrp video $node && sudo chmod g+rw $node']"
    equal "group: exit status" "$(cat "$results/group.status")" 1
    equal "group: suggested fix" "$(json "$results/group.json" "$mends")" "['sudo usermod -aG video \$USER']"

    local sleeps="[f['level'] for f in d['findings'] if (f['check'], f['device']) == ('usb.autosuspend', '$node')]"
    if [ -e "$results/asleep.json" ]; then
        equal "asleep: exit status" "$(cat "$results/asleep.status")" 0
        equal "asleep: sleep" "$(json "$results/asleep.json" "$sleeps")" "['warning']"
        equal "awake: sleep" "$(json "$results/awake.json" "$sleeps")" "['ok']"
    else
        equal "a kernel that cannot suspend: sleep" "$(json "$results/healthy.json" "$sleeps")" "['unknown']"
    fi

    finds held 0 camera.use warning
    check "held: by whom" grep -qF "\`v4l2-ctl\` (process $(cat "$results/holder"))" <<< "$(field text)"
    finds muted 1 sound.level problem
    check "muted: suggested fix" grep -q "pactl set-source-mute .* 0" <<< "$(field remedy_command)"
}
