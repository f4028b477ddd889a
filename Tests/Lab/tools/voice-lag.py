#!/usr/bin/env python3
"""Measures the delay of a sound in one file relative to another. Prints JSON.

Usage: voice-lag.py TRACK PROGRAM

`lags_ms`: for each second of TRACK except the first and last, the delay of PROGRAM, within ±20 ms: the maximum of the
cross-correlation. The sound must not be periodic.
"""
import json
import operator
import sys

from sound import RATE, samples

MOST = 960


def product(track, program, at, lag):
    return sum(map(operator.mul, track[at : at + RATE], program[at + lag : at + lag + RATE]))


def lag(track, program, at):
    best = max(range(-MOST, MOST + 1, 4), key=lambda lag: product(track, program, at, lag))
    return max(range(best - 4, best + 5), key=lambda lag: product(track, program, at, lag))


track, program = map(samples, sys.argv[1:])
seconds = range(1, min(len(track), len(program)) // RATE - 1)
print(json.dumps({"lags_ms": [round(lag(track, program, second * RATE) * 1000 / RATE, 2) for second in seconds]}))
