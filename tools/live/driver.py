"""Records from virtual devices, and controls `multicam-live` as the recorder does (one JSON object per line)."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time

PROFILE = """
cameras: { desk: { device: "virtual:clap", size: 640x360, rate: 30 } }
microphones: { host: { device: "virtual:clap" } }
program: { size: 640x360, rate: 30, layout: single, video: { preset: PRESET }, audio: { mix: [host] } }
tracks: { cameras: none, microphones: none }
budget: { hardware: 10 }
limits: none
"""


def until(condition, seconds, pause=0.02):
    end = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > end:
            return found
        time.sleep(pause)
    return found


class Recording:
    """`multicam record` with separate folders for recordings and runtime files."""

    def __init__(self, programs, preset="balanced", profile=PROFILE, environment=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="live-"))
        (self.folder / "live.yaml").write_text(profile.replace("PRESET", preset))
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": str(self.folder), **(environment or {})}
        self.process = subprocess.Popen(
            [f"{programs}/multicam", "record", "--profile", str(self.folder / "live.yaml"), "--output", str(self.folder / "out"), "--json"],
            stdout=subprocess.PIPE, stderr=(self.folder / "said").open("w"), text=True, env=self.environment)
        self.events = []
        threading.Thread(target=self._read, daemon=True).start()
        started = until(lambda: next((event for event in self.events if event["event"] == "started"), None), 60)
        assert started, (self.folder / "said").read_text()
        self.session = pathlib.Path(started["folder"])
        self.socket = self.folder / "multicam" / f"{self.process.pid}.sock.media"

    def _read(self):
        for line in self.process.stdout:
            self.events.append(json.loads(line))

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(30)


class Live:
    """`multicam-live`: `said` contains its output lines, `state` the last state of each live output."""

    def __init__(self, programs, recording, environment=None):
        self.arguments = [f"{programs}/multicam-live", "--socket", str(recording.socket)]
        self.environment = {**recording.environment, **(environment or {})}
        self.said, self.state, self.log = [], {}, ""
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env=self.environment)
        threading.Thread(target=self._read, args=(self.process,), daemon=True).start()
        threading.Thread(target=self._complaints, args=(self.process,), daemon=True).start()

    def _read(self, process):
        for line in process.stdout:
            facts = json.loads(line)
            facts["came"] = time.monotonic()
            self.said.append(facts)
            self.state[facts["live_output"]] = facts

    def _complaints(self, process):
        for line in process.stderr:
            self.log += line

    def say(self, **line):
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()

    def publish(self, name, url, **more):
        self.state.pop(name, None)
        self.say(publish={"name": name, "url": url, "of": "program", "standby": False, **more})

    def unpublish(self, name):
        self.say(unpublish=name)

    def reaches(self, name, state, seconds=15):
        """The line that reported a state of a live output; `None` if there is none."""
        return until(lambda: (lambda facts: facts if facts and facts["state"] == state else None)(self.state.get(name)), seconds)

    def end(self):
        """Closes its standard input; returns its exit status and the duration."""
        begin = time.monotonic()
        self.process.stdin.close()
        try:
            return self.process.wait(10), time.monotonic() - begin
        except subprocess.TimeoutExpired:
            self.process.kill()
            return None, time.monotonic() - begin
