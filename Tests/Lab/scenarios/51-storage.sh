# Recorder killed, disk full, folder locked.
# lab: virtual-time timeout=600

inside() {
    cameras studio:1 cheap:2
    sound
    cat > "$results/all.yaml" <<'YAML'
cameras:
  desk: { device: any, size: 1280x720, rate: 30 }
  face: { device: any, size: 640x480, rate: 30 }
microphones:
  host: { device: default }
program: { size: 640x480, rate: 30, layout: pip, main: desk, inset: face, scale: 0.25 }
tracks: { cameras: copy, microphones: wav }
YAML
    echo "cameras: { desk: { device: any, size: 640x480, rate: 30 } }" > "$results/one.yaml"
}
all() { echo "--profile $RESULTS/all.yaml --camera desk=$(node 1) --camera face=$(node 2) --mic host=pulse:$(mic 1)"; }

inside_killed() {
    start r $(all)
    sleep 5
    kill -KILL "$recorder"
    cut -d ' ' -f 1 /proc/uptime > "$results/killed"
    wait "$recorder" || true
}
outside_killed() {
    folder=$results/recordings/r
    manifest=$folder/manifest.json
    equal "outcome" "$(json "$manifest" 'd["outcome"]')" recording
    local recorded file
    recorded=$(json "$manifest" "$(cat "$results/killed") - d['t0_monotonic_ns'] / 1e9")
    for file in cameras/desk.mov cameras/face.mov program.mp4; do
        # ffprobe doesn't report a codec for the timecode track.
        equal "$file: no ffprobe warnings" "$(ffprobe -v warning "$folder/$file" 2>&1 | grep -v "Unsupported codec with id 0" | head -3)" ""
        within "$file: frames of $recorded s" "$(frames "$folder/$file")" "$(python3 -c "print(int(($recorded - 1) * 30))")" 160
    done
    within "sound: seconds of $recorded" "$(ffprobe -v error -show_entries format=duration -of csv=p=0 "$folder/audio/host.wav")" \
        "$(python3 -c "print($recorded - 1)")" 5.5
    check "desk: whole pictures" copied "$folder/cameras/desk.mov" > "$results/desk.json"
    check "face: whole pictures" copied "$folder/cameras/face.mov" > "$results/face.json"
    equal "no missing frames" "$(json "$results/desk.json" 'd["missing"]') $(json "$results/face.json" 'd["missing"]')" "[] []"
    equal "the program decodes" "$(ffmpeg -v error -i "$folder/program.mp4" -f null - 2>&1 | head -3)" ""
    strips "$folder/program.mp4" > "$results/strips.json"
    equal "in order" "$(json "$results/strips.json" 'd["skips"], d["backwards"]')" "(0, 0)"
    tone host "$folder/audio/host.wav" 1000
}

inside_full_disk() {
    mkdir /run/small
    mount -t tmpfs -o size=20m tmpfs /run/small
    # intentional word splitting
    output=/run/small start r $(all)
    ended r 7
    mkdir "$results/recordings"
    cp -r /run/small/r "$results/recordings/"
}
outside_full_disk() {
    recorded r 7
    equal "outcome" "$(json "$ledger" 'd["outcome"]')" storage-failed
    local role seconds file
    for role in desk face; do
        copied "$folder/cameras/$role.mov" > "$results/$role.json" || fail "$role: $(json "$results/$role.json" 'd["damaged"], d["backwards"]')"
        equal "$role: no missing frames" "$(json "$results/$role.json" 'd["missing"], d["repeats"]')" "([], 0)"
        equal "$role: the disk took everything" "$(json "$ledger" "d['tracks']['$role']['lost'].get('disk', 0)")" 0
    done
    equal "the program decodes" "$(ffmpeg -v error -i "$folder/program.mp4" -f null - 2>&1 | head -3)" ""
    tone host "$folder/audio/host.wav" 1000
    seconds=$(json "$folder/manifest.json" "round(d['duration_ns'] / 1e6)")
    for file in cameras/desk.mov cameras/face.mov program.mp4 audio/host.wav; do
        within "$file: milliseconds of $seconds" \
            "$(python3 -c "print(round(1000 * $(ffprobe -v error -show_entries format=duration -of csv=p=0 "$folder/$file")))")" "$((seconds - 1))" "$((seconds + 1))"
    done
    equal "one message with cause and solution" "$(grep -c 'the disk is full except for the space reserved to complete the files.*Free some space' "$results/r.stderr")" 1
    equal "every file is whole" "$("$MULTICAM" verify "$folder" | grep -c '^unchanged since recording: ')" 4
}

inside_locked_folder() {
    mkdir -m 755 /run/locked
    chmod 666 /dev/video*
    refused locked "${nobody[@]}" "$MULTICAM" record --profile "$RESULTS/one.yaml" --camera desk="$(node 2)" --duration 1 --output /run/locked/recordings
    ls -A /run/locked > "$results/left"
}
outside_locked_folder() {
    says locked 4 /run/locked
    equal "left behind" "$(cat "$results/left")" ""
}

inside_impossible_folder() {
    refused file "$MULTICAM" record --profile "$RESULTS/one.yaml" --camera desk="$(node 2)" --duration 1 --output "$RESULTS/one.yaml/recordings"
    mkdir /run/frozen
    mount -t tmpfs -o ro tmpfs /run/frozen
    refused frozen "$MULTICAM" record --profile "$RESULTS/one.yaml" --camera desk="$(node 2)" --duration 1 --output /run/frozen/recordings
}
outside_impossible_folder() {
    says file 2 one.yaml
    says frozen 7 /run/frozen
}
