# What the governor makes of real drivers when the computer becomes hot: another rate, another size, off, and all of it back.
# lab: virtual-time timeout=400

# The kernel of the lab has no thermal zone, so one is put beside the other classes of devices.
thermal_zone() {
    local zone=/tmp/class/thermal/thermal_zone0
    mkdir -p /tmp/class
    cp -a /sys/class/. /tmp/class/ 2> /dev/null
    mkdir -p "$zone"
    echo passive > "$zone/trip_point_0_type"
    echo 80000 > "$zone/trip_point_0_temp"
    echo critical > "$zone/trip_point_1_type"
    echo 100000 > "$zone/trip_point_1_temp"
    temperature 50
    mount --bind /tmp/class /sys/class
}

# In one write, so that nobody reads half of it.
temperature() { echo "${1}000" > /tmp/class/thermal/thermal_zone0/temp; }

inside() {
    cameras studio:1 cheap:2
    thermal_zone
    cat > "$RESULTS/copied.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 1280x720, rate: 30 }
  face: { device: any, size: 1280x720, rate: 30 }
YAML
    cat > "$RESULTS/fixed.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 640x480, rate: 30 }
  face: { device: any, size: 640x480, rate: 30 }
program: { size: 640x360, rate: 30, layout: side-by-side, main: desk, inset: face, video: { preset: ultrafast } }
budget: { floors: { size: 640x480, rate: 30 } }
YAML
}

with_both() { "${@:1:2}" --profile "$RESULTS/$2.yaml" --camera desk="$(node 1)" --camera face="$(node 2)" "${@:3}"; }
governed() { grep -c '"event":"governor"' "$results/$1.events"; }
at_least() { [ "$(governed "$1")" -ge "$2" ]; }

# Rates and sizes, and the copied tracks in parts.
inside_copied() {
    with_both start copied --duration 52
    sleep 1
    temperature 96
    wait_until 30 at_least copied 4
    temperature 50
    ended copied
}
outside_copied() {
    local role
    recorded copied
    equal "steps" "$(json "$folder/manifest.json" '", ".join(s["step"] for s in d["governor"])')" \
        "face rate 30 → 15, desk rate 30 → 15, face size 1280x720 → 640x480, desk size 1280x720 → 640x480, desk size 640x480 → 1280x720, face size 640x480 → 1280x720, desk rate 15 → 30, face rate 15 → 30"
    check "each has a reason" test "$(json "$folder/manifest.json" 'all("°C" in s["reason"] or "room again" in s["reason"] for s in d["governor"])')" = True
    for role in desk face; do
        equal "$role: its sizes" \
            "$(for part in "$role" "$role-2" "$role-3"; do probe "$folder/cameras/$part.mov" v:0 width,height; done | tr '\n' ' ')" \
            "1280,720 640,480 1280,720 "
        equal "$role: frames in all" \
            "$(($(frames "$folder/cameras/$role.mov") + $(frames "$folder/cameras/$role-2.mov") + $(frames "$folder/cameras/$role-3.mov")))" 1560
        equal "$role: written" "$(json "$folder/manifest.json" "[t for t in d['tracks'] if t['name'] == '$role'][0]['frames']['written']")" 1560
        equal "$role: lost only by the governor" \
            "$(json "$folder/manifest.json" "list([t for t in d['tracks'] if t['name'] == '$role'][0]['frames']['lost'])")" "['governor']"
        equal "$role: gaps" "$(json "$folder/manifest.json" "len([g for g in d['gaps'] if g['track'] == '$role'])")" 4
        within "$role: the longest gap, s" \
            "$(json "$folder/manifest.json" "max((g['to_ns'] - g['from_ns']) / 1e9 for g in d['gaps'] if g['track'] == '$role')")" 0.03 1
    done
}

# Off when nothing else is left, and on again, with the program going on.
inside_fixed() {
    with_both start fixed --duration 42
    sleep 1
    temperature 96
    wait_until 30 grep -q 'face on → off' "$results/fixed.events"
    sleep 2
    temperature 50
    ended fixed
}
outside_fixed() {
    recorded fixed
    equal "steps" "$(json "$folder/manifest.json" '", ".join(s["step"] for s in d["governor"])')" \
        "decoding full → half size, face on → off, face off → on, decoding half size → full"
    equal "frames of the program" "$(frames "$folder/program.mp4")" 1260
    equal "one gap" "$(json "$folder/manifest.json" '[g["cause"][:26] for g in d["gaps"]]')" "['governor: face on → off: t']"
    within "the gap, s" "$(json "$folder/manifest.json" '(d["gaps"][0]["to_ns"] - d["gaps"][0]["from_ns"]) / 1e9')" 10 25
}
