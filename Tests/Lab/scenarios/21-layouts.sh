# The other program layouts of the shipped profiles, with four cameras: checks the position and content of every frame.
# lab: virtual-time timeout=600 soak

inside() {
    cameras studio:1 cheap:2 studio:3 cheap:4
    sound
}

all_cameras() { # ROLE…: prints options that assign the cameras to these roles, in order
    local number=1 role
    for role in "$@"; do
        echo "--camera $role=$(node "$number")"
        number=$((number + 1))
    done
}

# --- two people: the program and all tracks

inside_interview() {
    record interview --profile interview --camera host="$(node 1)" --camera guest="$(node 2)" \
        --mic host-mic="pulse:$(mic 1)" --mic guest-mic="pulse:$(mic 2)" --duration 2
}
outside_interview() {
    recorded interview
    equal "tracks" "$(json "$ledger" 'sorted(d["tracks"])')" "['guest', 'guest-mic', 'host', 'host-mic', 'program']"
    equal "frames" "$(json "$ledger" '[d["tracks"][t]["written"] for t in ("host", "guest", "program")]')" "[60, 60, 60]"
    equal "lost" "$(json "$ledger" '[d["tracks"][t]["lost"] for t in ("host", "guest", "program")]')" "[{}, {}, {}]"
    untouched host 1
    untouched guest 2
    tone host-mic "$folder/audio/host-mic.wav" 1000
    tone guest-mic "$folder/audio/guest-mic.wav" 1500
    in_order main "$folder/program.mp4" 60
    in_order inset "$folder/program.mp4" 60 1402 772 480 270
    equal "whose picture is where" "$(whose "$folder/program.mp4" 480 540 1640 900)" 21
}

inside_side_by_side() {
    record sides --profile side-by-side --camera left="$(node 1)" --camera right="$(node 2)" --mic host="pulse:$(mic 1)" --duration 2
}
outside_side_by_side() {
    recorded sides
    equal "picture" "$(json "$ledger" '[d["tracks"]["program"][key] for key in ("width", "height", "written", "duplicated", "lost")]')" \
        "[1920, 1080, 60, 0, {}]"
    equal "up to the seam and from it on" "$(whose "$folder/program.mp4" 8 540 948 300 964 300 1904 540)" 1122
}

inside_grid() {
    # intentional word splitting
    record grid --profile grid $(all_cameras one two three four) --mic room="pulse:$(mic 3)" --duration 2
}
outside_grid() {
    recorded grid
    equal "picture" "$(json "$ledger" '[d["tracks"]["program"][key] for key in ("width", "height", "written", "duplicated", "lost")]')" \
        "[1280, 720, 60, 0, {}]"
    equal "row by row, up to the seams" "$(whose "$folder/program.mp4" 320 100 960 100 320 600 960 600 628 348 644 348 628 364 644 364)" 12341234
    tone "the third camera's microphone" "$folder/program.mp4" 2000
}

inside_every_cell() {
    cat > "$results/cells.yaml" <<'YAML'
cameras:
  one: { device: any, size: 640x480, rate: 30 }
  two: { device: any, size: 640x480, rate: 30 }
  three: { device: any, size: 640x480, rate: 30 }
program: { size: 1280x960, rate: 30, layout: grid, fit: contain }
YAML
    # intentional word splitting
    record cells --profile "$results/cells.yaml" $(all_cameras one two three) --duration 2
}
outside_every_cell() {
    recorded cells
    in_order one "$folder/program.mp4" 60 0 0 640 480
    in_order two "$folder/program.mp4" 60 640 0 640 480
    in_order three "$folder/program.mp4" 60 0 480 640 480
}

# --- a rotated camera: metadata in its track, rotated pixels in the program

inside_portrait() {
    cat > "$results/portrait.yaml" <<'YAML'
cameras:
  person: { device: any, size: 1280x720, rate: 30, rotation: 90 }
program: { size: 720x1280, rate: 30, layout: single, main: person }
tracks: { cameras: copy }
YAML
    record portrait --profile "$results/portrait.yaml" --camera person="$(node 2)" --duration 2
}
outside_portrait() {
    recorded portrait
    equal "the track's pixels" "$(json "$ledger" '[d["tracks"]["person"][key] for key in ("width", "height", "rotation")]')" "[1280, 720, 90]"
    equal "its tag" "$(ffprobe -v error -select_streams v:0 -show_entries stream_side_data=rotation -of csv=p=0 "$folder/cameras/person.mov")" -90
    untouched person 2
    equal "the program is upright" "$(json "$ledger" '[d["tracks"]["program"][key] for key in ("width", "height", "rotation")]')" "[720, 1280, 0]"
    strips --turned "$folder/program.mp4" > "$results/strips.json"
    equal "turned clockwise, readable" "$(json "$results/strips.json" 'd["readable"] >= 58, d["backwards"]')" "(True, 0)"
}

inside_shipped_portrait() {
    record upright --profile portrait --camera person="$(node 1)" --camera product="$(node 2)" --mic host="pulse:$(mic 1)" --duration 2
}
outside_shipped_portrait() {
    recorded upright
    equal "picture" "$(json "$ledger" '[d["tracks"]["program"][key] for key in ("width", "height", "written", "lost")]')" "[1080, 1920, 60, {}]"
    equal "whose picture is where" "$(whose "$folder/program.mp4" 200 1700 900 300)" 12
}

inside_single() {
    cat > "$results/single.yaml" <<'YAML'
cameras: { desk: { device: any, size: 1280x720, rate: 30 } }
microphones: { host: { device: default } }
program: { size: 1280x720, rate: 30, layout: single }
YAML
    record single --profile "$results/single.yaml" --camera desk="$(node 4)" --mic host="pulse:$(mic 4)" --duration 2
}
outside_single() {
    recorded single
    in_order program "$folder/program.mp4" 60
    equal "whose picture" "$(whose "$folder/program.mp4" 640 360)" 4
    tone program "$folder/program.mp4" 2500
    equal "no other files in the folder" "$(cd "$folder" && find . -type f | sort | tr '\n' ' ')" "./events.ndjson ./manifest.json ./program.mp4 ./report/sync.svg "
}
