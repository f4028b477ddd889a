#!/usr/bin/env python3
"""check-metadata.py SESSION-FOLDER ROLE

Checks a camera's metadata file against the manifest, and the camera's own clock (48 MHz, 32 bits) against the timestamps.
Prints a JSON report; exits with status 1 and complaints if they disagree.
"""
import json
import sys

folder, role = sys.argv[1:]
manifest = json.load(open(f"{folder}/manifest.json"))
device = next(d for d in manifest["devices"] if d["role"] == role)
frames = next(t["frames"] for t in manifest["tracks"] if t["name"] == role)
lines = [json.loads(line) for line in open(f"{folder}/{device['metadata']}")]
# The results of a frame's search follow the line of the frame.
lines = [line for line in lines if "faces" not in line and "codes" not in line]
complaints = []


def complain(condition, text):
    if condition:
        complaints.append(text)


good = [line for line in lines if "lost" not in line]
lost = {}
for line in lines:
    if "lost" in line:
        lost[line["lost"]] = lost.get(line["lost"], 0) + line.get("count", 1)
# The frame of tick 0 may have been captured up to half an interval before T0; a frame after the final tick isn't used.
complain(abs(len(good) - frames["captured"]) > 1, f"{len(good)} lines of pictures, {frames['captured']} captured")
complain(lost.keys() != frames["lost"].keys(), f"lost {lost}, in the ledger {frames['lost']}")
for cause, count in frames["lost"].items():
    complain(abs(lost.get(cause, 0) - count) > 1, f"{lost.get(cause)} lost to {cause}, {count} in the ledger")
complain(any(not 0 <= line["captured_ns"] < manifest["duration_ns"] for line in lines), "a line outside of the recording")
sequences = [line["sequence"] for line in good]
complain(sequences != sorted(set(sequences)), "sequences do not grow")
complain(any(line["arrival_ns"] < line["stamp_ns"] for line in good), "a picture that arrived before its stamp")

# The camera's clock, unwrapped. A frame's packets are sent after the exposure that they describe.
t0, frequency, turn = manifest["t0_monotonic_ns"], 48_000_000, 1 << 32
clocked = [line for line in good if "uvc" in line]
points, count, previous = [], None, None
for line in clocked:
    uvc = line["uvc"]
    complain(set(uvc) != {"pts", "stc", "sof", "host_ns", "host_sof"}, f"fields {sorted(uvc)}")
    step = (uvc["pts"] - previous) % turn if previous is not None else 0
    complain(previous is not None and not 0 < step < turn // 2, "the camera's clock does not grow")
    count, previous = (count or 0) + step, uvc["pts"]
    points.append((line["stamp_ns"] / 1e9, count / frequency))
    complain((uvc["stc"] - uvc["pts"]) % turn > frequency // 10, "the packet left 0.1 s after the exposure, or before it")
    complain(not -5_000_000 <= uvc["host_ns"] - t0 - line["stamp_ns"] <= 20_000_000, "the driver's two clocks disagree")

largest, ppm = 0.0, 0.0
if len(points) > 1:
    steps = [(b[0] - a[0]) - (b[1] - a[1]) for a, b in zip(points, points[1:])]
    largest = max(abs(step) for step in steps)
    ppm = ((points[-1][1] - points[0][1]) / (points[-1][0] - points[0][0]) - 1) * 1e6

report = {
    "lines": len(lines), "pictures": len(good), "lost": lost, "with_clock": len(clocked),
    "without_clock": len(good) - len(clocked), "largest_step_us": round(largest * 1e6), "ppm": round(ppm, 1),
    "complaints": sorted(set(complaints)),
}
json.dump(report, sys.stdout)
print()
sys.exit(bool(complaints))
