#!/usr/bin/env python3
"""Compares a microphone's track with its audio in the program, where a tone pauses once. Prints JSON.

Usage: compare-voice.py TRACK PROGRAM

`track` and `program` are the peak samples in the 0.2 s before the track's pause, 0…1. `delay_ms` is how much later the tone
resumes in the program, measured at the first sample above half of the peak of the following 50 ms.
"""
import json
import sys

from sound import RATE, samples


def highest(sound, first, last):
    return max(abs(sample) for sample in sound[first:last]) / 32768


def onset(sound, first, last):
    top = highest(sound, first, last)
    return next(index for index in range(first, last) if abs(sound[index]) / 32768 > top / 2)


def main(arguments):
    track, program = map(samples, arguments)
    slices = [highest(track, place, place + 480) > 0.1 for place in range(0, len(track) - 480, 480)]
    quiet = [index for index, loud in enumerate(slices) if not loud and index > 50]
    begin, end = quiet[0] * 480, (quiet[-1] + 1) * 480
    assert all(not loud for loud in slices[quiet[0]:quiet[-1]]), "the track pauses more than once"
    around = (end - RATE // 20, end + RATE // 20)
    print(json.dumps({
        "track": highest(track, begin - RATE // 5, begin), "program": highest(program, begin - RATE // 5, begin),
        "delay_ms": (onset(program, *around) - onset(track, *around)) * 1000 / RATE,
    }))


main(sys.argv[1:])
