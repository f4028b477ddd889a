#!/usr/bin/env python3
"""Measures the tone in any file with audio. Prints JSON with seconds, frequency (Hz), amplitude (0…1), quiet.

Usage: measure-tone.py FILE [FROM TO]

`quiet` is the share of 10 ms slices that are practically silent: a tone with a dropout has the right frequency and amplitude
almost everywhere, but some of it is quiet. Frequency and amplitude exclude quiet slices. `stretches` lists each run of sound as
[from, to, frequency] in seconds and Hz, to reveal dropouts and foreign tones.
"""
import json
import math
import sys

from sound import RATE, samples

SLICE = 480


def frequency(sound, first, last):
    """Measures rising zero crossings between two slices, interpolated between samples: accurate to far below 1 Hz. The outermost
    slices may contain the tone's edge, where a resampler rings."""
    if last - first > 4:
        first, last = first + 1, last - 1
    stretch = sound[first * SLICE : last * SLICE]
    crossings = [
        index + left / (left - right)
        for index, (left, right) in enumerate(zip(stretch, stretch[1:]))
        if left < 0 <= right
    ]
    return round((len(crossings) - 1) * RATE / (crossings[-1] - crossings[0]), 6) if len(crossings) > 1 else 0


def main(arguments):
    if len(arguments) not in (1, 3):
        sys.exit("\n".join(__doc__.splitlines()[2:3]))
    sound = samples(arguments[0])
    if len(arguments) == 3:
        sound = sound[round(float(arguments[1]) * RATE) : round(float(arguments[2]) * RATE)]
    slices = [sound[at : at + SLICE] for at in range(0, len(sound) - SLICE + 1, SLICE)]
    powers = [sum(sample * sample for sample in slice) / SLICE / 32768**2 for slice in slices]
    loud = [power > 1e-4 for power in powers]

    runs, start = [], None
    for index, sounding in enumerate(loud + [False]):
        if sounding and start is None:
            start = index
        elif not sounding and start is not None:
            runs.append((start, index))
            start = None
    longest = max(runs, key=lambda run: run[1] - run[0], default=(0, 0))
    power = sum(power for power, sounding in zip(powers, loud) if sounding) / max(1, sum(loud))
    print(json.dumps({
        "seconds": len(sound) / RATE,
        "frequency": frequency(sound, *longest),
        "amplitude": round(math.sqrt(2 * power), 4),
        "quiet": round(1 - sum(loud) / max(1, len(loud)), 4),
        "stretches": [[first * SLICE / RATE, last * SLICE / RATE, frequency(sound, first, last)] for first, last in runs],
    }))


if __name__ == "__main__":
    main(sys.argv[1:])
