# `multicam devices --watch` with real drivers: connected and disconnected devices are reported immediately, with the permissions
# set by udevd.
# lab: virtual-time

watch() { # NAME COMMAND…: saves the output of COMMAND with the options of --watch; its process ID is in $job
    "${@:2}" devices --watch --json > "$results/$1" 2> "$results/$1.err" & job=$!
}
told() { # NAME EVENT KIND COUNT
    [ "$(grep -c "\"kind\":\"$3\".*\"event\":\"$2\"" "$results/$1")" -ge "$4" ]
}

inside() {
    cameras studio:1 cheap:2
    sound
    python3 -c 'import time; print(time.time_ns() - time.monotonic_ns())' > "$results/offset"
    SYSTEMD_IGNORE_CHROOT=1 udevadm monitor --kernel --subsystem-match=video4linux > "$results/kernel" & local kernel=$!
    local job root member stranger text
    # The program's own folder may be inaccessible to other users, and the host's /tmp may hold anything.
    local program
    program=$(mktemp -d)/multicam
    chmod 755 "$(dirname "$program")"
    install -m 755 "$MULTICAM" "$program"
    watch root "$MULTICAM"; root=$job
    watch member setpriv --reuid=65534 --regid=65534 --groups="$(getent group video | cut -d : -f 3)" "$program"; member=$job
    watch stranger setpriv --reuid=65534 --regid=65534 --clear-groups "$program"; stranger=$job
    "$MULTICAM" devices --watch > "$results/text" & text=$!
    wait_until 20 told root present camera 2
    wait_until 20 told root present microphone 2
    local who
    for who in member stranger; do wait_until 20 told "$who" present camera 2; done

    local round
    for round in 1 2 3; do
        fault unplug 2
        for who in root member stranger; do wait_until 10 told "$who" departed camera "$round"; done
        wait_until 10 told root departed microphone "$round"
        fault plug 2
        for who in root member stranger; do wait_until 10 told "$who" arrived camera "$round"; done
        wait_until 10 told root arrived microphone "$round"
        wait_until 10 present 2
    done
    "$MULTICAM" devices --json > "$results/devices.json"
    node 2 > "$results/node"
    # Makes a camera manually accessible to all users.
    chmod 666 "$(node 2)"
    wait_until 10 told stranger changed camera 1
    kill "$kernel"
    kill -INT "$root" "$member" "$stranger" "$text"
    for job in "$root" "$member" "$stranger" "$text"; do check "Ctrl-C is a good end" wait "$job"; done
}

outside() {
    local who node
    node=$(cat "$results/node")
    for who in root member stranger; do
        "$LAB/tools/judge-watch.py" "$results/$who" "$results/kernel" "$(cat "$results/offset")" > "$results/$who.json"
        equal "$who: cameras" "$(json "$results/$who.json" '[e for e in d["camera"] if e != "changed"]')" \
            "['present', 'present', 'departed', 'arrived', 'departed', 'arrived', 'departed', 'arrived']"
        within "$who: ms from the kernel to the departure" "$(json "$results/$who.json" 'max(d["late_ms"]["departed"])')" -1 200
        within "$who: ms from the kernel to the arrival" "$(json "$results/$who.json" 'max(d["late_ms"]["arrived"])')" -1 200
    done
    equal "microphones" "$(json "$results/root.json" '[e for e in d["microphone"] if e != "changed"]')" \
        "['present', 'present', 'departed', 'arrived', 'departed', 'arrived', 'departed', 'arrived']"
    equal "one identity for all instances of a camera" \
        "$(json "$results/root.json" 'len({v["identity"] for e, v in d["devices"] if v["name"] == "Cheap Webcam" and v["kind"] == "camera"})')" 1
    # Group members never receive a permission warning that udevd is about to resolve; other users do.
    equal "member: problems" "$(json "$results/member.json" '{v["problem"] for e, v in d["devices"] if v["kind"] == "camera"}')" "{None}"
    equal "stranger: problems of arrivals" \
        "$(json "$results/stranger.json" 'sum("sudo usermod -aG video" in (v["problem"] or "") for e, v in d["devices"] if e == "arrived" and v["kind"] == "camera")')" 3
    equal "stranger: and the end of one" \
        "$(json "$results/stranger.json" '[(v["node"], v["problem"], len(v["formats"]) > 0) for e, v in d["devices"] if e == "changed" and v["kind"] == "camera" and not v["problem"]]')" \
        "[('$node', None, True)]"
    # The last event reported for each device matches its entry in the list.
    python3 - "$results/root.json" "$results/devices.json" <<'PYTHON'
import json, sys
told, listing = (json.load(open(path)) for path in sys.argv[1:])
last = {device["selector"]: device for event, device in told["devices"]}
listed = {device["selector"]: device for device in listing["cameras"] + listing["microphones"]}
assert last == listed, (last, listed)
PYTHON
    equal "text: signs of the camera" "$(grep -c ' [^*] camera Cheap Webcam  usb:' "$results/text")" \
        "$(json "$results/root.json" 'sum(v["name"] == "Cheap Webcam" and v["kind"] == "camera" for e, v in d["devices"])')"
    check "text: time, sign, name, selector" \
        grep -qE '^[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3} \+ camera Cheap Webcam  usb:platform-vhci_hcd\.0-usb-0:2:1\.0' "$results/text"
}
