#!/usr/bin/env python3
"""Compares the chapters of a session folder's edit/rendered.mp4, as read by ffprobe and mpv, with the markers in its manifest.

Usage: chapters_test.py FOLDER

Exit status 1 if a marker has no matching chapter (time and title), or if mpv and ffprobe differ.
"""
import json
import subprocess
import sys
from pathlib import Path


def main():
    folder = Path(sys.argv[1]).resolve()
    file = folder / "edit/rendered.mp4"
    text = subprocess.run(["ffprobe", "-v", "error", "-show_chapters", "-of", "json", str(file)], check=True, capture_output=True,
                          text=True).stdout
    listed = [(float(c["start_time"]), c.get("tags", {}).get("title", "")) for c in json.loads(text).get("chapters", [])]
    fields = "".join(f"\n@${{=chapter-list/{index}/time}} ${{chapter-list/{index}/title}}" for index in range(len(listed)))
    words = subprocess.run(["mpv", "--no-config", "--vo=null", "--ao=null", "--frames=1", f"--term-playing-msg=@@${{=chapters}}{fields}",
                            str(file)], check=True, capture_output=True, text=True).stdout.splitlines()
    count = [int(line[2:]) for line in words if line.startswith("@@")]
    seen = [(float(line[1:].split(" ", 1)[0]), line.split(" ", 1)[1]) for line in words if line.startswith("@") and line[1] != "@"]
    problems = []
    if count != [len(listed)] or len(seen) != len(listed) or any(
            abs(a[0] - b[0]) > 0.001 or a[1] != b[1] for a, b in zip(seen, listed)):
        problems.append(f"mpv lists the chapters {seen}, ffprobe {listed}")
    for marker in json.loads((folder / "manifest.json").read_text())["markers"]:
        near = [title for start, title in listed if abs(start - marker["at_ns"] / 1e9) <= 0.001]
        if not near or (marker["text"] and marker["text"] not in near):
            problems.append(f"no chapter for the marker {marker['text']!r} at {marker['at_ns'] / 1e9:.4f} s: {listed}")
    print(f"{folder.name}: {len(listed)} chapters" + ("" if not problems else "; " + "; ".join(problems)))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
