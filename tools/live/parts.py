#!/usr/bin/env python3
"""Runs the parts of tools/live-test with WHIP servers, browsers and sound servers.

Usage: parts.py PART… --programs DIR [--seconds 15] [--times 50]     (parts: whip, microphone)
  Needs Debian's Python with python3-gi, and playwright; tools/live-test creates one and calls this script. --seconds sets how long a
  stream is checked, --times how often each is published and unpublished.
"""
import argparse
import importlib
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
failed = []


def say(sentence, holds, *facts):
    """Prints a check and its result."""
    if not holds:
        failed.append(sentence)
    told = "; ".join(str(fact) for fact in facts if fact not in (None, ""))
    print(f"{'ok    ' if holds else 'FAILED'} {sentence}{f' ({told})' if told else ''}", flush=True)
    return holds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="+", choices=["whip", "microphone"])
    parser.add_argument("--programs", required=True)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--times", type=int, default=50)
    options = parser.parse_args()
    for part in options.parts:
        print(f"-- {part}", flush=True)
        try:
            importlib.import_module(f"{part}_part").run(options, say)
        except Exception as error:
            say(f"the part {part} comes to its end", False, repr(error))
            import traceback
            traceback.print_exc()
    return 1 if failed else 0


sys.exit(main())
