# Camera preference with real drivers: by explicit choice, by plugging in, by availability; and the microphone chosen by
# `default`.
# lab: virtual-time timeout=300 soak

told() { # NAME REASON-IN-WORDS COUNT: checks the lines of `devices --watch` with this reason for a camera
    [ "$(grep -cF "* camera $1  usb:platform-vhci_hcd.0-usb-0:" "$results/watch" | cat)" -ge "$3" ] &&
        [ "$(grep -F "* camera $1  usb:" "$results/watch" | tail -1 | grep -cF "preferred: $2")" -eq 1 ]
}
plan() { # NAME ARGUMENT…: the recording plan
    "$MULTICAM" plan --json --profile "$results/one.yaml" "${@:2}" > "$results/$1.json" 2> "$results/$1.err"
}

inside() {
    export XDG_STATE_HOME=/run/state
    cameras studio:1 cheap:2 cheap:3
    sound
    fault unplug 2
    wait_until 10 absent 2
    fault unplug 3
    wait_until 10 absent 3
    cat > "$results/one.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 640x480, rate: 30 }
microphones:
  host: { device: default }
YAML
    sed '$ a choice: { policy: follow, prefer: back }' "$results/one.yaml" > "$results/scan.yaml"
    sed '$ a choice: { policy: fixed }' "$results/one.yaml" > "$results/fixed.yaml"

    # A camera plugged in while watching becomes preferred; when it is unplugged, the previous one is preferred again.
    "$MULTICAM" devices --watch > "$results/watch" 2> "$results/watch.err" & local watch=$!
    wait_until 20 told "Studio Webcam" "it is available" 1
    fault plug 2
    wait_until 20 present 2
    wait_until 20 told "Cheap Webcam" "it was plugged in last" 1
    plan new
    # An explicit choice, made later in another process.
    "$MULTICAM" prefer Studio --json > "$results/prefer.json"
    wait_until 20 told "Studio Webcam" "you chose it" 2
    fault unplug 2
    wait_until 10 absent 2
    fault plug 2
    wait_until 20 present 2
    wait_until 20 told "Cheap Webcam" "it was plugged in last" 2
    "$MULTICAM" prefer Cheap > "$results/prefer.txt"
    wait_until 20 told "Cheap Webcam" "you chose it" 3
    fault unplug 2
    wait_until 10 absent 2
    wait_until 20 told "Studio Webcam" "you chose it" 3
    plan next
    fault plug 2
    wait_until 20 present 2
    wait_until 20 told "Cheap Webcam" "it was plugged in last" 4
    kill -INT "$watch"
    check "Ctrl-C is a good end" wait "$watch"
    plan back_again
    "$MULTICAM" devices --json > "$results/devices.json"

    # Naming a camera for a role counts as a choice once it records; an automatic match for an open role doesn't.
    record named --profile "$results/one.yaml" --camera desk=Studio --duration 1
    "$MULTICAM" prefer --show --json > "$results/named.json"
    fault unplug 1
    wait_until 10 absent 1
    record other --profile "$results/one.yaml" --duration 1
    fault plug 1
    wait_until 20 present 1
    "$MULTICAM" prefer --show --json > "$results/other.json"
    plan returned

    # A profile starts with the back camera, once, and only if the user hasn't chosen a camera.
    "$MULTICAM" devices --set Cheap --position back > /dev/null
    "$MULTICAM" plan --json --profile "$results/scan.yaml" > "$results/chosen.json"
    "$MULTICAM" prefer --forget > "$results/forgotten.txt" 2> "$results/forgotten.err"
    record scan --profile "$results/scan.yaml" --duration 1
    "$MULTICAM" prefer --show --json > "$results/begun.json"
    plan after
    # A fixed preference applies only to the cameras that were present.
    "$MULTICAM" prefer Studio > /dev/null
    "$MULTICAM" plan --json --profile "$results/fixed.yaml" > "$results/fixed.json"
    fault plug 3
    wait_until 20 present 3
    refused twins "$MULTICAM" prefer Cheap
    refused twins_back "$MULTICAM" plan --profile "$results/one.yaml" --camera desk=Cheap
    fault unplug 3
    wait_until 10 absent 3
    fault unplug 2
    wait_until 10 absent 2
    refused fixed_away "$MULTICAM" plan --json --profile "$results/fixed.yaml"
    fault plug 2
    wait_until 20 present 2
    wait_until 20 mic 2

    # Microphones: a camera's built-in one, the preferred input, the server's default after it changed.
    plan own --camera desk=Cheap --mic host=camera:desk
    mic 1 > "$results/mic1"
    mic 2 > "$results/mic2"
    pactl set-default-source "$(mic 2)"
    plan server
    "$MULTICAM" devices --watch --json > "$results/default" 2> /dev/null & watch=$!
    wait_until 20 grep -q '"event":"default"' "$results/default"
    pactl set-default-source "$(mic 1)"
    wait_until 20 moved
    kill -INT "$watch"
    wait "$watch"
    "$MULTICAM" prefer --microphone "pulse:$(mic 2)" > "$results/input.txt"
    plan input
}

moved() { [ "$(grep -c '"event":"default"' "$results/default")" -ge 2 ]; }

camera() { json "$results/$1.json" '[v["name"] for v in d["devices"] if v["kind"] == "camera"]'; }
microphone() { json "$results/$1.json" '[v["identity"].split()[0] for v in d["devices"] if v["kind"] == "microphone"]'; }

outside() {
    equal "cameras plugged in earlier don't count" "$(camera new)" "['Studio Webcam']"
    equal "a choice" "$(json "$results/prefer.json" 'd["preferred"]["name"], d["preferred"]["reason"], [h["by"] for h in d["history"]]')" \
        "('Studio Webcam', 'chosen', ['person'])"
    check "a choice in words" grep -q "^\* Cheap Webcam  usb:.*  preferred: you chose it" "$results/prefer.txt"
    equal "away: the choice before it" "$(camera next)" "['Studio Webcam']"
    equal "back: the choice itself" "$(camera back_again)" "['Cheap Webcam']"
    equal "it is the first of the list" "$(json "$results/devices.json" 'd["cameras"][0]["name"], d["preferred"]["selector"] == d["cameras"][0]["selector"], d["preferred"]["reason"]')" \
        "('Cheap Webcam', True, 'chosen')"
    equal "a camera named for a role" "$(json "$results/named.json" '[(h["name"], h["role"]) for h in d["history"]]')" \
        "[('Studio Webcam', 'desk'), ('Cheap Webcam', None)]"
    recorded other
    equal "the next choice records" "$(json "$manifest" '[v["name"] for v in d["devices"] if v["kind"] == "camera"]')" "['Cheap Webcam']"
    equal "which changes no choice" "$(json "$results/other.json" '[h["name"] for h in d["history"]]')" "['Studio Webcam', 'Cheap Webcam']"
    equal "so the first is back when it is" "$(camera returned)" "['Studio Webcam']"

    equal "a profile does not begin before a choice" "$(camera chosen)" "['Studio Webcam']"
    check "forgotten" grep -q "No camera has been chosen" "$results/forgotten.err"
    recorded scan
    equal "it begins with the back camera" "$(json "$manifest" '[v["name"] for v in d["devices"] if v["kind"] == "camera"]')" "['Cheap Webcam']"
    equal "which is no person's choice" "$(json "$results/begun.json" '[(h["name"], h["by"]) for h in d["history"]]')" "[('Cheap Webcam', 'profile')]"
    equal "and is preferred from then on" "$(camera after)" "['Cheap Webcam']"
    equal "fixed: no choice counts" "$(camera fixed)" "['Cheap Webcam']"
    says fixed_away 3 "Cheap Webcam" "is not connected"
    says twins 3 "usb:platform-vhci_hcd.0-usb-0:2:1.0" "usb:platform-vhci_hcd.0-usb-0:3:1.0" "multicam prefer SELECTOR"
    says twins_back 3 "usb:platform-vhci_hcd.0-usb-0:2:1.0" "usb:platform-vhci_hcd.0-usb-0:3:1.0"

    equal "a camera's own microphone" "$(microphone own)" "['usb:platform-vhci_hcd.0-usb-0:2:1.2']"
    equal "the server's default" "$(microphone server)" "['usb:platform-vhci_hcd.0-usb-0:2:1.2']"
    equal "where it went" "$(python3 -c 'import json, sys
print([e["device"]["source"] for e in map(json.loads, open(sys.argv[1])) if e["event"] == "default"])' "$results/default")" \
        "['$(cat "$results/mic2")', '$(cat "$results/mic1")']"
    equal "the preferred input" "$(microphone input)" "['usb:platform-vhci_hcd.0-usb-0:2:1.2']"
    check "reported" grep -q "your preferred input" "$results/input.json"
}
