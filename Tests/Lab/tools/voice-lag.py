#!/usr/bin/env python3
"""How much later a sound is in one file than in another: prints JSON.

Usage: voice-lag.py TRACK PROGRAM

`lags_ms`: for each second of TRACK but the first and the last, by how much PROGRAM is later, up to 20 ms either way: where their
product is greatest. Of a sound that is like itself at one place only.
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
