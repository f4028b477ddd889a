# Without udevd, as in containers, kernel events are sufficient: same identities, same speed.
# lab: virtual-time soak

told() { # EVENT COUNT
    [ "$(grep -c "\"kind\":\"camera\".*\"event\":\"$1\"" "$results/watch")" -ge "$2" ]
}

inside() {
    cameras_without_udev studio:1 cheap:2
    check "no udevd" test ! -e /run/udev/control
    python3 -c 'import time; print(time.time_ns() - time.monotonic_ns())' > "$results/offset"
    SYSTEMD_IGNORE_CHROOT=1 udevadm monitor --kernel --subsystem-match=video4linux > "$results/kernel" & local kernel=$!
    "$MULTICAM" devices --watch --json > "$results/watch" 2> "$results/watch.err" & local job=$!
    wait_until 20 told present 2
    local round
    for round in 1 2 3; do
        fault unplug 1
        wait_until 10 told departed "$round"
        fault plug 1
        wait_until 10 told arrived "$round"
    done
    kill "$kernel"
    kill -INT "$job"
    check "Ctrl-C is a good end" wait "$job"
}

outside() {
    "$LAB/tools/judge-watch.py" "$results/watch" "$results/kernel" "$(cat "$results/offset")" > "$results/report.json"
    equal "cameras" "$(json "$results/report.json" 'd["camera"]')" \
        "['present', 'present', 'departed', 'arrived', 'departed', 'arrived', 'departed', 'arrived']"
    within "ms from the kernel to the departure" "$(json "$results/report.json" 'max(d["late_ms"]["departed"])')" -1 200
    within "ms from the kernel to the arrival" "$(json "$results/report.json" 'max(d["late_ms"]["arrived"])')" -1 200
    equal "identities as udev's" "$(json "$results/report.json" 'sorted({v["usb_path"] for e, v in d["devices"]})')" \
        "['platform-vhci_hcd.0-usb-0:1:1.0', 'platform-vhci_hcd.0-usb-0:2:1.0']"
    equal "problems" "$(json "$results/report.json" '{v["problem"] for e, v in d["devices"]}')" "{None}"
    equal "missing sound server reported once" "$(grep -c 'PulseAudio server is not responding' "$results/watch.err")" 1
}
