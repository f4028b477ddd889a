#!/usr/bin/env python3
"""Keeps the control room open and in use during a recording, and measures the memory of the browser and the web process.

    open_long.py --address 'http://127.0.0.1:8470/#token=…' --studio PROCESS [--minutes 60] [--pause 2] [--chromium PATH]

Every --pause seconds, the script in turn cuts, changes the layout or a gain, sets a marker or takes a still. Every minute, it prints the
page's heap after garbage collection, its nodes and listeners, and the memory of browser and web process. Exits with status 1 if one of them
keeps growing after the first quarter. `tools/page-test --minutes N` starts a studio for it.
"""

import argparse
import pathlib
import statistics
import time

from playwright.sync_api import sync_playwright

WORK = [["swap"], ["show", "host"], ["show", "guest"], ["layout", "side-by-side"], ["layout", "pip"], ["mark", "question"],
        ["gain", "host-mic", "-3"], ["gain", "host-mic", "0"], ["mute", "guest-mic"], ["unmute", "guest-mic"]]
SEND = """(words) => fetch("/api/v1/command", { method: "POST", body: JSON.stringify({ words }) }).then((answer) => answer.status)"""
# Allowed growth after the first quarter: heap and memory in MB, nodes, and listeners. The page keeps 500
# events and reuses their rows.
MAY_GROW = {"heap MB": 6, "nodes": 2500, "listeners": 300, "page MB": 60, "web MB": 8}


def memory(process):
    """Resident memory in MB."""
    try:
        lines = pathlib.Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:")), 0)


def processes():
    """The parent and the command line of each process."""
    found = {}
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rsplit(")", 1)[1].split()[1])
            found[int(path.name)] = (parent, (path / "cmdline").read_bytes().split(b"\0"))
        except (OSError, IndexError):
            continue
    return found


def sample(session, studio):
    session.send("HeapProfiler.collectGarbage")
    facts = {fact["name"]: fact["value"] for fact in session.send("Performance.getMetrics")["metrics"]}
    running = processes()
    pages = [process for process, (_, words) in running.items() if any(b"--type=renderer" in word for word in words)]
    webs = [process for process, (parent, words) in running.items() if parent == studio and words[0].endswith(b"multicam-web")]
    return {"heap MB": facts["JSHeapUsedSize"] / 2**20, "nodes": facts["Nodes"], "listeners": facts["JSEventListeners"],
            "page MB": max(map(memory, pages), default=0), "web MB": sum(map(memory, webs))}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--address", required=True)
    parser.add_argument("--studio", type=int, required=True)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--pause", type=float, default=2)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    arguments = parser.parse_args()
    samples, refused = [], 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=arguments.chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(arguments.address)
        page.wait_for_selector('canvas.picture[data-role="guest"][data-at-ns]', timeout=60_000, state="attached")
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")
        page.evaluate(SEND, ["start"])
        begun, turn = time.monotonic(), 0
        print(" ".join(f"{name:>10}" for name in ["minute", "work", *MAY_GROW]), flush=True)
        while time.monotonic() - begun < arguments.minutes * 60:
            refused += page.evaluate(SEND, WORK[turn % len(WORK)]) != 200
            turn += 1
            page.wait_for_timeout(arguments.pause * 1000)
            minute = (time.monotonic() - begun) / 60
            if minute >= len(samples):
                samples.append(sample(session, arguments.studio))
                print(" ".join(f"{value:>10.0f}" for value in [minute, turn, *samples[-1].values()]), flush=True)
        frames = page.evaluate("() => Number(document.querySelector('canvas.picture[data-role=\"guest\"]').dataset.frames)")
        page.evaluate(SEND, ["stop"])
        browser.close()
    quarter = max(1, len(samples) // 4)
    grown = {}
    for name, limit in MAY_GROW.items():
        early = statistics.median(one[name] for one in samples[quarter:2 * quarter])
        late = statistics.median(one[name] for one in samples[-quarter:])
        print(f"{name}: {early:.0f} in the second quarter, {late:.0f} in the last")
        if late - early > limit:
            grown[name] = late - early
    print(f"{turn} pieces of work, {refused} refused; {frames} frames of one camera painted")
    if grown or refused > turn / 10 or not frames:
        raise SystemExit(f"it goes on growing, or was not worked with: {grown}")


if __name__ == "__main__":
    main()
