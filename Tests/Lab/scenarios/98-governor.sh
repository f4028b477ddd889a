# Governor with real drivers when the computer gets hot: lower rate, smaller size, camera off, and full recovery.
# lab: virtual-time timeout=400 soak

# The lab's kernel lacks thermal zones, so add a simulated one to the other device classes.
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

# A single write, so that readers never see partial content.
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

# Copied tracks are originals and use little CPU time, so heat doesn't reduce them.
inside_copied() {
    with_both start copied --duration 14
    sleep 1
    temperature 96
    sleep 10
    temperature 50
    ended copied
}
outside_copied() {
    local role
    recorded copied
    equal "steps" "$(json "$folder/manifest.json" '", ".join(s["step"] for s in d["governor"])')" ""
    for role in desk face; do
        equal "$role: size" "$(probe "$folder/cameras/$role.mov" v:0 width,height)" 1280,720
        equal "$role: frames" "$(frames "$folder/cameras/$role.mov")" 420
        equal "$role: lost" "$(json "$folder/manifest.json" "[t for t in d['tracks'] if t['name'] == '$role'][0]['frames']['lost']")" "{}"
    done
}

# The camera is turned off as the last step, and on again, while the program continues.
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
