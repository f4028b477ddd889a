#!/usr/bin/env python3
"""Measures the tone in any file with sound: prints JSON with seconds, frequency (Hz), amplitude (0…1), quiet.

Usage: measure-tone.py FILE [FROM TO]

`quiet` is the share of 10 ms slices without sound to speak of: a tone with a hole has the right frequency and amplitude
almost everywhere, but some of it is quiet. Frequency and amplitude are those of the rest.
"""
import array
import json
import math
import subprocess
import sys

RATE, SLICE = 48000, 480


def samples(path):
    decoded = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", path, "-map", "0:a:0", "-ac", "1", "-ar", str(RATE), "-f", "s16le", "-"],
        check=True, capture_output=True)
    return array.array("h", decoded.stdout)


def main(arguments):
    if len(arguments) not in (1, 3):
        sys.exit("\n".join(__doc__.splitlines()[2:3]))
    sound = samples(arguments[0])
    if len(arguments) == 3:
        sound = sound[round(float(arguments[1]) * RATE) : round(float(arguments[2]) * RATE)]
    slices = [sound[at : at + SLICE] for at in range(0, len(sound) - SLICE + 1, SLICE)]
    powers = [sum(sample * sample for sample in slice) / SLICE / 32768**2 for slice in slices]
    loud = [power > 1e-4 for power in powers]

    # Rising zero crossings in the longest stretch of sound, placed between samples: exact far below 1 Hz.
    best, start = (0, 0), None
    for index, sounding in enumerate(loud + [False]):
        if sounding and start is None:
            start = index
        elif not sounding and start is not None:
            best, start = max(best, (index - start, start)), None
    stretch = sound[best[1] * SLICE : (best[1] + best[0]) * SLICE]
    crossings = [
        index + left / (left - right)
        for index, (left, right) in enumerate(zip(stretch, stretch[1:]))
        if left < 0 <= right
    ]
    power = sum(power for power, sounding in zip(powers, loud) if sounding) / max(1, sum(loud))
    print(json.dumps({
        "seconds": len(sound) / RATE,
        "frequency": round((len(crossings) - 1) * RATE / (crossings[-1] - crossings[0]), 2) if len(crossings) > 1 else 0,
        "amplitude": round(math.sqrt(2 * power), 4),
        "quiet": round(1 - sum(loud) / max(1, len(loud)), 4),
    }))


if __name__ == "__main__":
    main(sys.argv[1:])
