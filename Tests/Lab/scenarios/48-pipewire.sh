# PipeWire speaks PulseAudio's protocol: two roles on one of its sources are captured once, a third comes and goes while it records.
# lab: virtual-time timeout=300

ctl() { "$MULTICAM" ctl "$@"; }
told() { grep -q "$1" "$results/r.events"; }

inside() {
    export XDG_RUNTIME_DIR=/run XDG_STATE_HOME=/tmp
    local program
    # As root, without a session: each notes what it cannot have, such as a priority.
    for program in pipewire wireplumber pipewire-pulse; do
        "$program" >> "$results/pipewire.log" 2>&1 &
        sleep 0.5
    done
    wait_until 20 pactl info
    pactl info > "$results/server"
    pactl load-module module-null-sink sink_name=two rate=48000 channels=2 > /dev/null
    ffmpeg -v error -re -f lavfi -i sine=frequency=700:sample_rate=48000 -f lavfi -i sine=frequency=1300:sample_rate=48000 \
        -filter_complex 'amerge=inputs=2' -t 60 -f pulse -device two tones > "$results/tones" 2>&1 &
    cat > "$results/two.yaml" <<'YAML'
microphones:
  host: { device: "pulse:two.monitor", pick: [1] }
  guest: { device: "pulse:two.monitor", pick: [2] }
tracks: { microphones: wav }
YAML
    sleep 2
    start r --profile "$results/two.yaml" --duration 8
    pactl list source-outputs > "$results/streams"
    check "a third is taken in" ctl add-microphone lapel pulse:two.monitor
    wait_until 20 told '"track lapel begins'
    sleep 1
    check "and taken out" ctl remove lapel
    ended r
}

outside() {
    check "the server" grep -q 'on PipeWire' "$results/server"
    recorded r
    equal "captured once" "$(grep -c '^Source Output' "$results/streams")" 1
    check "for production" grep -q 'media.role = "production"' "$results/streams"
    sounds host "$folder/audio/host.wav" 700 0 8
    sounds guest "$folder/audio/guest.wav" 1300 0 8
    equal "nothing is missing" "$(json "$manifest" '[t["samples"]["filled"] for t in d["tracks"]]')" "[0, 0, 0]"
    check "the third's track is a part of it" \
        test "$(json "$manifest" '[0 < t["first_ns"] < t["ended_ns"] < d["duration_ns"] for t in d["tracks"] if t["name"] == "lapel"]')" = "[True]"
}
