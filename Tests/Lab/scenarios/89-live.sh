# Device changes during a recording: another format, a track that ends and one that starts, a camera and a microphone that are
# added and removed. All other tracks are unaffected.
# lab: virtual-time timeout=300

ctl() { "$MULTICAM" ctl "$@"; }
told() { grep -q "$1" "$results/r.events"; }
back() { [ "$(grep -c 'camera desk is back' "$results/r.events")" = "$1" ]; }

inside() {
    export XDG_RUNTIME_DIR=/run
    cameras studio:1 controls:2 cheap:3
    sound
    cat > "$results/live.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 1280x720, rate: 30 }
  face: { device: any, size: 640x480, rate: 30 }
program: { size: 640x360, rate: 30, layout: pip, main: desk, inset: face, video: { preset: ultrafast } }
tracks: { cameras: copy }
YAML
    start r --profile "$results/live.yaml" --camera desk="$(node 2)" --camera face="$(node 1)" --duration 60
    sleep 1
    refused taken "$MULTICAM" ctl add guest "$(node 1)"
    refused range "$MULTICAM" ctl set desk brightness=9999
    refused size "$MULTICAM" ctl format desk 123x45
    refused owner setpriv --reuid=65534 --regid=65534 --clear-groups "$MULTICAM" ctl swap
    check "a control is set" ctl set desk zoom_absolute=200
    v4l2-ctl -d "$(node 2)" --get-ctrl=zoom_absolute > "$results/zoom"
    fault refuse 2
    check "another format is tried" ctl format desk 640x480
    wait_until 20 told 'continues with mjpeg 1280x720 at 30'
    sleep 1
    fault accept 2
    wait_until 20 back 1
    check "another format" ctl format desk 640x480
    wait_until 20 back 2
    check "a camera is taken in" ctl add guest "$(node 3)"
    wait_until 20 told '"track guest starts'
    check "it is shown" ctl swap guest
    refused sound "$MULTICAM" ctl add-microphone lapel "pulse:nothing"
    check "a microphone is taken in" ctl add-microphone lapel "pulse:$(mic 1)"
    wait_until 20 told '"track lapel starts'
    sleep 1
    check "its track ends" ctl stop-track lapel
    check "a track ends" ctl stop-track guest
    sleep 0.5
    equal "its camera continues" "$(nodes_open "$recorder" | grep -c "$(node 3)")" 1
    check "another begins" ctl start-track guest
    wait_until 20 told '"track guest.2 starts'
    check "a microphone's begins" ctl start-track lapel
    wait_until 20 told '"track lapel.2 starts'
    check "a camera is switched off" ctl disable desk
    sleep 1
    check "and on" ctl enable desk
    sleep 1.5
    check "it leaves" ctl remove guest
    sleep 0.5
    fault unplug 3
    sleep 0.5
    check "the end" ctl stop
    ended r
}

outside() {
    says taken 2 "which is already used for face"
    says range 2 "setting brightness" "is out of range"
    says size 2 "does not offer 123x45"
    says sound 2 nothing
    check "another user is not heard" test "$(cat "$results/owner.status")" != 0
    equal "the control" "$(cat "$results/zoom")" "zoom_absolute: 200"
    recorded r
    equal "face is unaffected" \
        "$(json "$manifest" '[(t["frames"]["lost"], t["frames"]["slate"]) for t in d["tracks"] if t["name"] == "face"]')" "[({}, 0)]"
    untouched face 1
    equal "whose gaps" "$(json "$manifest" 'sorted({g["track"] for g in d["gaps"]})')" "['desk', 'program']"
    # The first request was refused, as was the earlier format request, until the camera accepted formats again.
    equal "desk's" \
        "$(json "$manifest" '["refused" if "VIDIOC_S_FMT" in g["cause"] else g["cause"] for g in d["gaps"] if g["track"] == "desk"]')" \
        "['reconfigured: format desk 640x480', 'refused', 'reconfigured: format desk 640x480', 'reconfigured: disable desk']"
    equal "separate part" "$(json "$manifest" '[[(p["width"], p["height"]) for p in t["part_details"]] for t in d["tracks"] if t["name"] == "desk"]')" \
        "[[(640, 480)]]"
    equal "its size" "$(probe "$folder/cameras/desk-2.mov" v:0 width,height)" "640,480"
    equal "losses have causes" "$(json "$manifest" 'sorted({c for t in d["tracks"] if "frames" in t for c in t["frames"]["lost"]})')" "['disconnected', 'reconfigured']"
    equal "tracks" "$(json "$manifest" '[t["name"] for t in d["tracks"]]')" "['desk', 'face', 'guest', 'guest.2', 'lapel', 'lapel.2', 'program']"
    local name
    for name in guest guest.2; do
        check "$name: whole pictures" copied "$folder/cameras/$name.mov" > "$results/$name.json"
        equal "$name: whose" "$(json "$results/$name.json" 'd["cameras"]')" "[3]"
        equal "$name: lost" "$(json "$manifest" "[t['frames']['lost'] for t in d['tracks'] if t['name'] == '$name']")" "[{}]"
    done
    for name in lapel lapel.2; do
        equal "$name: its samples" "$(probe "$folder/audio/$name.wav" a:0 duration_ts)" \
            "$(json "$manifest" "[t['samples']['written'] for t in d['tracks'] if t['name'] == '$name'][0]")"
        equal "$name: no missing samples" "$(json "$manifest" "[t['samples']['silence'] for t in d['tracks'] if t['name'] == '$name']")" "[0]"
    done
    equal "it was seen" "$(json "$manifest" '[c["shown"] for c in d["changes"] if c["changes"] == ["swap guest"]]')" "[['guest', 'face']]"
    equal "unplugging it doesn't affect the recording" "$(grep '"device-lost"' "$results/r.events" | grep -c '"track":"guest"' | cat)" 0
}
