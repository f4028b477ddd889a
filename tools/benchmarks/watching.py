"""Measures the processor time for watching: recorder, web process, and a browser with all its processes.

Chromium runs with the flags that a user has, in a window on a virtual display (Xvfb), which has no GPU: its compositing is in the figures.
Nothing is attached to the pages during a measurement, because debuggers receive a copy of each WebSocket message.
"""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import statistics
import subprocess
import tempfile
import time
import types
import urllib.parse
import urllib.request

from client import Studio, frame, handshake, processor, until

# --no-sandbox is for root only, which runs the benchmarks in containers; the ports and folders aren't seen by the page.
FLAGS = ["--no-first-run", "--no-default-browser-check", "--no-sandbox", "--window-size=1440,900",
         "--remote-debugging-port=0"]
# The numbers of pages in the measured browser, of hidden pages in it, and of pages in another one, whose own time isn't counted.
VIEWERS = {"no page": (0, 0, 0), "one page": (1, 0, 0), "two pages": (2, 0, 0), "one page, a remote one": (1, 0, 1), "a hidden page": (0, 1, 0)}
PAINTED = """JSON.stringify([...document.querySelectorAll("canvas.picture[data-role]")].filter((canvas) => canvas.clientWidth > 0)
    .map((canvas) => [canvas.dataset.role, Number(canvas.dataset.frames ?? 0), canvas.width, canvas.height, canvas.clientWidth]))"""


def profile(count, size, rate=30):
    """A profile with this many cameras, and a program that shows two of them."""
    roles = [f"cam{index + 1}" for index in range(count)]
    cameras = "\n".join(f'  {role}: {{ device: "virtual:people", size: {size}, rate: {rate} }}' for role in roles)
    return f"""
cameras:
{cameras}
microphones: {{ host: {{ device: "virtual:tone" }} }}
program:
  layout: side-by-side
  main: {roles[0]}
  inset: {roles[1]}
  size: {size}
  rate: {rate}
  video: {{ codec: h264, preset: ultrafast, quality: 23 }}
  audio: {{ codec: aac, bitrate: 128k, mix: [host] }}
tracks: {{ cameras: copy, microphones: none }}
budget: {{ hardware: 10 }}
"""


SCENES = {"two 720p cameras and a program": profile(2, "1280x720"), "four 1080p cameras and a program": profile(4, "1920x1080")}
# Limits for one page, in cores.
WANTED = {"two 720p cameras and a program": 0.40, "four 1080p cameras and a program": 0.70}


@contextlib.contextmanager
def display():
    """A virtual display with its number in DISPLAY."""
    reader, writer = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", "2960x960x24", "-nolisten", "tcp"], pass_fds=[writer],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(writer)
    with os.fdopen(reader) as file:
        number = file.readline().strip()
    try:
        yield ":" + number
    finally:
        server.terminate()
        server.wait()


class Browser:
    """A Chromium without any page."""

    def __init__(self, screen, left=0):
        self.folder = tempfile.mkdtemp(prefix="chromium-")
        self.words = [shutil.which("chromium") or shutil.which("chromium-browser") or "chromium", *FLAGS, f"--window-position={left},0", f"--user-data-dir={self.folder}"]
        self.environment = {**os.environ, "DISPLAY": screen}
        self.process = self.run("about:blank")
        path = pathlib.Path(self.folder) / "DevToolsActivePort"
        if not until(lambda: path.exists() and path.read_text().strip(), 30):
            raise SystemExit("bench: Chromium did not start")
        self.port = int(path.read_text().split()[0])
        until(lambda: self.targets(), 20)

    def run(self, *words):
        return subprocess.Popen([*self.words, *words], env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, start_new_session=True)

    def ask(self, path, method="GET"):
        with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{self.port}/json{path}", method=method), timeout=20) as reply:
            return reply.read().decode()

    def targets(self):
        return {target["id"]: target for target in json.loads(self.ask("")) if target["type"] == "page"}

    def open(self, url, place=None):
        """Opens a page in a new tab, which hides the window's other tabs, or in a new window at a place: returns its number.

        A window that is covered by another one is hidden, too.
        """
        socket_path = urllib.parse.urlsplit(json.loads(self.ask("/version"))["webSocketDebuggerUrl"]).path
        page = self.call(socket_path, "Target.createTarget", {"url": url, "newWindow": place is not None})["targetId"]
        self.ask("/activate/" + page)
        if place is not None:
            window = self.call(socket_path, "Browser.getWindowForTarget", {"targetId": page})["windowId"]
            self.call(socket_path, "Browser.setWindowBounds", {"windowId": window, "bounds": {"left": place, "top": 0, "width": 1440, "height": 900}})
        return page

    def close(self, *pages):
        for page in pages:
            self.ask("/close/" + page)
        until(lambda: not set(pages) & set(self.targets()), 10)

    def evaluate(self, page, expression):
        """The value of an expression in a page. A debugger is attached only meanwhile."""
        return self.call(f"/devtools/page/{page}", "Runtime.evaluate", {"expression": expression, "returnByValue": True})["result"].get("value")

    def call(self, place, method, parameters):
        """The result of one command of the DevTools protocol."""
        address = types.SimpleNamespace(host=f"127.0.0.1:{self.port}")
        _, connection, rest = handshake(address, place, connection=socket.create_connection(("127.0.0.1", self.port), timeout=20))
        with connection:
            connection.sendall(frame(json.dumps({"id": 1, "method": method, "params": parameters}).encode()))
            # One short answer: a WebSocket message with a header of 2 or 4 bytes.
            while len(rest) < 4 or len(rest) < (2 + rest[1] if rest[1] < 126 else 4 + int.from_bytes(rest[2:4], "big")):
                rest += connection.recv(1 << 16)
            return json.loads(rest[2 if rest[1] < 126 else 4:])["result"]

    def processes(self):
        """The browser and its descendants."""
        parents = {}
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                parents[int(path.name)] = int((path / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError):
                continue
        found, waiting = set(), {self.process.pid}
        while waiting:
            found |= waiting
            waiting = {process for process, parent in parents.items() if parent in waiting} - found
        return found

    def end(self):
        for process in sorted(self.processes()):
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGTERM)
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def used(processes):
    """CPU time by process, in seconds, of the processes that exist."""
    times = {}
    for process in processes:
        with contextlib.suppress(OSError):
            times[process] = processor(process)
    return times


def sample(found, browser, pages, seconds):
    """Cores used by recorder, web process, and browser, and what the first page painted per second: by role, frames and widths."""
    painted = {role: frames for role, frames, *_ in json.loads(browser.evaluate(pages[0], PAINTED))} if pages else {}
    time.sleep(0.5)
    kinds = {"recorder": lambda: [found.recorder], "web": lambda: [found.web], "browser": browser.processes}
    before, begun = {kind: used(processes()) for kind, processes in kinds.items()}, time.monotonic()
    time.sleep(seconds)
    taken = time.monotonic() - begun
    cores = {kind: sum(value - before[kind].get(process, 0) for process, value in used(processes()).items()) / taken
             for kind, processes in kinds.items()}
    shown = {}
    if pages:
        time.sleep(0.5)
        for role, frames, width, _, box in json.loads(browser.evaluate(pages[0], PAINTED)):
            shown[role] = ((frames - painted.get(role, frames)) / (taken + 1), width, box)
    return cores, shown


def rounds(programs, scene, options, is_recorded):
    """Each set of viewers in each round: cores by process, and what the page painted."""
    samples = {name: [] for name in VIEWERS}
    found = Studio(programs, SCENES[scene])
    try:
        if found.url is None:
            raise SystemExit("bench: the studio did not start:\n" + "\n".join(found.said[-20:]))
        until(lambda: (found.status() or {}).get("state") == "standby", 60)
        if is_recorded:
            found.record()
        with display() as screen, contextlib.ExitStack() as stack:
            browser, other = Browser(screen), Browser(screen, left=1460)
            stack.callback(browser.end)
            stack.callback(other.end)
            for _ in range(options.runs):
                for name, (shown, hidden, remote) in VIEWERS.items():
                    pages = [browser.open(found.url, place=1460 * index) for index in range(shown + hidden)]
                    if hidden:
                        time.sleep(2)
                        pages.append(browser.open("about:blank"))
                    away = [other.open(found.url, place=1460) for _ in range(remote)]
                    time.sleep(3)
                    visible = [browser.evaluate(page, "document.visibilityState") == "visible" for page in pages[:shown + hidden]]
                    if visible != [True] * shown + [False] * hidden:
                        raise SystemExit(f"bench: {name}: visible are {visible}")
                    samples[name].append(sample(found, browser, pages[:shown], options.seconds))
                    browser.close(*pages)
                    other.close(*away)
                    time.sleep(1)
        if is_recorded:
            found.finish()
    finally:
        found.end()
        shutil.rmtree(found.folder, ignore_errors=True)
    return samples


def measure(programs, options):
    """Tables of what viewers cost, on standby and while recording."""
    lines = ["### watching: the processor time of recorder, web process, and browser", ""]
    for scene in SCENES:
        for is_recorded in (False, True):
            lines += table(scene, is_recorded, rounds(programs, scene, options, is_recorded))
    lines.append("Wanted for one page: " + ", ".join(f"{scene} {cores:.2f}" for scene, cores in WANTED.items()) + ".")
    lines.append(f"Chromium with a window on Xvfb, without a GPU: `chromium {' '.join(FLAGS[:4])} …`. Medians of {options.runs} interleaved rounds of "
                 f"{options.seconds} s.")
    return "\n".join(lines) + "\n"


def table(scene, is_recorded, samples):
    lines = [f"{scene[0].upper()}{scene[1:]}, {'recording' if is_recorded else 'on standby'}, in cores:", "",
             "| | recorder | its extra | web process | browser | watching |", "|---|--:|--:|--:|--:|--:|"]
    for name, runs in samples.items():
        cores = {kind: statistics.median(cores[kind] for cores, _ in runs) for kind in ("recorder", "web", "browser")}
        # Differences per round, because disturbances affect all samples of a round.
        pairs = [(cores, alone) for (cores, _), (alone, _) in zip(runs, samples["no page"])]
        extra = statistics.median(cores["recorder"] - alone["recorder"] for cores, alone in pairs)
        watching = statistics.median(cores["recorder"] - alone["recorder"] + cores["web"] + cores["browser"] for cores, alone in pairs)
        lines.append(f"| {name} | {cores['recorder']:.3f} | {extra:.3f} | {cores['web']:.3f} | {cores['browser']:.3f} | {watching:.3f} |")
    shown = [shown for _, shown in samples["one page"]]
    rates = {role: statistics.median(one[role][0] for one in shown if role in one) for role in shown[-1]}
    lines += ["", "Painted per second: " + ", ".join(f"{role} {rate:.1f} ({shown[-1][role][1]} pixels wide in {shown[-1][role][2]})"
                                                    for role, rate in rates.items()) + ".", ""]
    return lines
