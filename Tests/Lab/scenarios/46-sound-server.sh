# The sound server dies three times within a minute and is restarted. The track is one minute long and silent while the server was
# down. After each restart, audio is aligned, as verified against the manifest's T0 and the camera's clock, which logs when its
# microphone was muted.
# lab: virtual-time timeout=400

inside() {
    cameras cheap:1
    sound
    cat > "$results/p.yaml" <<'YAML'
cameras: { desk: { device: any, size: 640x480, rate: 15 } }
microphones: { host: { device: default } }
YAML
    start r --profile "$results/p.yaml" --camera desk="$(node 1)" --mic host="pulse:$(mic 1)" --duration 60
    local away
    for away in 1 3 6; do
        sleep 6
        fault thaw 1 # no effect except logging the time
        kill_sound
        sleep $away
        fault thaw 1
        sound
        sleep 5
        fault mute 1
        sleep 1
        fault unmute 1
    done
    ended r
}

outside() {
    recorded r
    equal "samples" "$(json "$ledger" 'd["tracks"]["host"]["written"]')" 2880000
    equal "gaps" "$(json "$ledger" '[gap[:2] for gap in d["gaps"]]')" \
        "[['host', 'the connection to the sound server was lost'], ['host', 'the connection to the sound server was lost'], ['host', 'the connection to the sound server was lost']]"
    "$LAB/tools/measure-tone.py" "$folder/audio/host.wav" > "$results/tone.json"
    equal "only this microphone's tone" "$(json "$results/tone.json" '{round(f) for _, _, f in d["stretches"]}')" "{1000}"
    equal "stretches" "$(json "$results/tone.json" 'len(d["stretches"])')" 7

    # For each edge: its delay in the track relative to the actual time, in seconds.
    python3 - "$results" "$manifest" <<'PYTHON' > "$results/edges.json"
import json, sys
results, manifest = sys.argv[1], json.load(open(sys.argv[2]))
heard = [edge for stretch in json.load(open(f"{results}/tone.json"))["stretches"] for edge in stretch[:2]]
noted = [((int(line.split()[0]) - manifest["t0_monotonic_ns"]) / 1e9, line.split()[1]) for line in open(f"{results}/cameras.log") if len(line.split()) == 3]
edges = {"killed": [], "returned": [], "muted": [], "unmuted": []}
for index in range(3):
    killed, started, muted, unmuted = (time for time, _ in noted[4 * index : 4 * index + 4])
    silence, sound, mute, unmute = heard[4 * index + 1 : 4 * index + 5]
    for name, at, found in (("killed", killed, silence), ("returned", started, sound), ("muted", muted, mute), ("unmuted", unmuted, unmute)):
        edges[name].append(round(found - at, 3))
edges["gaps"] = [round(abs(gap["from_ns"] / 1e9 - heard[4 * i + 1]) + abs(gap["to_ns"] / 1e9 - heard[4 * i + 2]), 3) for i, gap in enumerate(manifest["gaps"])]
print(json.dumps(edges))
PYTHON
    cat "$results/edges.json"
    local name
    for name in muted unmuted; do # detected in slices of 10 ms, logged when a packet of a few ms is made
        within "$name: earliest" "$(json "$results/edges.json" "min(d['$name'])")" -0.03 0.03
        within "$name: latest" "$(json "$results/edges.json" "max(d['$name'])")" -0.03 0.03
    done
    # Audio that the dead server hadn't delivered is lost. multicam looks for the new server every half second.
    within "killed: earliest" "$(json "$results/edges.json" 'min(d["killed"])')" -0.1 0.02
    within "killed: latest" "$(json "$results/edges.json" 'max(d["killed"])')" -0.1 0.02
    within "returned: earliest" "$(json "$results/edges.json" 'min(d["returned"])')" -0.02 1
    within "returned: latest" "$(json "$results/edges.json" 'max(d["returned"])')" -0.02 1
    within "the manifest's gaps against the silence" "$(json "$results/edges.json" 'max(d["gaps"])')" 0 0.06
    equal "the camera" "$(json "$ledger" '[d["tracks"]["desk"][key] for key in ("captured", "lost")]')" "[900, {}]"
    untouched desk 1
}
