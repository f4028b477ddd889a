# Forcing a stop while an encoder is far behind. Runs in real time, because virtual time waits for encoders.
# lab: timeout=200 soak

inside() {
    cameras studio:1
    cat > "$results/slow.yaml" <<'YAML'
cameras: { desk: { device: any, size: 1920x1080, rate: 30 } }
program: { size: 3840x2160, rate: 30, layout: single, video: { preset: veryfast, quality: 10 } }
tracks: { cameras: copy }
YAML
    start r --profile "$results/slow.yaml" --camera desk="$(node 1)"
    sleep 3
    kill -INT "$recorder"
    sleep 1.2 # signals within one second count as one request
    kill -INT "$recorder" || fail "it was over before the second signal"
    ended r
}

outside() {
    recorded r 0 --abandoned
    check "message printed" grep -q "closing the files without waiting for the encoders" "$results/r.stderr"
    equal "outcome" "$(json "$ledger" 'd["outcome"]')" finished
    check "frames not reached by the encoder are in the ledger" test "$(json "$ledger" 'd["tracks"]["program"]["lost"]["encoder"]')" -gt 0
    # With this encoder load on a single CPU, the camera itself drops frames. All frames that it sent are recorded.
    check "desk: whole pictures" copied "$folder/cameras/desk.mov" > "$results/desk.json"
    # On a busy machine, the encoder may not have finished a single frame.
    [ "$(frames "$folder/program.mp4")" = N/A ] || equal "the program decodes" "$(ffmpeg -v error -i "$folder/program.mp4" -f null - 2>&1 | head -3)" ""
}
