"""Tests the virtual microphone in a private sound server, recorded with parec like any program would."""
import array
import json
import pathlib
import signal
import subprocess
import tempfile
import threading
import time

import codes
import driver

NAME = "Studio mix"


class Server:
    """PulseAudio with only a null output."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pulse-"))
        self.address = f"unix:{self.folder}/socket"
        (self.folder / "start.pa").write_text(
            f"load-module module-native-protocol-unix auth-anonymous=1 socket={self.folder}/socket\n"
            "load-module module-null-sink sink_name=speaker\n")
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            ["pulseaudio", "-n", "-F", str(self.folder / "start.pa"), "--exit-idle-time=-1", "--use-pid-file=false", "--daemonize=no",
             "--realtime=no", "--high-priority=no", "--disable-shm=yes"],
            env={"HOME": str(self.folder), "XDG_RUNTIME_DIR": str(self.folder), "PATH": "/usr/bin:/bin"},
            stderr=(self.folder / "log").open("a"))
        assert driver.until(lambda: self.ask("info") is not None, 10)

    def ask(self, *words):
        done = subprocess.run(["pactl", "-s", self.address, "-f", "json", *words], capture_output=True, text=True)
        return json.loads(done.stdout) if done.returncode == 0 and done.stdout.strip() else None

    def source(self):
        """The source name that users see as the microphone."""
        return next((entry["name"] for entry in self.ask("list", "sources") or [] if entry["description"] == NAME), None)

    def modules(self):
        return sorted(entry["argument"].split()[0] for entry in self.ask("list", "modules") or [] if "multicam" in (entry["argument"] or ""))

    def kill(self):
        self.process.kill()
        self.process.wait()


class Listener:
    """Records a source, and logs each beep: its arrival time on CLOCK_MONOTONIC, and its position in samples."""

    def __init__(self, server, source):
        self.process = subprocess.Popen(
            ["parec", "-s", server.address, "-d", source, "--format=float32le", "--rate=48000", "--channels=1", "--latency-msec=20"],
            stdout=subprocess.PIPE)
        self.arrived, self.samples = [], codes.Beeps()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while data := self.process.stdout.read(480 * 4):
            now, before = time.monotonic(), len(self.samples.found)
            self.samples.take(array.array("f", data))
            self.arrived += [now] * (len(self.samples.found) - before)

    def stop(self):
        self.process.kill()
        self.process.wait()


def run(options, say):
    server = Server()
    recording = driver.Recording(options.programs)
    live = driver.Live(options.programs, recording, {"PULSE_SERVER": server.address})
    try:
        live.publish("mic", f"pulse:{NAME}")
        say("the microphone is there", live.reaches("mic", "connected") and server.source(), live.state.get("mic", {}).get("text"), server.source())
        first = Listener(server, server.source())
        # The server's new output buffers up to 2 s of silence.
        time.sleep(14)
        beeps, arrived = first.samples.found[1:], first.arrived[1:]
        steps = [(b - a) / 48 for a, b in zip(beeps, beeps[1:])]
        say("claps come a second apart, to the millisecond", len(steps) >= 8 and all(abs(step - 1000) < 1 for step in steps),
            f"{len(beeps)} claps, {min(steps, default=0):.2f} to {max(steps, default=0):.2f} ms")
        late = [(at % 1.0) * 1000 for at in arrived]
        say("and always as late, by the mix's own delay and a little", late and max(late) - min(late) < 60 and max(late) < 800,
            f"{min(late, default=0):.0f} to {max(late, default=0):.0f} ms after the clap")
        modules = server.modules()
        live.process.send_signal(signal.SIGKILL)
        live.process.wait()
        say("killed, the live process leaves the microphone, so that a program keeps it", server.modules() == modules and first.process.poll() is None)
        live.start()
        live.publish("mic", f"pulse:{NAME}")
        live.reaches("mic", "connected")
        heard = len(first.samples.found)
        say("the next one goes on with it, and the program hears again",
            driver.until(lambda: len(first.samples.found) > heard + 1, 8) and server.modules() == modules, server.modules())
        first.stop()
        server.kill()
        say("a sound server that is killed is noticed", live.reaches("mic", "waiting", 5), live.state["mic"].get("text"))
        server.start()
        begin = time.monotonic()
        say("the microphone is there again at most 4 s after the server is", driver.until(server.source, 10) and time.monotonic() - begin < 4,
            f"{time.monotonic() - begin:.1f} s")
        live.reaches("mic", "connected")
        second = Listener(server, server.source())
        say("and is heard", driver.until(lambda: len(second.samples.found) > 2, 8))
        second.stop()
        live.unpublish("mic")
        say("unpublished, nothing of it stays in the server", driver.until(lambda: not server.modules(), 5), server.modules())
        for number in range(options.times):
            live.publish("mic", f"pulse:{NAME}")
            live.reaches("mic", "connected", 5)
            live.unpublish("mic")
            live.reaches("mic", "ended", 5)
        say(f"nor after {options.times} more times", driver.until(lambda: not server.modules(), 5), server.modules())
        live.publish("mic", f"pulse:{NAME}")
        live.reaches("mic", "connected")
        code, seconds = live.end()
        say("it is removed at the end of the live process's input", code == 0 and not server.modules(), f"exit {code} after {seconds:.1f} s")
    finally:
        live.process.kill()
        ended = recording.stop()
        server.kill()
    say("the recording ends as if nothing had been", ended == 0, f"exit {ended}")
