# Two minutes, or MINUTES: tracks stay aligned, and memory doesn't grow.
# lab: virtual-time timeout=7200 soak

minutes=${MINUTES:-2}

inside() {
    cameras cheap:1
    sound
    cat > "$results/long.yaml" <<'YAML'
cameras: { desk: { device: any, size: 640x480, rate: 15 } }
microphones: { host: { device: default } }
YAML
    start long --profile "$results/long.yaml" --camera desk="$(node 1)" --mic host="pulse:$(mic 1)" --duration "${minutes}m"
    sleep 40
    cp "/proc/$recorder/status" "$results/early"
    sleep $((minutes * 60 - 60))
    cp "/proc/$recorder/status" "$results/late"
    ended long
}

outside_alignment() {
    results=$RESULTS
    recorded long
    equal "frames" "$(json "$ledger" '[d["tracks"]["desk"][key] for key in ("written", "slate", "lost")]')" "[$((minutes * 900)), 0, {}]"
    untouched desk 1
    # Half an interval of 66.7 ms, plus up to 4 ms from exposure to the driver's timestamp.
    within "earliest picture, ms" "$(json "$results/desk.copied" 'd["offset_ms"]["least"]')" -38 33.4
    within "latest picture, ms" "$(json "$results/desk.copied" 'd["offset_ms"]["most"]')" -38 33.4
}

outside_sound() {
    results=$RESULTS
    recorded long
    equal "silence, gaps" "$(json "$ledger" 'd["tracks"]["host"]["silence"], d["gaps"]')" "(0, [])"
    tone host "$folder/audio/host.wav" 1000
}

outside_memory() {
    within "growth from then on, KiB" $(($(resident late) - $(resident early))) -100000 1024
}
resident() { awk '$1 == "VmRSS:" { print $2 }' "$RESULTS/$1"; }
