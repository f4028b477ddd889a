# Two identical cameras without serial numbers: they are distinguished by port, and ambiguous cases are refused.
# lab: virtual-time timeout=300 soak

run() { # NAME COMMAND ARGUMENT…: saves the output and exit status
    local status=0
    timeout 60 "$MULTICAM" "${@:2}" --profile "$results/two.yaml" > "$results/$1.out" 2> "$results/$1.err" || status=$?
    echo "$status" > "$results/$1.status"
}

inside() {
    export XDG_STATE_HOME=/run/state
    cameras cheap:1 cheap:2
    cat > "$results/two.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 640x480, rate: 30 }
  face: { device: any, size: 640x480, rate: 30 }
YAML
    run named record --camera desk="Cheap Webcam" --duration 1 --output "$results/recordings" --name named
    run first record --camera desk=usb:platform-vhci_hcd.0-usb-0:2 --duration 1 --output "$results/recordings" --name first
    # Both are unplugged and return in reverse order: the device nodes are swapped, the ports are not.
    fault unplug 1 2
    wait_until 10 absent 1
    wait_until 10 absent 2
    fault plug 2
    wait_until 10 present 2
    fault plug 1
    wait_until 10 present 1
    echo "$(node 1) $(node 2)" > "$results/nodes"
    run home plan --json
    # One camera at a new port while the other is still at its own: unambiguous.
    fault unplug 2
    wait_until 10 absent 2
    fault plug 2@4
    wait_until 10 present 4
    run one plan --json
    # Both at new ports: ambiguous.
    fault unplug 1
    wait_until 10 absent 1
    fault plug 1@3
    wait_until 10 present 3
    run any plan
    run remembered plan --camera desk=remembered
    run explicit plan --camera desk=cheap --camera face=usb:platform-vhci_hcd.0-usb-0:3
    run chosen record --camera desk=usb:platform-vhci_hcd.0-usb-0:4 --camera face=usb:platform-vhci_hcd.0-usb-0:3 \
        --duration 1 --output "$results/recordings" --name chosen
    run settled plan --json --camera face=remembered
}

ports() { json "$results/$1.out" '{v["role"]: v["identity"].split()[0][-5] for v in d["devices"]}'; }
refused() { # NAME PORT…: checks exit status 3, with the selectors of all candidates
    local port
    equal "$1: exit status" "$(cat "$results/$1.status")" 3
    for port in "${@:2}"; do check "$1: lists port $port" grep -qF "usb:platform-vhci_hcd.0-usb-0:$port:1.0" "$results/$1.err"; done
}

outside() {
    refused named 1 2
    equal "the first recording" "$(cat "$results/first.status")" 0
    check "the nodes changed places" test "$(cat "$results/nodes")" != "/dev/video0 /dev/video2"
    equal "each at its port" "$(ports home)" "{'desk': '2', 'face': '1'}"
    equal "the one that moved" "$(ports one)" "{'desk': '4', 'face': '1'}"
    refused any 3 4
    refused remembered 3 4
    refused explicit 3 4
    check "no folder for the refused recording" test ! -e "$results/recordings/named"
    equal "chosen by port" "$(cat "$results/chosen.status")" 0
    equal "and remembered so" "$(ports settled)" "{'desk': '4', 'face': '3'}"
}
