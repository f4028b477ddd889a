# Devices change while a recording runs: another format, a track that ends and one that begins, a camera and a microphone that come and
# go. What is not named goes on as if nothing was.
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
    wait_until 20 told 'goes on in mjpeg 1280x720 at 30, since it did not take it'
    sleep 1
    fault accept 2
    wait_until 20 back 1
    check "another format" ctl format desk 640x480
    wait_until 20 back 2
    check "a camera is taken in" ctl add guest "$(node 3)"
    wait_until 20 told '"track guest begins'
    check "it is shown" ctl swap guest
    refused sound "$MULTICAM" ctl add-microphone lapel "pulse:nothing"
    check "a microphone is taken in" ctl add-microphone lapel "pulse:$(mic 1)"
    wait_until 20 told '"track lapel begins'
    sleep 1
    check "its track ends" ctl end lapel
    check "a track ends" ctl end guest
    sleep 0.5
    equal "its camera goes on" "$(nodes_open "$recorder" | grep -c "$(node 3)")" 1
    check "another begins" ctl begin guest
    wait_until 20 told '"track guest.2 begins'
    check "a microphone's begins" ctl begin lapel
    wait_until 20 told '"track lapel.2 begins'
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
    says taken 2 "the camera that face has already"
    says range 2 "setting brightness" "is not possible"
    says size 2 "does not offer 123x45"
    says sound 2 nothing
    check "another user is not heard" test "$(cat "$results/owner.status")" != 0
    equal "the control" "$(cat "$results/zoom")" "zoom_absolute: 200"
    recorded r
    equal "face was not named, and lost nothing" \
        "$(json "$manifest" '[(t["frames"]["lost"], t["frames"]["slate"]) for t in d["tracks"] if t["name"] == "face"]')" "[({}, 0)]"
    untouched face 1
    equal "whose gaps" "$(json "$manifest" 'sorted({g["track"] for g in d["gaps"]})')" "['desk', 'program']"
    # The first one was refused, like the format before it until the camera would again.
    equal "desk's" \
        "$(json "$manifest" '["refused" if "VIDIOC_S_FMT" in g["cause"] else g["cause"] for g in d["gaps"] if g["track"] == "desk"]')" \
        "['change: format desk 640x480', 'refused', 'change: format desk 640x480', 'change: disable desk']"
    equal "a part of its own" "$(json "$manifest" '[[(p["width"], p["height"]) for p in t["part_details"]] for t in d["tracks"] if t["name"] == "desk"]')" \
        "[[(640, 480)]]"
    equal "its size" "$(probe "$folder/cameras/desk-2.mov" v:0 width,height)" "640,480"
    equal "what is lost has a cause" "$(json "$manifest" 'sorted({c for t in d["tracks"] if "frames" in t for c in t["frames"]["lost"]})')" "['away', 'change']"
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
        equal "$name: nothing is missing" "$(json "$manifest" "[t['samples']['filled'] for t in d['tracks'] if t['name'] == '$name']")" "[0]"
    done
    equal "it was seen" "$(json "$manifest" '[c["shown"] for c in d["changes"] if c["changes"] == ["swap guest"]]')" "[['guest', 'face']]"
    equal "that it was unplugged is nothing to the recording" "$(grep '"unplug"' "$results/r.events" | grep -c '"track":"guest"' | cat)" 0
}
