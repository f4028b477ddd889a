#!/usr/bin/env python3
"""Reads the code strip (see usbip-cameras/picture.h) in every decoded frame of a film, or of a rectangle in it.

Usage: read-strips.py FILE [X Y WIDTH HEIGHT]

Prints JSON: frames; readable, those with a right checksum; first and last number; repeats, frames with the number of the one
before; skips, how many numbers were left out between neighbours; backwards, how often the number fell.
"""
import json
import subprocess
import sys

CELLS = 64


def rows(path, rectangle):
    """64 mean lumas of each frame: ffmpeg cuts out the middle of the strip and scales it to one pixel a cell."""
    crop = "crop={2}:{3}:{0}:{1},".format(*rectangle) if rectangle else ""
    chain = f"{crop}crop=iw:ih/32:0:ih/64,format=gray,scale={CELLS}:1:flags=area"
    decoded = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", path, "-map", "0:v:0", "-vf", chain, "-fps_mode", "passthrough", "-f", "rawvideo", "-"],
        check=True, capture_output=True).stdout
    return [decoded[at : at + CELLS] for at in range(0, len(decoded), CELLS)]


def number_in(row):
    bits = "".join("1" if luma > 127 else "0" for luma in row)
    code = int(bits, 2).to_bytes(8, "big")
    right = code[0] == 0b10101100 and sum(code[1:7]) & 0xFF == code[7]
    return int.from_bytes(code[1:4], "big") if right else None


def main(arguments):
    if len(arguments) not in (1, 5):
        sys.exit("\n".join(__doc__.splitlines()[2:3]))
    frames = rows(arguments[0], [int(value) for value in arguments[1:]])
    numbers = [number for number in map(number_in, frames) if number is not None]
    steps = [after - before for before, after in zip(numbers, numbers[1:])]
    print(json.dumps({
        "frames": len(frames),
        "readable": len(numbers),
        "first": numbers[0] if numbers else None,
        "last": numbers[-1] if numbers else None,
        "repeats": steps.count(0),
        "skips": sum(step - 1 for step in steps if step > 1),
        "backwards": sum(step < 0 for step in steps),
    }))


if __name__ == "__main__":
    main(sys.argv[1:])
