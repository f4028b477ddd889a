#!/usr/bin/env python3
"""Opens a session folder's edit/session.mlt in Kdenlive and Shotcut in a separate X server, like File → Open.

Usage: editors_test.py FOLDER [--keep DIR]

--keep saves a screenshot and the log of each. Exit status 1 if an editor doesn't open the project, shows an additional window (a message, a
question), or logs a problem with the project.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EDITORS = {"kdenlive": ["kdenlive"], "shotcut": ["shotcut", "--noupgrade"]}
# Log messages about projects. Many others concern the machine (no sound card, no graphics card, no plug-ins).
WRONG = re.compile(r"corrupt|cannot find bin clip|not found in project bin|failed to insert|invalid (clip|project|producer)|"
                   r"\bunable to open|failed to load|could not open|missing (clip|file)|xml (parse|error)|SUSPICIOUS|ERROR :", re.I)
OF_THE_MACHINE = re.compile(r"alsa|sdl|sndio|audio device|play stream|vaapi|nvenc|ladspa|jack", re.I)


def windows(display):
    """(title, width, height) of each visible top-level window."""
    environment = dict(os.environ, DISPLAY=display)
    tree = subprocess.run(["xwininfo", "-root", "-tree"], env=environment, capture_output=True, text=True).stdout
    found = []
    for line in re.findall(r"(?m)^     (0x\w+.*)$", tree):
        state = subprocess.run(["xwininfo", "-id", line.split()[0]], env=environment, capture_output=True, text=True).stdout
        size = re.search(r"(\d+)x(\d+)\+", line)
        title = re.search(r'"(.*?)":', line)
        if "IsViewable" in state and size and min(map(int, size.groups())) > 40:
            found.append((title.group(1) if title else "", *map(int, size.groups())))
    return found


def open_in(editor, project, keep):
    with tempfile.TemporaryDirectory() as home:
        server = subprocess.Popen(["Xvfb", "-displayfd", "1", "-screen", "0", "1280x900x24"], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True)
        display = ":" + server.stdout.readline().strip()
        environment = dict(os.environ, HOME=home, XDG_RUNTIME_DIR=home, TMPDIR=home, DISPLAY=display, LC_ALL="C.UTF-8",
                           LIBGL_ALWAYS_SOFTWARE="1")
        for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "WAYLAND_DISPLAY"):
            environment.pop(name, None)
        log = Path(keep or home) / f"{editor}.log"
        try:
            with log.open("w") as output:
                program = subprocess.Popen(["dbus-run-session", "--", *EDITORS[editor], str(project)], env=environment, stdout=output,
                                           stderr=subprocess.STDOUT, start_new_session=True)
            shown, ended = [], time.monotonic() + 120
            while time.monotonic() < ended and program.poll() is None:
                time.sleep(1)
                shown = windows(display)
                # The title shows the project's name once it is loaded.
                if any(re.match(r"session(\.mlt)?\b", title) for title, *_ in shown):
                    break
            # A message may follow while thumbnails are generated.
            time.sleep(8)
            ran, shown = program.poll() is None, windows(display)
            if keep:
                subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "x11grab", "-video_size", "1280x900", "-i", display, "-frames:v", "1",
                                str(Path(keep) / f"{editor}.png")], check=True)
            if program.poll() is None:
                os.killpg(program.pid, 9)
            program.wait()
        finally:
            server.kill()
            server.wait()
        own = [title for title, *_ in shown if re.match(r"session(\.mlt)?\b", title)]
        others = [f"{title or 'without a title'} ({width}x{height})" for title, width, height in shown if title not in own]
        told = [line.strip() for line in log.read_text(errors="replace").splitlines()
                if WRONG.search(line) and not OF_THE_MACHINE.search(line)]
    problems = []
    if not ran:
        problems.append("the editor exited")
    if not own:
        problems.append("the project is not open")
    if others:
        problems.append("unexpected window: " + ", ".join(others))
    problems += told[:5]
    print(f"{editor}: {project.parent.parent.name}: " + ("opened without a message" if not problems else "; ".join(problems)))
    return not problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--keep")
    options = parser.parse_args()
    project = Path(options.folder).resolve() / "edit/session.mlt"
    if options.keep:
        Path(options.keep).mkdir(parents=True, exist_ok=True)
    return 0 if all([open_in(editor, project, options.keep) for editor in EDITORS]) else 1


if __name__ == "__main__":
    sys.exit(main())
