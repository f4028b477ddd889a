#!/usr/bin/env python3
"""Compares a copied track's outages in the manifest with those shown by its frames and by the log of cable events.

Usage: compare-outages.py FILE MANIFEST TRACK CAMERAS-LOG CAMERA

Every lab camera frame contains its exposure time. An outage is a distance of more than five intervals between two successive
frames in the file. Prints JSON:

    outages     according to the frames        gaps        according to the manifest     unplugged    according to the log
    begin_ms    distance from a gap's begin to the first missing frame: minimum and maximum
    end_ms      distance from a gap's end to the first frame after it
    cable_ms    delay from unplugging to the gap's begin: not before the last frame's interval, and only a short delay
    back_ms     delay from plugging in to the first frame: median and maximum

Exit status 1 if the three counts differ, or if a begin or end is off by more than two intervals.
"""
import importlib.machinery
import importlib.util
import json
import os
import statistics
import sys

loader = importlib.machinery.SourceFileLoader("verify", os.path.join(os.path.dirname(__file__), "verify-copied.py"))
verify = importlib.util.module_from_spec(importlib.util.spec_from_loader("verify", loader))
loader.exec_module(verify)


def cable_times(log, camera):
    times = {"unplug": [], "plug": []}
    with open(log, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if len(words) >= 3 and words[1] in times and camera in [word.split("@")[0] for word in words[2:]]:
                times[words[1]].append(int(words[0]))
    return times["unplug"], times["plug"]


def span(values):
    return {"least": round(min(values), 1), "most": round(max(values), 1)} if values else None


def main(arguments):
    if len(arguments) != 5:
        sys.exit("\n".join(__doc__.splitlines()[2:3]))
    path, manifest_path, name, log, camera = arguments
    with open(manifest_path, encoding="utf-8") as file:
        manifest = json.load(file)
    start = manifest["t0_monotonic_ns"]
    track = next(track for track in manifest["tracks"] if track["name"] == name)
    interval = 1e9 / track["rate"]

    marks, _ = verify.examine(verify.packets(path))
    times = sorted({mark[2] - start for mark in marks if mark})
    outages = [(a + interval, b) for a, b in zip(times, times[1:]) if b - a > 5 * interval]
    gaps = [(gap["from_ns"], gap["to_ns"]) for gap in manifest["gaps"] if gap["track"] == name]
    unplugged, plugged = [[time - start for time in times] for times in cable_times(log, camera)]

    pairs = list(zip(outages, gaps))
    begin = [(gap[0] - outage[0]) / 1e6 for outage, gap in pairs]
    end = [(gap[1] - outage[1]) / 1e6 for outage, gap in pairs]
    back = [(outage[1] - time) / 1e6 for outage, time in zip(outages, plugged)]
    agree = len(outages) == len(gaps) == len(unplugged)
    exact = all(abs(value) <= 2 * interval / 1e6 for value in begin + end)
    print(json.dumps({
        "outages": len(outages), "gaps": len(gaps), "unplugged": len(unplugged),
        "begin_ms": span(begin), "end_ms": span(end),
        "cable_ms": span([(gap[0] - time) / 1e6 for gap, time in zip(gaps, unplugged)]),
        "back_ms": {"median": round(statistics.median(back), 1), "most": round(max(back), 1)} if back else None,
    }))
    return 0 if agree and exact else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
