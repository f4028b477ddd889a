#!/usr/bin/env python3
"""Compares the camera events of `multicam devices --watch --json` with kernel events.

    judge-watch.py WATCH KERNEL OFFSET

WATCH is its output. KERNEL is the output of `udevadm monitor --kernel` for video nodes, with times in CLOCK_MONOTONIC. OFFSET is
the wall clock minus CLOCK_MONOTONIC in ns. Prints JSON: the events by device type, and the maximum delay in ms from the kernel
event of a camera node to ours, for connections and disconnections.
"""
import datetime
import json
import re
import sys


def told(path, offset):
    for line in open(path):
        event = json.loads(line)
        at = datetime.datetime.fromisoformat(event["at"].replace("Z", "+00:00")).timestamp()
        yield event["event"], event["device"], at - offset


def kernel(path):
    for line in open(path):
        match = re.match(r"KERNEL\[([0-9.]+)\] (add|remove) .*/(video[0-9]+) ", line)
        if match:
            yield match[2], "/dev/" + match[3], float(match[1])


def main():
    offset = int(sys.argv[3]) / 1e9
    done = list(kernel(sys.argv[2]))
    result = {"camera": [], "microphone": [], "late_ms": {"arrived": [], "departed": []}, "devices": []}
    for name, device, at in told(sys.argv[1], offset):
        # A changed preference isn't a device event.
        if name in ("preferred", "default"):
            continue
        result[device["kind"]].append(name)
        result["devices"].append([name, device])
        if device["kind"] != "camera" or name not in ("arrived", "departed"):
            continue
        action = "add" if name == "arrived" else "remove"
        # The kernel's last event for this node before ours; `at` is truncated to whole milliseconds.
        times = [time for act, node, time in done if act == action and node == device["node"] and time <= at + 0.001]
        result["late_ms"][name].append(round((at - times[-1]) * 1000, 1) if times else None)
    print(json.dumps(result))


main()
