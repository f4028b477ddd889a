# Replaces a role's camera repeatedly while recording, alternating between two models (ten times, or TIMES, an even number). Every
# length is exact, each frame belongs to one of the two cameras, missing frames are gaps with a cause, and the other tracks are
# unaffected.
# lab: virtual-time timeout=900 soak

replacements=${TIMES:-10}

ctl() { "$MULTICAM" ctl "$@"; }

inside() {
    export XDG_RUNTIME_DIR=/run
    cameras studio:1 controls:2 cheap:3
    sound
    cat > "$results/live.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 640x480, rate: 30 }
  face: { device: any, size: 640x480, rate: 30 }
program: { size: 640x360, rate: 30, layout: pip, main: desk, inset: face, video: { preset: ultrafast } }
tracks: { cameras: copy }
limits: none
YAML
    start r --profile "$results/live.yaml" --camera desk="$(node 2)" --camera face="$(node 1)" --duration 600
    sleep 1
    refused unknown "$MULTICAM" ctl replace-camera nobody "$(node 3)"
    refused same "$MULTICAM" ctl replace-camera desk "$(node 2)"
    refused taken "$MULTICAM" ctl replace-camera desk "$(node 1)"
    local count
    for ((count = 1; count <= replacements / 2; count++)); do
        check "replacement $count" ctl replace-camera desk "$(node 3)"
        sleep 0.5
        check "and back" ctl replace-camera desk "$(node 2)"
        sleep 0.5
    done
    equal "the other camera was let go" "$(nodes_open "$recorder" | grep -c "$(node 3)" | cat)" 0
    check "the end" ctl stop
    ended r
}

outside() {
    says unknown 2 "a camera “nobody”"
    says same 2 "already"
    says taken 2 "which is already used for face"
    recorded r
    equal "replacements" "$(json "$manifest" 'sum(c["changes"][0].startswith("replace-camera desk") for c in d["changes"])')" "$replacements"
    equal "devices" "$(json "$manifest" 'sum(x["role"] == "desk" for x in d["devices"])')" $((replacements + 1))
    equal "parts" "$(json "$manifest" '[len(t["parts"]) for t in d["tracks"] if t["name"] == "desk"]')" "[$replacements]"
    equal "tracks of one rate have one length" "$(json "$manifest" 'len({t["frames"]["written"] for t in d["tracks"] if "frames" in t})')" 1
    equal "it is that of the recording" "$(json "$manifest" 'round(d["duration_ns"] * 30 / 1e9) - d["tracks"][0]["frames"]["written"]')" 0
    equal "face is unaffected" \
        "$(json "$manifest" '[(t["frames"]["lost"], t["frames"]["slate"]) for t in d["tracks"] if t["name"] == "face"]')" "[({}, 0)]"
    untouched face 1
    equal "desk's losses have their cause" "$(json "$manifest" 'sorted({c for t in d["tracks"] for c in t.get("frames", {}).get("lost", {})} - {"reconfigured"})')" "[]"
    equal "and is in gaps" "$(json "$manifest" 'sorted({g["cause"].split(" /dev")[0] for g in d["gaps"]} - {"reconfigured: replace-camera desk"})')" "[]"
    local file sum=0
    for file in "$folder"/cameras/desk*.mov; do
        check "$(basename "$file"): whole pictures" copied "$file" > "$results/part.json"
        equal "of one camera" "$(json "$results/part.json" 'len(d["cameras"])')" 1
        sum=$((sum + $(ffprobe -v error -count_packets -select_streams v:0 -show_entries stream=nb_read_packets -of csv=p=0 "$file" | tr -d ,)))
    done
    equal "every frame is in one of the parts" "$sum" "$(json "$manifest" 'd["tracks"][0]["frames"]["written"]')"
}
