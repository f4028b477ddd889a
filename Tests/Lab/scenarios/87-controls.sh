# Controls with real drivers: listed as by v4l2-ctl, set in a valid order, refused with a clear message, restored after a replug,
# copied from camera to camera, saved as presets. Also stills.
# lab: virtual-time timeout=300

v4l2() { v4l2-ctl -d "$(node "$1")" --get-ctrl="$2" | tr '\n' ' '; } # PORT NAME,NAME…

inside() {
    cameras controls:1 controls:2 dark:3
    export XDG_STATE_HOME=$results/state
    local desk face
    desk=$(node 1) face=$(node 2)

    v4l2-ctl -d "$desk" -l > "$results/listed.v4l2"
    "$MULTICAM" controls "$desk" --json > "$results/listed.json"
    "$MULTICAM" controls "$desk" > "$results/listed"

    # Manual values first, the automatic modes that manage them last.
    "$MULTICAM" controls "$desk" focus_absolute=50 exposure_time_absolute=333 white_balance_temperature=5100 brightness=7 gain=40 \
        auto_exposure=manual focus_automatic_continuous=off white_balance_automatic=off --save bench > "$results/set"
    v4l2 1 focus_absolute,focus_automatic_continuous,exposure_time_absolute,brightness > "$results/set.v4l2"

    refused unknown "$MULTICAM" controls "$desk" focus=3
    refused range "$MULTICAM" controls "$desk" focus_absolute=51
    refused menu "$MULTICAM" controls "$desk" power_line_frequency=loud
    refused governed "$MULTICAM" controls "$face" focus_absolute=50
    refused permission "${nobody[@]}" "$MULTICAM" controls "$desk" brightness=9
    refused missing "$MULTICAM" controls /dev/video77
    v4l2 1 brightness,focus_absolute > "$results/untouched.v4l2"

    # Controls set by the profile are applied again after a replug, and face receives the controls of desk.
    cat > "$results/match.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 640x480, rate: 30, controls: { brightness: 20 } }
  face: { device: any, size: 640x480, rate: 30, match: desk }
YAML
    start match --profile "$results/match.yaml" --camera desk="$desk" --camera face="$face" --duration 8
    v4l2 2 auto_exposure,exposure_time_absolute,gain,white_balance_temperature,focus_automatic_continuous > "$results/matched.v4l2"
    "$MULTICAM" snapshot --recording desk > "$results/recorded.still"
    fault unplug 1
    fault unplug 2
    sleep 1
    fault plug 1
    fault plug 2
    wait_until 20 sh -c "[ \$(grep -c '\"device-restored\"' $results/match.events) = 2 ]"
    v4l2 1 brightness,exposure_time_absolute,auto_exposure > "$results/replugged-desk.v4l2"
    v4l2 2 auto_exposure,exposure_time_absolute,gain,white_balance_temperature,focus_automatic_continuous > "$results/replugged.v4l2"
    ended match

    # Unplugging resets all controls except those saved as a preset.
    fault unplug 1
    wait_until 10 absent 1
    fault plug 1@4
    wait_until 20 present 4
    v4l2 4 focus_absolute,brightness > "$results/forgotten.v4l2"
    "$MULTICAM" controls "$(node 4)" --load bench > "$results/loaded"
    v4l2 4 focus_absolute,focus_automatic_continuous,exposure_time_absolute,brightness > "$results/loaded.v4l2"
    "$MULTICAM" controls "$(node 4)" --reset > "$results/reset"
    v4l2 4 auto_exposure,brightness,gain,focus_automatic_continuous > "$results/reset.v4l2"

    # A webcam's frame rate is locked unless the profile allows it to drop, and the manifest records that.
    echo 'cameras: { room: { device: any, size: 640x480, rate: 30 } }' > "$results/room.yaml"
    record room --profile "$results/room.yaml" --camera room="$(node 3)" --duration 1
    v4l2 3 exposure_dynamic_framerate > "$results/locked.v4l2"

    "$MULTICAM" controls "$(node 4)" auto_exposure=manual exposure_time_absolute=40 > "$results/exposure"
    "$MULTICAM" snapshot "$(node 4)" --live 1s --output "$results/stills" --json > "$results/still.json"
}

outside() {
    local manifest=$results/recordings/match/manifest.json
    python3 - "$results" <<'PYTHON' || fail "the list is not that of v4l2-ctl"
import json, re, sys
listed = json.load(open(sys.argv[1] + "/listed.json"))["controls"]
names = set(re.findall(r"^\s+(\w+) 0x", open(sys.argv[1] + "/listed.v4l2").read(), re.M))
assert {control["name"] for control in listed} == names, (names, listed)
focus = [control for control in listed if control["name"] == "focus_absolute"][0]
assert (focus["minimum"], focus["maximum"], focus["step"], focus["inactive"]) == (0, 250, 5, True), focus
PYTHON
    check "range and governor" grep -q "^focus_absolute .*0…250 in steps of 5, default 0; controlled by focus_automatic_continuous" "$results/listed"

    equal "set, whatever the order" "$(cat "$results/set.v4l2")" \
        "brightness: 7 focus_absolute: 50 focus_automatic_continuous: 0 exposure_time_absolute: 333 "
    says unknown 2 "does not have this control" "focus_absolute, focus_automatic_continuous"
    says range 2 "51 is out of range. Choose 0 to 250 in steps of 5."
    says menu 2 "loud is not a valid choice. Choose 0 (Disabled), 1 (50 Hz), 2 (60 Hz)."
    says governed 2 "Also set focus_automatic_continuous=0."
    says permission 4 "usermod"
    says missing 3 /dev/video77
    equal "a refused request changes nothing" "$(cat "$results/untouched.v4l2")" "brightness: 7 focus_absolute: 50 "

    local matched="gain: 40 white_balance_temperature: 5100 auto_exposure: 1 (Manual Mode) exposure_time_absolute: 333 focus_automatic_continuous: 0 "
    equal "face follows desk" "$(cat "$results/matched.v4l2")" "$matched"
    equal "face after its replug" "$(cat "$results/replugged.v4l2")" "$matched"
    equal "desk after its replug" "$(cat "$results/replugged-desk.v4l2")" "brightness: 20 exposure_time_absolute: 333 auto_exposure: 1 (Manual Mode) "
    recorded match
    equal "a still out of it has desk's exposure" \
        "$(exiftool -s3 -n -ImageDescription -ImageSize -ExposureTime "$results/recordings/match/stills/$(basename "$(cat "$results/recorded.still")")" | tr '\n' '|')" \
        "desk|640 480|0.0333|"
    equal "who wanted it" "$(json "$manifest" "sorted({c['origin'] for d in d['devices'] for c in d['controls']})")" "['asked', 'match', 'rate-lock']"
    equal "as asked" "$(json "$manifest" "[c for d in d['devices'] for c in d['controls'] if c['asked'] != c.get('value') or 'refused' in c]")" "[]"

    equal "unplugged it forgets" "$(cat "$results/forgotten.v4l2")" "brightness: 128 focus_absolute: 0 "
    equal "loaded at another port" "$(cat "$results/loaded.v4l2")" \
        "brightness: 7 focus_absolute: 50 focus_automatic_continuous: 0 exposure_time_absolute: 333 "
    equal "reset" "$(cat "$results/reset.v4l2")" "brightness: 128 gain: 0 auto_exposure: 3 (Aperture Priority Mode) focus_automatic_continuous: 1 "

    recorded room
    equal "the rate is locked" "$(cat "$results/locked.v4l2")" "exposure_dynamic_framerate: 0 "
    equal "recorded in the manifest" \
        "$(json "$manifest" "[(c['name'], c['value'], c['origin']) for c in d['devices'][0]['controls']]")" \
        "[('exposure_dynamic_framerate', 0, 'rate-lock')]"

    local still clip
    still=$results/$(json "$results/still.json" "'stills/' + d['file'].split('/')[-1]")
    clip=$results/$(json "$results/still.json" "'stills/' + d['clip'].split('/')[-1]")
    equal "the still is as large as the camera's largest" "$(exiftool -s3 -ImageSize "$still")" "1280x720"
    equal "its model, maker, exposure" "$(exiftool -s3 -n -Model -ExposureTime -ExposureMode "$still" | tr '\n' ' ')" "Adjustable Webcam 0.004 1 "
    equal "valid file" "$(exiftool -s3 -n -Validate "$still")" "0 0 0"
    check "the camera's own picture: its mark is there" sh -c "exiftool -s3 -Comment '$still' | grep -q ^LAB1"
    check "the clip has the camera's own pictures" copied "$clip" > "$results/clip.json"
    within "pictures of a clip of 1 s" "$(json "$results/clip.json" 'd["frames"]')" 27 31
}
