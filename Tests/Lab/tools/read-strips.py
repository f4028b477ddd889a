#!/usr/bin/env python3
"""Reads the code strip (see usbip-cameras/picture.h) in every decoded frame of a video file, or in a rectangle of each frame.

Usage: read-strips.py [--turned] [--since NS] FILE [X Y WIDTH HEIGHT]

--turned: the content of the rectangle was rotated 90 degrees clockwise. --since: the file's time 0 on the cameras' clock.

Prints JSON: frames; readable: frames with a valid checksum; first and last number; repeats: frames with the previous frame's
number; skips: numbers missing between successive frames; backwards: how often the number decreased; with --since also offset_ms:
the distance from exposure to presentation time.
"""
import json
import subprocess
import sys

CELLS = 64
WRAP = 1 << 24  # modulus of the strip's time, in units of 0.1 ms


def rows(path, rectangle, turned):
    """64 mean luma values per frame: ffmpeg crops the middle of the strip and scales it to one pixel per cell."""
    crop = "crop={2}:{3}:{0}:{1},".format(*rectangle) if rectangle else ""
    turn = "transpose=cclock," if turned else ""
    chain = f"{crop}{turn}crop=iw:ih/32:0:ih/64,format=gray,scale={CELLS}:1:flags=area"
    decoded = subprocess.run(
        ["ffmpeg", "-v", "error", "-noautorotate", "-i", path, "-map", "0:v:0", "-vf", chain, "-fps_mode", "passthrough",
         "-f", "rawvideo", "-"],
        check=True, capture_output=True).stdout
    return [decoded[at : at + CELLS] for at in range(0, len(decoded), CELLS)]


def instants(path):
    """The presentation time of each frame, in ms."""
    found = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts_time", "-of", "csv=p=0", path],
        check=True, capture_output=True, text=True)
    return sorted(float(line.strip(",")) * 1000 for line in found.stdout.split())


def code_in(row):
    """(number, exposure time in 0.1 ms), or None if the checksum is invalid."""
    bits = "".join("1" if luma > 127 else "0" for luma in row)
    code = int(bits, 2).to_bytes(8, "big")
    right = code[0] == 0b10101100 and sum(code[1:7]) & 0xFF == code[7]
    return (int.from_bytes(code[1:4], "big"), int.from_bytes(code[4:7], "big")) if right else None


def offsets(codes, shown, since):
    for code, instant in zip(codes, shown):
        if code:
            apart = (code[1] - round(since / 1e5 + instant * 10) + WRAP // 2) % WRAP - WRAP // 2
            yield apart / 10


def main(arguments):
    turned, since = False, None
    while arguments and arguments[0] in ("--turned", "--since"):
        if arguments.pop(0) == "--turned":
            turned = True
        else:
            since = int(arguments.pop(0))
    if len(arguments) not in (1, 5):
        sys.exit("\n".join(__doc__.splitlines()[2:3]))
    path = arguments[0]
    codes = [code_in(row) for row in rows(path, [int(value) for value in arguments[1:]], turned)]
    numbers = [code[0] for code in codes if code]
    steps = [after - before for before, after in zip(numbers, numbers[1:])]
    report = {
        "frames": len(codes),
        "readable": len(numbers),
        "first": numbers[0] if numbers else None,
        "last": numbers[-1] if numbers else None,
        "repeats": steps.count(0),
        "skips": sum(step - 1 for step in steps if step > 1),
        "backwards": sum(step < 0 for step in steps),
    }
    if since is not None and numbers:
        apart = list(offsets(codes, instants(path), since))
        report["offset_ms"] = {"least": round(min(apart), 1), "most": round(max(apart), 1)}
    print(json.dumps(report))


if __name__ == "__main__":
    main(sys.argv[1:])
