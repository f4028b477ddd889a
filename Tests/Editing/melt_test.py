#!/usr/bin/env python3
"""Renders a session folder's edit/session.mlt with melt, and compares the frames with our rendering of the same cut: same number, same
content.

Usage: melt_test.py FOLDER [--against FILE]

FILE is the output of `multicam render FOLDER -o FILE` (default: edit/rendered.mp4 from the suite ExportTests, otherwise the program). Exit
status 1 if frames are missing or differ: SSIM below 0.85 for a frame, as for a shifted cut, or below 0.98 overall. Frames with a camera
that has no track at that time, or a gap, are only counted, because the program showed the camera or a slate.
"""
import argparse
import json
import re
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

from check_exports import Truth


def recorded(truth):
    """The frames in which every visible camera has a track without a gap."""
    frames = set()
    for first, last, roles, _ in truth.shots():
        inside = set(range(first, last))
        for role in roles:
            inside &= {f for _, a, b, _ in truth.shown(role, first, last) for f in range(a, b)}
        for gap in truth.manifest["gaps"]:
            if any(gap["track"] == track["name"] for role in roles for track in truth.angles.get(role, [])):
                inside -= set(range(truth.ceiling(gap["from_ns"]) - 2, truth.ceiling(gap["to_ns"]) + 2))
        frames |= inside
    return frames


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--against")
    options = parser.parse_args()
    folder = Path(options.folder).resolve()
    manifest = json.loads((folder / "manifest.json").read_text())
    program = next((t for t in manifest["tracks"] if t["kind"] == "program"), None)
    rate = Fraction((program or manifest["tracks"][0])["rate"]).limit_denominator(1001)
    count = -(-manifest["duration_ns"] * rate.numerator // (rate.denominator * 10**9))
    count -= round(Fraction(count - 1) / rate * 10**9) >= manifest["duration_ns"]
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch) / "melt.mp4"
        # Uses a single frame thread, because melt drops H.264 frames when decoding in parallel.
        subprocess.run(["melt", str(folder / "edit/session.mlt"), "-consumer", f"avformat:{made}", "vcodec=libx264", "crf=12",
                        "preset=ultrafast", "an=1", "pix_fmt=yuv420p", "real_time=-1"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        frames = int(subprocess.run(
            ["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v:0", "-show_entries", "stream=nb_read_frames", "-of",
             "csv=p=0", str(made)], check=True, capture_output=True, text=True).stdout.strip().strip(","))
        if frames != count:
            print(f"{folder.name}: melt made {frames} frames, not {count}")
            return 1
        ours = folder / "edit/rendered.mp4"
        other = options.against or (ours if ours.exists() else None)
        other = other or (folder / program["file"] if program and not program.get("parts") else None)
        if not other:
            return 0
        text = subprocess.run(
            ["ffmpeg", "-v", "fatal", "-i", str(made), "-i", str(other), "-lavfi",
             "[0:v:0]settb=1/1000,setpts=N*10[a];[1:v:0]settb=1/1000,setpts=N*10[b];[a][b]ssim=stats_file=-", "-f", "null", "-"],
            check=True, capture_output=True, text=True).stdout
        likeness = [float(value) for value in re.findall(r"All:([\d.]+)", text)]
        whole = recorded(Truth(folder))
        alike = {index: value for index, value in enumerate(likeness) if index in whole}
        bad = [index for index, value in alike.items() if value < 0.85]
        mean = sum(alike.values()) / max(len(alike), 1)
        print(f"{folder.name}: {frames} frames, {len(alike)} held against ours, SSIM {mean:.4f}, "
              f"least {min(alike.values(), default=1):.4f}")
        if bad or mean < 0.98:
            print(f"{folder.name}: other frames at {bad[:20]}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
