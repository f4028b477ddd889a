# Camera and program rates other than 30: all tracks have equal length, and frames are only duplicated or decimated.
# lab: virtual-time timeout=600 soak

inside() { cameras studio:1 cheap:2; }

# one SETTINGS: prints a profile with one copied camera
one() { echo "cameras: { desk: { device: any, $1 } }"; }

frames_of() { json "$ledger" "[d['tracks']['$1'][key] for key in ('written', 'captured', 'decimated', 'duplicated', 'slate', 'lost')]"; }

inside_rate_24() {
    one "size: 1280x720, rate: 24" > "$results/p.yaml"
    record r --profile "$results/p.yaml" --camera desk="$(node 1)" --duration 3
}
outside_rate_24() {
    recorded r
    equal "frames" "$(frames_of desk)" "[72, 72, 0, 0, 0, {}]"
    equal "rate in the file" "$(probe "$folder/cameras/desk.mov" v:0 r_frame_rate)" 24/1
    untouched desk 1
}

inside_rate_15() {
    one "size: 640x480, rate: 15" > "$results/p.yaml"
    record r --profile "$results/p.yaml" --camera desk="$(node 2)" --duration 3
}
outside_rate_15() {
    recorded r
    equal "frames" "$(frames_of desk)" "[45, 45, 0, 0, 0, {}]"
    untouched desk 2
}

# The camera offers 24 and 30; 24 is the nearest rate above the requested one, so every sixth frame is decimated.
inside_fast_camera() {
    one "size: 1280x720, rate: 20" > "$results/p.yaml"
    record r --profile "$results/p.yaml" --camera desk="$(node 1)" --duration 3
}
outside_fast_camera() {
    recorded r
    equal "frames" "$(json "$ledger" '[d["tracks"]["desk"][key] for key in ("written", "duplicated", "slate", "lost")]')" "[60, 0, 0, {}]"
    within "decimated" "$(json "$ledger" 'd["tracks"]["desk"]["decimated"]')" 11 13
    equal "the camera's rate" "$(json "$manifest" '[c["format"]["rate"] for c in d["devices"]]')" "[24]"
    untouched desk 1
}

# Raw 720p is limited to 10 frames per second, as over a real USB 2 bus.
inside_slow_camera() {
    echo "{ cameras: { desk: { device: any, format: yuyv, size: 1280x720, rate: 30 } }, tracks: { cameras: encode } }" > "$results/p.yaml"
    record r --profile "$results/p.yaml" --camera desk="$(node 1)" --duration 3
}
outside_slow_camera() {
    recorded r
    within "repeats" "$(json "$ledger" 'd["tracks"]["desk"]["duplicated"]')" 59 61
    equal "frames" "$(json "$ledger" '[d["tracks"]["desk"][key] for key in ("written", "decimated", "slate", "lost")]')" "[90, 0, 0, {}]"
    strips "$folder/cameras/desk.mov" > "$results/strips.json"
    equal "readable, skips, backwards" "$(json "$results/strips.json" 'd["readable"], d["skips"], d["backwards"]')" "(90, 0, 0)"
}

inside_slow_in_program() {
    cat > "$results/p.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 640x480, rate: 30 }
  face: { device: any, size: 640x480, rate: 15 }
program: { size: 640x480, rate: 30, layout: pip, main: desk, inset: face, scale: 0.5, margin: 0, corner: bottom-left }
YAML
    record r --profile "$results/p.yaml" --camera desk="$(node 1)" --camera face="$(node 2)" --duration 3
}
outside_slow_in_program() {
    recorded r
    equal "lost" "$(json "$ledger" 'd["tracks"]["program"]["written"], d["tracks"]["program"]["lost"]')" "(90, {})"
    in_order main "$folder/program.mp4" 90
    strips "$folder/program.mp4" 0 240 320 240 > "$results/strips.json"
    equal "inset: readable, skips, backwards" "$(json "$results/strips.json" 'd["readable"] >= 88, d["skips"], d["backwards"]')" "(True, 0, 0)"
    within "inset: each picture twice" "$(json "$results/strips.json" 'd["repeats"]')" 44 45
}

both() {
    cat > "$results/p.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 640x480, rate: 30 }
  face: { device: any, size: 640x480, rate: 15 }
YAML
}

inside_two_rates() {
    both
    record r --profile "$results/p.yaml" --camera desk="$(node 1)" --camera face="$(node 2)" --duration 3
}
outside_two_rates() {
    recorded r
    equal "frames" "$(frames_of desk) $(frames_of face)" "[90, 90, 0, 0, 0, {}] [45, 45, 0, 0, 0, {}]"
    equal "durations" "$(probe "$folder/cameras/desk.mov" v:0 duration) $(probe "$folder/cameras/face.mov" v:0 duration)" "3.000000 3.000000"
    untouched desk 1
    untouched face 2
}

# 3.1 s are 46.5 frames at 15 fps.
inside_uneven_end() {
    both
    record r --profile "$results/p.yaml" --camera desk="$(node 1)" --camera face="$(node 2)" --duration 3.1
}
outside_uneven_end() {
    recorded r
    equal "frames" "$(frames_of desk) $(frames_of face)" "[93, 93, 0, 0, 0, {}] [47, 47, 0, 0, 0, {}]"
    # The slower camera's last frame starts within the session and lasts a whole interval.
    equal "durations" "$(probe "$folder/cameras/desk.mov" v:0 duration) $(probe "$folder/cameras/face.mov" v:0 duration)" "3.100000 3.133333"
    untouched desk 1
    untouched face 2
}
