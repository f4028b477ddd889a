# A camera that has played a role is found again after a replug and at another port, and is never replaced silently.
# lab: virtual-time timeout=300

run() { # NAME COMMAND ARGUMENT…: saves the output and exit status
    local status=0
    timeout 60 "$MULTICAM" "${@:2}" --profile "$results/one.yaml" > "$results/$1.out" 2> "$results/$1.err" || status=$?
    echo "$status" > "$results/$1.status"
}

inside() {
    export XDG_STATE_HOME=/run/state
    cameras studio:1 cheap:2
    sound
    cat > "$results/one.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 640x480, rate: 30 }
microphones:
  host: { device: any }
YAML
    run first record --camera desk="$(node 2)" --mic host="pulse:$(mic 2)" --duration 1 --output "$results/recordings" --name first
    cp /run/state/multicam/devices.json "$results/memory.json"
    run home plan --json
    fault unplug 2
    wait_until 10 absent 2
    run away plan --json
    run exactly plan --camera desk=remembered
    run microphone plan --mic host=remembered
    fault plug 2@5
    wait_until 10 present 5
    wait_until 10 mic 5
    run moved plan --json
    run again record --camera desk=remembered --duration 1 --output "$results/recordings" --name again
    run settled plan --json

    # The camera position set by the user, because the system doesn't report it.
    "$MULTICAM" devices --set "usb:platform-vhci_hcd.0-usb-0:5" --position front --mounting 90 --type built-in --json > "$results/set.json"
    run turned plan --json --camera desk=position:front
    fault unplug 2
    wait_until 10 absent 5
    fault plug 2@3
    wait_until 10 present 3
    "$MULTICAM" devices --json > "$results/told.json"
    "$MULTICAM" devices --forget "Cheap" --json > "$results/forgotten.json"
    run nobody plan --camera desk=position:front

    # An unreadable registry of known devices doesn't prevent recording.
    echo "{ nonsense" > /run/state/multicam/devices.json
    run broken record --camera desk="$(node 1)" --mic host=default --duration 1 --output "$results/recordings" --name broken
    cp /run/state/multicam/devices.json "$results/mended.json"
    ls /run/state/multicam > "$results/files"
}

says() { # NAME STATUS WORD…: checks the exit status, and all words on standard error
    local word
    equal "$1: exit status" "$(cat "$results/$1.status")" "$2"
    for word in "${@:3}"; do check "$1: $word" grep -qF -- "$word" "$results/$1.err"; done
}
names() { json "$results/$1.out" '[v["name"] for v in d["devices"] if v["kind"] == "camera"]'; }

outside() {
    says first 0
    equal "stored cameras" "$(json "$results/memory.json" '{r: (i["name"], i["bus_path"]) for r, i in d["cameras"].items()}')" \
        "{'desk': ('Cheap Webcam', 'platform-vhci_hcd.0-usb-0:2:1.0')}"
    equal "and whose microphone" "$(json "$results/memory.json" '[i["bus_path"] for i in d["microphones"].values()]')" \
        "['platform-vhci_hcd.0-usb-0:2:1.2']"
    equal "at its port" "$(names home) $(json "$results/home.out" 'd["notes"]')" "['Cheap Webcam'] []"
    equal "another one in its place" "$(names away)" "['Studio Webcam']"
    equal "reported" "$(json "$results/away.out" 'len([n for n in d["notes"] if "is not connected, so" in n and n.startswith("desk: the camera “Cheap Webcam”")])')" 1
    says exactly 3 "camera desk (remembered)" "Cheap Webcam" "is not connected"
    says microphone 3 "microphone host (remembered)" "is not connected"
    equal "at another port" "$(names moved)" "['Cheap Webcam']"
    equal "also reported" "$(json "$results/moved.out" '[n for n in d["notes"] if "now connected to another port: usb:platform-vhci_hcd.0-usb-0:5:1.0" in n and n.startswith("desk")] != []')" True
    says again 0 "now connected to another port"
    equal "recorded from it" "$(json "$results/recordings/again/manifest.json" \
        '[v["identity"].split()[0] for v in d["devices"] if v["role"] == "desk"]')" "['usb:platform-vhci_hcd.0-usb-0:5:1.0']"
    equal "and known there from then on" "$(names settled) $(json "$results/settled.out" 'd["notes"]')" "['Cheap Webcam'] []"

    equal "the user's word" "$(json "$results/set.json" 'd["position"], d["mounting"], d["type"], d["type_known"]')" "('front', 90, 'built-in', True)"
    equal "a mounting is a rotation" "$(json "$results/turned.out" '[t["rotation"] for t in d["tracks"] if t["name"] == "desk"]')" "[90]"
    check "stated in the plan" grep -q "mounted in a rotated position" "$results/turned.out"
    equal "it follows the camera" "$(json "$results/told.json" '[(c["name"], c["position"], c["mounting"], c["type_known"]) for c in d["cameras"] if c["position"] != "unspecified"]')" \
        "[('Cheap Webcam', 'front', 90, True)]"
    equal "until it is forgotten" "$(json "$results/forgotten.json" 'd["position"], d["mounting"], d["type"]')" "('unspecified', 0, 'external')"
    says nobody 3 "position:front"

    says broken 0 "renamed to devices.json.broken"
    equal "new registry" "$(json "$results/mended.json" '[i["name"] for i in d["cameras"].values()]')" "['Studio Webcam']"
    check "beside the old one" grep -qx devices.json.broken "$results/files"
}
