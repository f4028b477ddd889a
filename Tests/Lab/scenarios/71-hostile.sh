# A camera whose manufacturer, name and serial number attack terminals, shells, JSON and paths. It is listed, recorded and
# reported like any other, and its control characters are never printed.
# lab: virtual-time timeout=300

inside() {
    cameras hostile:1 studio:2
    sound
    "$MULTICAM" devices > "$results/devices.txt" 2> "$results/devices.err"
    "$MULTICAM" devices --json > "$results/devices.json"
    cat > "$results/hostile.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 640x480, rate: 30 }
microphones:
  host: { device: default }
YAML
    "$MULTICAM" record --profile "$results/hostile.yaml" --camera desk="$(node 1)" --mic host="pulse:$(mic 1)" --duration 3 \
        --output "$results/recordings" --name hostile > "$results/record.txt" 2> "$results/record.err" ||
        fail "record ended with $?: $(cat "$results/record.err")"
    "$MULTICAM" record --profile "$results/hostile.yaml" --camera desk="$(node 1)" --mic host="pulse:$(mic 1)" --duration 1 \
        --output "$results/recordings" --name events --json > "$results/events" 2> "$results/events.err"
    # Both microphones match the request, so that their names appear in a message.
    "$MULTICAM" record --profile "$results/hostile.yaml" --camera desk=e --mic host="pulse:$(mic 1)" --duration 1 \
        --output "$results/recordings" > "$results/refused.txt" 2> "$results/refused.err" && fail "one of two was picked"
    node 1 > "$results/node"
}

# harmless FILE…: checks for text without control characters or other characters of Unicode's category C, except line ends; the
# same applies to the strings of a JSON document.
harmless() {
    python3 - "$@" <<'PY'
import json, sys, unicodedata
def strings(value):
    if isinstance(value, str): yield value
    if isinstance(value, dict): value = [*value.keys(), *value.values()]
    if isinstance(value, list):
        for item in value: yield from strings(item)
for path in sys.argv[1:]:
    text = open(path, encoding="utf-8", newline="").read()
    texts = [text.replace("\n", "")]
    if path.endswith((".json", "events", ".ndjson")):
        texts += strings([json.loads(line) for line in ([text] if path.endswith(".json") else text.splitlines())])
    for found in (c for text in texts for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")):
        sys.exit(f"{path}: {found!r}")
PY
}

outside() {
    local folder=$results/recordings/hostile node name
    node=$(cat "$results/node")
    check "harmless" harmless "$results"/devices.{txt,err,json} "$results"/record.{txt,err} "$results"/events{,.err} \
        "$results"/refused.{txt,err} "$folder/manifest.json" "$folder/events.ndjson"
    name=$(json "$results/devices.json" "[c['name'] for c in d['cameras'] if c['node'] == '$node'][0]")
    check "its name is printed without unsafe characters" grep -qF "script>alert(1)</script>" <<< "$name"
    check "it can't forge a line" test "$(grep -c '^Name: forged' "$results/devices.txt")" = 0
    equal "cameras in the table" "$(grep -c /dev/video "$results/devices.txt")" 2
    equal "lines on standard output" "$(wc -l < "$results/record.txt")" 1
    equal "sessions" "$(cd "$results/recordings" && echo *)" "events hostile"
    equal "the manifest's name for it" "$(json "$folder/manifest.json" '[x["name"] for x in d["devices"] if x["kind"] == "camera"][0]')" "$name"
    check "its pictures" copied "$folder/cameras/desk.mov" --manifest "$folder/manifest.json" desk > "$results/desk.json"
    equal "frames" "$(json "$results/desk.json" 'd["frames"]')" 90
    tone "its microphone" "$folder/audio/host.wav" 1000
}
