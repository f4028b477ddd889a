"""Measures cost and latency of a live output with the recording's own packets: SRT on loopback, a profile with `publish:`."""
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import measuring

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "live"))
import codes

NAME = "live"
TEXT = "a 720p30 program of its own packets to an SRT receiver at 120 ms on loopback"
COST, DELAY = 2.0, 0.7      # target in percent of a core; maximum median in s
PORT = 9470
PROFILE = """
cameras: { desk: { device: "virtual:clap", size: 1280x720, rate: 30 } }
microphones: { host: { device: "virtual:tone" } }
program: { size: 1280x720, rate: 30, layout: single, main: desk, video: { preset: ultrafast }, audio: { mix: [host] } }
tracks: { cameras: none, microphones: none }
budget: { hardware: 10, governor: false }
limits: none
publish: { show: { url: "srt://127.0.0.1:PORT?latency=120", start: command } }
"""
WIDTH, HEIGHT = 320, 180


def spent(process):
    """CPU time of a process, and of its media socket threads, in seconds."""
    tick = os.sysconf("SC_CLK_TCK")
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    served = 0
    for task in pathlib.Path(f"/proc/{process}/task").iterdir():
        try:
            name, nanoseconds = (task / "comm").read_text(), int((task / "schedstat").read_text().split()[0])
        except (OSError, IndexError):
            continue
        if name.startswith(("tap:", "media", "live")):
            served += nanoseconds / 1e9
    return (int(fields[11]) + int(fields[12])) / tick, served


class Session:
    """A recording in a separate folder, whose live output starts and stops by command."""

    def __init__(self, multicam, folder):
        self.multicam, self.folder = str(multicam), folder
        profile = pathlib.Path(folder) / "live.yaml"
        profile.write_text(PROFILE.replace("PORT", str(PORT)))
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": folder}
        self.process = subprocess.Popen([self.multicam, "record", "--profile", str(profile), "--output", folder], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        self.session = self.process.stdout.readline().strip()
        if not self.session:
            sys.exit(f"bench: the recording did not begin:\n{self.process.stderr.read()[-3000:]}")
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def ctl(self, *words):
        return subprocess.run([self.multicam, "ctl", *words], env=self.environment, capture_output=True, text=True)

    def publish(self):
        self.ctl("publish", "show")
        for _ in range(100):
            outputs = json.loads(self.ctl("status", "--json").stdout or "{}").get("status", {}).get("live_outputs", [])
            if any(output["state"] == "connected" for output in outputs):
                return self.live()
            time.sleep(0.1)
        sys.exit(f"bench: nothing is published: {outputs}")

    def live(self):
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (path / "cmdline").read_bytes()
            except OSError:
                continue
            if words.split(b"\0")[0].endswith(b"multicam-live") and f"{self.process.pid}.sock".encode() in words:
                return int(path.name)
        sys.exit("bench: there is no live process")

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        manifest = json.loads((pathlib.Path(self.session) / "manifest.json").read_text())
        return {track["name"]: track["frames"]["lost"] for track in manifest["tracks"] if track.get("frames", {}).get("lost")}


def cost(session, seconds):
    """Percent of a core: the recorder without and with live output, its threads for live output, the live process."""
    def watch(*processes):
        before, begun = [spent(process) for process in processes], time.monotonic()
        time.sleep(seconds)
        took = time.monotonic() - begun
        return [tuple(100 * (b - a) / took for a, b in zip(*pair)) for pair in zip(before, [spent(process) for process in processes])]

    recorder = session.process.pid
    without = watch(recorder)[0]
    sink = subprocess.Popen(["srt-live-transmit", "-loglevel:fatal", f"srt://127.0.0.1:{PORT}?mode=listener&latency=120", "file://con"],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    live = session.publish()
    time.sleep(2)
    with_it, own = watch(recorder, live)
    session.ctl("unpublish", "show")
    sink.kill()
    sink.wait()
    return without[0], with_it[0], with_it[1] - without[1], own[0]


def delays(session, seconds):
    """Delays from frame exposures to their pixels at a receiver, in s."""
    size, found = WIDTH * HEIGHT, []
    viewer = subprocess.Popen(
        ["ffmpeg", "-v", "quiet", "-fflags", "nobuffer", "-flags", "low_delay", "-probesize", "60000", "-analyzeduration", "200000", "-threads", "1",
         "-i", f"srt://127.0.0.1:{PORT}?mode=listener&latency=120000", "-map", "0:v", "-fps_mode", "passthrough", "-vf",
         f"scale={WIDTH}:{HEIGHT}:flags=area", "-pix_fmt", "gray", "-f", "rawvideo", "-"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    time.sleep(0.5)
    session.publish()
    # The first frames wait for the decoder to start.
    skipped = 90
    while len(found) < skipped + 30 * seconds and len(data := viewer.stdout.read(size)) == size:
        now = time.monotonic()
        if seen := codes.picture(data, WIDTH, HEIGHT, WIDTH):
            found.append(now - codes.unwrapped(seen[1], now))
    session.ctl("unpublish", "show")
    viewer.kill()
    viewer.wait()
    return sorted(found[skipped:])


def measure(multicam, options):
    """Returns a table, and whether the delay exceeds the maximum or the recording lost data."""
    if not os.environ.get("MULTICAM"):
        measuring.release("multicam-live")
    subprocess.run([measuring.ROOT / "tools" / "setup", "build", "live"], check=True)
    costs, late, lost = [], [], {}
    for _ in range(options.runs):
        with tempfile.TemporaryDirectory(dir=options.scratch) as folder:
            session = Session(multicam, folder)
            time.sleep(2)
            costs.append(cost(session, options.seconds))
            time.sleep(1)
            late.append(delays(session, options.seconds))
            lost.update(session.end())
    middle = [statistics.median(column) for column in zip(*costs)]
    more = sorted(run[1] - run[0] for run in costs)
    every = sorted(delay for run in late for delay in run) or [9.0]
    median, p95 = every[len(every) // 2], every[len(every) * 95 // 100]
    lines = [f"### {NAME}: {TEXT}", "", "| | per cent of a core |", "|---|--:|", f"| recorder, nothing is published | {middle[0]:.1f} |",
             f"| recorder, published: more | {statistics.median(more):.2f} ({more[0]:.2f} to {more[-1]:.2f}) |",
             f"| of its threads that serve the live process | {middle[2]:.2f} |", f"| live process | {middle[3]:.2f} |", "",
             f"Medians of {len(costs)} runs of {options.seconds} s; the aim is {COST:.0f} % for the live process and the threads that serve it.", "",
             "| from a frame's exposure to its pixels at the receiver | ms |", "|---|--:|", f"| median | {median * 1000:.0f} |",
             f"| 95 % within | {p95 * 1000:.0f} |", "", f"{len(every)} frames by their code strips, decoded by ffmpeg; at most {DELAY * 1000:.0f} ms at the median."]
    if lost:
        lines.append(f"\nLost by the recording: {lost}.")
    return "\n".join(lines) + "\n", median > DELAY
