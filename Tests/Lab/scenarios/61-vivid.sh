# vivid, the kernel's test driver for cameras: raw formats with exact colors, and errors that are rare with USB cameras.
# lab: virtual-time timeout=600

inside() {
    # Three cameras; their nodes are numbered in order.
    modprobe vivid n_devs=3 node_types=0x1,0x1,0x1 num_inputs=1,1,1 input_types=0x0,0x0,0x0
    wait_until 10 test -c /dev/video2
    local number
    for number in 0 1 2; do v4l2-ctl -d /dev/video$number -c osd_text_mode=2; done # bars without text
    echo "{ cameras: { desk: { device: any, format: yuyv, size: 320x180, rate: 30 } }, tracks: { cameras: encode } }" > "$results/one.yaml"
}

start_one() { start r --profile "$RESULTS/one.yaml" --camera desk=/dev/video0 --duration 3; }
desk() { json "$ledger" "d['tracks']['desk']['$1']"; }

inside_raw_formats() {
    cat > "$results/p.yaml" <<'YAML'
cameras:
  one: { device: any, format: yuyv, size: 640x360, rate: 30 }
  two: { device: any, format: nv12, size: 640x360, rate: 30 }
  three: { device: any, format: yuyv, size: 320x180, rate: 15 }
program: { size: 1280x720, rate: 30, layout: grid, fit: contain }
tracks: { cameras: encode }
YAML
    record r --profile "$results/p.yaml" --camera one=/dev/video0 --camera two=/dev/video1 --camera three=/dev/video2 --duration 3
}
outside_raw_formats() {
    recorded r
    equal "frames" "$(json "$ledger" '[(d["tracks"][t]["written"], d["tracks"][t]["lost"]) for t in ("one", "two", "three", "program")]')" \
        "[(90, {}), (90, {}), (45, {}), (90, {})]"
    equal "formats" "$(json "$manifest" '[(c["format"]["pixel"], c["format"]["rate"]) for c in d["devices"]]')" \
        "[('yuyv', 30), ('nv12', 30), ('yuyv', 15)]"
    # 75 % bars from left to right: white, yellow, cyan, green, magenta, red, blue, black; 191 of 255 where not 0.
    bars "yuyv" "$folder/cameras/one.mov" 80 180
    bars "nv12" "$folder/cameras/two.mov" 80 180
    bars "small" "$folder/cameras/three.mov" 40 90
    bars "yuyv in the program" "$folder/program.mp4" 80 180
    bars "nv12 in the program" "$folder/program.mp4" 80 180 640 0
    bars "small, enlarged in the program" "$folder/program.mp4" 80 180 0 360
}
# bars WHAT FILE BAR-WIDTH Y [LEFT TOP]: checks the middle of each bar, with a tolerance of 6 levels
bars() {
    ffmpeg -v error -i "$2" -vf "crop=$(($3 * 8)):4:${5:-0}:$((${6:-0} + $4)),scale=in_color_matrix=auto,format=rgb24,scale=8:1:flags=area" \
        -frames:v 1 -f rawvideo - | od -An -v -tu1 | tr -s ' \n' ' ' > "$results/bars"
    python3 - "$results/bars" <<'PYTHON' || fail "$1: red, green, blue of the bars are $(cat "$results/bars")"
import sys
found = list(map(int, open(sys.argv[1]).read().split()))
wanted = [191 * bit for bar in ("111", "110", "011", "010", "101", "100", "001", "000") for bit in map(int, bar)]
assert len(found) == 24 and all(abs(a - b) <= 6 for a, b in zip(found, wanted))
PYTHON
    say "ok: $1"
}

inside_controls() {
    v4l2-ctl -d /dev/video0 -l > "$results/listed.v4l2"
    "$MULTICAM" controls /dev/video0 --json > "$results/listed.json"
    "$MULTICAM" controls /dev/video0 gain=77 gain_automatic=off boolean=off menu="menu item 4" integer_menu=5 \
        bitmask=2151686160 integer_64_bits=-5000000000 > "$results/set"
    v4l2-ctl -d /dev/video0 -C gain,gain_automatic,boolean,menu,integer_menu,bitmask,integer_64_bits > "$results/set.v4l2"
    refused readonly "$MULTICAM" controls /dev/video0 read_only_integer_32_bits=3
    refused skipped "$MULTICAM" controls /dev/video0 menu=2
    refused bits "$MULTICAM" controls /dev/video0 bitmask=1
    echo '{ cameras: { desk: { device: any, controls: { read_only_integer_32_bits: 3 } } }, tracks: { cameras: encode } }' > "$results/readonly.yaml"
    refused profile "$MULTICAM" record --profile "$results/readonly.yaml" --camera desk=/dev/video0
}
outside_controls() {
    python3 - "$results" <<'PYTHON' || fail "the list is not that of v4l2-ctl"
import json, re, sys
listed = {control["name"]: control for control in json.load(open(sys.argv[1] + "/listed.json"))["controls"]}
compared = 0
for line in open(sys.argv[1] + "/listed.v4l2"):
    found = re.match(r"\s+(\w+) 0x\w+ \((int|int64|bool|menu|intmenu|bitmask)\)\s*:(.*)", line)
    if not found or "write-only" in line: continue
    name, kind, rest = found.groups()
    facts = dict(re.findall(r"(\w+)=(\S+)", rest))
    control = listed.pop(name)
    # v4l2-ctl prints a bitmask's limits as unsigned and its value as signed.
    number = lambda word: int(word, 0) & 0xFFFFFFFF if kind == "bitmask" else int(word)
    for fact, key in (("min", "minimum"), ("max", "maximum"), ("step", "step"), ("default", "default"), ("value", "value")):
        if fact in facts and (fact != "value" or not control["volatile"]): assert number(facts[fact]) == control[key], (line, control)
    assert ("read-only" in line) == control["read_only"], (line, control)
    compared += 1
assert compared > 15 and not listed, (compared, listed)
PYTHON
    equal "set, whatever the order" "$(tr '\n' ' ' < "$results/set.v4l2")" \
        "gain: 77 gain_automatic: 0 boolean: 0 menu: 4 (Menu Item 4) integer_menu: 5 (8 0x8) bitmask: -2143281136 integer_64_bits: -5000000000 "
    says readonly 2 "this control is read-only"
    says skipped 2 "2 is not a valid choice"
    says bits 2 "1 is not a valid value. Choose a combination of the bits in 2151686160."
    says profile 2 "cameras.desk.controls.read_only_integer_32_bits" "read-only"
}

inside_flagged_buffer() {
    start_one
    sleep 1
    v4l2-ctl -d /dev/video0 -c inject_v4l2_buf_flag_error=1
    ended r
}
outside_flagged_buffer() {
    recorded r
    equal "lost, duplicated" "$(desk lost) $(desk duplicated)" "{'driver': 1} 1"
}

inside_dropped_buffers() {
    v4l2-ctl -d /dev/video0 -c percentage_of_dropped_buffers=20
    start_one
    ended r
    v4l2-ctl -d /dev/video0 -c percentage_of_dropped_buffers=0
}
outside_dropped_buffers() {
    recorded r
    equal "causes" "$(json "$ledger" 'list(d["tracks"]["desk"]["lost"])')" "['bus']"
    within "a fifth of 90" "$(json "$ledger" 'd["tracks"]["desk"]["lost"]["bus"]')" 8 30
    # Frames dropped at the very end can't be detected from a later frame. The probability of six consecutive drops is 1 in
    # 15,000.
    within "captured and lost" "$(json "$ledger" 'd["tracks"]["desk"]["captured"] + d["tracks"]["desk"]["lost"]["bus"]')" 85 91
}

inside_refused_start() {
    v4l2-ctl -d /dev/video0 -c inject_vidioc_streamon_error=1
    refused start "$MULTICAM" record --profile "$RESULTS/one.yaml" --camera desk=/dev/video0 --duration 1 --output "$results/recordings"
}
outside_refused_start() {
    says start 3 /dev/video0
    check "no files are left behind" test -z "$(ls -A "$results/recordings")"
}

inside_broken_queue() {
    start_one
    sleep 1
    v4l2-ctl -d /dev/video0 -c inject_fatal_streaming_error=1
    ended r
}
outside_broken_queue() {
    recorded r
    equal "away and back" "$(events r '[(e["event"], e.get("cause")) for e in d if e["event"] in ("device-lost", "device-restored")]')" \
        "[('device-lost', 'the driver reported an error'), ('device-restored', None)]"
    within "a restart costs only a few frames" "$(json "$ledger" 'd["tracks"]["desk"]["captured"] - d["tracks"]["desk"]["decimated"]')" 80 90
    equal "and no slate" "$(desk slate)" 0
}

inside_disconnected() {
    cat > "$results/p.yaml" <<'YAML'
cameras:
  desk: { device: any, format: yuyv, size: 320x180, rate: 30 }
  face: { device: any, format: nv12, size: 320x180, rate: 30 }
tracks: { cameras: encode }
YAML
    start r --profile "$results/p.yaml" --camera desk=/dev/video0 --camera face=/dev/video1 --duration 3
    sleep 1
    v4l2-ctl -d /dev/video0 -c disconnect=1
    ended r
}
outside_disconnected() {
    recorded r
    # vivid reconnects itself once its node is closed by all programs.
    equal "gaps" "$(json "$ledger" '[gap[:2] for gap in d["gaps"]]')" "[['desk', 'unplugged']]"
    within "away for, s" "$(json "$ledger" 'd["gaps"][0][3] - d["gaps"][0][2]')" 0.1 2
    within "lost in that time" "$(json "$ledger" 'd["tracks"]["desk"]["lost"]["disconnected"] - 30 * (d["gaps"][0][3] - d["gaps"][0][2])')" -2 2
    equal "away and back" "$(events r '[e["event"] for e in d if e["event"] in ("device-lost", "device-restored")]')" "['device-lost', 'device-restored']"
    equal "the other camera" "$(json "$ledger" '[d["tracks"]["face"][key] for key in ("captured", "lost")]')" "[90, {}]"
}
