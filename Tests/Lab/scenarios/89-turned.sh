# A camera built into a tablet rotates according to the accelerometer; an external camera doesn't.
# lab: virtual-time timeout=300
export XDG_STATE_HOME=/run/state

# The lab's kernel lacks an accelerometer driver: its files are simulated, the rest of /sys/bus is unchanged.
sensor() {
    local bus
    mkdir /run/bus /run/iio
    mount --bind /sys/bus /run/bus
    mount -t tmpfs tmpfs /sys/bus
    for bus in /run/bus/*; do
        mkdir "/sys/bus/${bus##*/}"
        mount --bind "$bus" "/sys/bus/${bus##*/}"
    done
    mkdir -p /sys/bus/iio/devices/iio:device0
}
# feel AXIS NUMBER…: sets the acceleration in hundredths of m/s², one value after the other.
feel() {
    while [ $# -gt 0 ]; do
        echo "$2" > /run/iio/new
        cp /run/iio/new "/sys/bus/iio/devices/iio:device0/.new"
        mv "/sys/bus/iio/devices/iio:device0/.new" "/sys/bus/iio/devices/iio:device0/in_accel_$1_raw"
        shift 2
    done
}

inside() {
    cameras studio:1 cheap:2
    sensor
    feel x 981 y 0 z 0
    echo 0.01 > /sys/bus/iio/devices/iio:device0/in_accel_scale
    cat > "$results/turned.yaml" <<'YAML'
cameras: { face: { device: any, size: 640x480, rate: 30, rotation: sensor } }
program: { size: 480x640, rate: 30, layout: single, main: face, fit: contain }
tracks: { cameras: copy, microphones: none }
YAML
    "$MULTICAM" devices --set "usb:platform-vhci_hcd.0-usb-0:1" --type built-in --position back --json > "$results/set.json"
}

inside_refused() {
    local status=0
    "$MULTICAM" plan --profile "$RESULTS/turned.yaml" --camera face="$(node 2)" > /dev/null 2> "$results/external.err" || status=$?
    echo "$status" > "$results/external"
    "$MULTICAM" plan --profile "$RESULTS/turned.yaml" --camera face="$(node 1)" --json > "$results/plan.json"
}
outside_refused() {
    equal "exit status for one on a stand" "$(cat "$results/external")" 2
    check "its place" grep -q 'turned.yaml:1:.*cameras.face.rotation: found sensor' "$results/external.err"
    check "message contains a solution" grep -q -- '--type built-in' "$results/external.err"
    equal "the built-in one" "$(json "$results/plan.json" '[d["devices"][0][k] for k in ("rotation", "rotation_source")], d["devices"][0]["preview"]["mirrored"]')" "([90, 'sensor'], False)"
}

inside_followed() {
    start r --profile "$RESULTS/turned.yaml" --camera face="$(node 1)"
    sleep 1.5
    feel y 981 x 0
    sleep 1.5
    # Flat on a table, then raised on another side.
    feel z -981 y 0
    sleep 1
    feel y -981 z 0
    sleep 1.5
    kill -INT "$recorder"
    ended r
}
outside_followed() {
    recorded r
    equal "the program follows" "$(json "$manifest" '[c["changes"] for c in d["changes"]]')" "[['rotate face 180'], ['rotate face 0']]"
    equal "the file keeps its matrix" "$(json "$ledger" 'd["tracks"]["face"]["rotation"]')" 90
    equal "no picture is lost by it" "$(json "$ledger" 'd["tracks"]["face"]["duplicated"], d["tracks"]["face"]["lost"]')" "(0, {})"
    check "it is said" grep -q 'camera face was rotated: .*180° .*cameras/face.mov keeps its initial rotation' "$results/r.events"
}
