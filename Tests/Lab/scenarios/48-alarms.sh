# Reports when a microphone is muted at the sound server, and when its gain is too high: at the beginning and at the end.
# lab: virtual-time timeout=300

inside() {
    cameras studio:1
    sound
    local name
    name=$(mic 1)
    cat > "$results/p.yaml" <<YAML
microphones: { host: { device: "pulse:$name" } }
tracks: { microphones: wav }
YAML
    pactl set-source-mute "$name" 1
    start r --profile "$results/p.yaml"
    sleep 8
    pactl set-source-mute "$name" 0
    sleep 4
    pactl set-source-volume "$name" 400%
    sleep 3
    pactl set-source-volume "$name" 100%
    sleep 13
    kill -INT "$recorder"
    ended r
}

outside() {
    recorded r
    local alarms='[(e["alarm"], e["state"]) for e in d]'
    python3 -c 'import json, sys; print(json.dumps([e for e in map(json.loads, open(sys.argv[1])) if e["event"] in ("silence", "clipping")]))' \
        "$folder/events.ndjson" > "$results/alarms.json"
    check "message contains a solution" grep -q "Lower the gain" "$results/alarms.json"
    equal "alarms" "$(json "$results/alarms.json" "$alarms")" \
        "[('no-signal', 'begins'), ('no-signal', 'ends'), ('clipping', 'begins'), ('clipping', 'ends')]"
    within "it was muted for so long" "$(json "$results/alarms.json" 'd[1]["seconds"]')" 6 10
    equal "a muted one is below all levels" "$(json "$results/alarms.json" 'd[0]["level_dbfs"]')" None
    # PulseAudio clips at full scale; PipeWire uses floating point and reports the level above full scale.
    within "an overload is at full scale or above" "$(json "$results/alarms.json" 'd[2]["level_dbfs"]')" 0 36.2
    within "its seconds at full scale" "$(json "$manifest" 'd["tracks"][0]["samples"]["clipped"] / 48000')" 0.5 6
}
