"""Measures the control room's latency, and the cost of viewers for a recording."""
import contextlib
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "studio"))
import watching
from client import Page, Studio, processor, until

NAME = "studio"
TEXT = "the control room: how late cameras and cuts are seen in a browser, what pages cost, twenty pages"
PAGES, CUTS = 20, 10
CAMERAS = ["desk", "face", "wide", "bars"]
# Limits on an otherwise idle machine, in ms.
PREVIEW_MEDIAN, PREVIEW_HIGH, CUT = 120, 180, 300
PROFILE = """
cameras:
  desk: { device: "virtual:clap", size: 640x480, rate: 30 }
  face: { device: "virtual:clap", size: 640x480, rate: 30 }
  wide: { device: "virtual:clap", size: 640x480, rate: 30 }
  bars: { device: "virtual:bars", size: 640x480, rate: 30 }
microphones: { host: { device: "virtual:tone" } }
program:
  layout: single
  main: desk
  size: 1280x720
  rate: 30
  video: { codec: h264, preset: ultrafast, quality: 23 }
  audio: { codec: aac, bitrate: 128k, mix: [host] }
tracks: { cameras: copy, microphones: none }
budget: { hardware: 10 }
"""

# Reads each frame painted by the page. A camera frame has a code strip with the start of its exposure (docs/reference/virtual-devices.md);
# the program shows `bars` if its right edge is blue.
WATCHER = """
async () => {
    const bench = window.bench = { painted: {}, latencies: {}, isBars: undefined, turns: [], offset: 0, roundTrip: 1e9, codec: "" };
    const socket = new WebSocket(`ws://${location.host}/api/v1/socket`);
    await new Promise((done, failed) => { socket.onopen = done; socket.onerror = failed; });
    const waiting = new Map();
    socket.onmessage = ({ data }) => {
        const now = performance.now();
        if (typeof data !== "string") return;
        const message = JSON.parse(data);
        if (message.type === "pong") waiting.get(message.at)?.(message.now_ns, now);
    };
    for (let index = 0; index < 40; index += 1) {
        const begun = performance.now();
        const [theirs, ended] = await new Promise((done) => {
            waiting.set(begun, (theirs, now) => done([theirs, now]));
            socket.send(JSON.stringify({ type: "ping", at: begun }));
        });
        if (ended - begun < bench.roundTrip) {
            bench.roundTrip = ended - begun;
            bench.offset = theirs / 1e6 - (begun + ended) / 2;
        }
        await new Promise((done) => setTimeout(done, 50));
    }
    socket.close();
    // Cameras are 4:3, so in a 16:9 program the strip is between black borders; a preview may be mirrored.
    const strip = (canvas, context) => {
        const height = Math.max(1, Math.floor((canvas.height + 8) / 16));
        const width = Math.min(canvas.width, Math.round(canvas.height * 4 / 3)), border = Math.floor((canvas.width - width) / 2);
        const { data } = context.getImageData(border, Math.floor(height / 2), width, 1);
        const cells = Array.from({ length: 64 }, (_, cell) => {
            const at = 4 * Math.floor((cell + 0.5) * width / 64);
            return data[at] + data[at + 1] + data[at + 2] > 381 ? "1" : "0";
        });
        for (const order of [cells, cells.toReversed()]) {
            const bits = BigInt("0b" + order.join(""));
            let sum = 0n;
            for (let shift = 8n; shift < 56n; shift += 8n) sum += bits >> shift & 255n;
            if (bits >> 56n === 0b10101100n && (sum & 255n) === (bits & 255n)) return Number(bits >> 8n & 0xffffffn) / 10;
        }
        return undefined;
    };
    for (const canvas of document.querySelectorAll("canvas.picture[data-role]")) {
        const role = canvas.dataset.role;
        if (bench.painted[role] !== undefined) continue;
        bench.painted[role] = 0;
        bench.latencies[role] = [];
        new MutationObserver(() => {
            const now = performance.now();
            bench.painted[role] += 1;
            const context = canvas.getContext("2d");
            if (role === "program") {
                bench.codec = canvas.dataset.codec;
                const [red, green, blue] = context.getImageData(Math.floor(canvas.width * 0.8), Math.floor(canvas.height / 2), 1, 1).data;
                const isBars = blue > 100 && red < 70 && green < 70;
                if (isBars !== bench.isBars) bench.turns.push({ isBars, now });
                bench.isBars = isBars;
            }
            // Reading pixels takes time, so only a few frames are read.
            if (bench.painted[role] % 5 !== 0) return;
            const exposed = strip(canvas, context);
            if (exposed === undefined) return;
            const period = 2 ** 24 / 10;
            bench.latencies[role].push((((now + bench.offset - exposed) % period) + period) % period);
        }).observe(canvas, { attributes: true, attributeFilter: ["data-at-ns"] });
    }
    return Object.keys(bench.painted);
}
"""
CUTTER = """
async (role) => {
    const bench = window.bench, isBars = role === "bars";
    const begun = performance.now();
    const answer = await fetch("/api/v1/command", { method: "POST", body: JSON.stringify({ words: ["show", role] }) });
    if (!answer.ok) return await answer.text();
    while (performance.now() - begun < 10000) {
        const turn = bench.turns.find((turn) => turn.now > begun && turn.isBars === isBars);
        if (turn) return turn.now - begun;
        await new Promise((done) => setTimeout(done, 20));
    }
    return "it was not seen";
}
"""


def manifest(folder):
    return json.loads((folder / "manifest.json").read_text())


def share(facts):
    """CPU milliseconds used by a recording per second, excluding the threads that simulate cameras."""
    return facts["cost"]["cpu_ns"] / facts["duration_ns"] * 1000


def losses(facts):
    lost = {track["name"]: track["frames"]["lost"] for track in facts["tracks"] if track.get("frames", {}).get("lost")}
    return lost | {track["name"]: track["samples"]["silence"] for track in facts["tracks"] if track.get("samples", {}).get("silence")}


@contextlib.contextmanager
def browser():
    """A headless Chromium."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        sys.exit("bench: studio needs Python's playwright: run tools/bench by a Python that has it")
    with sync_playwright() as playwright:
        found = shutil.which("chromium") or shutil.which("chromium-browser")
        chromium = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--autoplay-policy=no-user-gesture-required"])
        yield chromium
        chromium.close()


def studio(programs):
    found = Studio(programs, PROFILE)
    if found.url is None:
        sys.exit("bench: the studio did not start:\n" + "\n".join(found.said[-20:]))
    until(lambda: (found.status() or {}).get("state") == "standby", 60)
    return found


def ended(found):
    found.end()
    shutil.rmtree(found.folder, ignore_errors=True)


def recorded(found, seconds, during=None):
    """Records in a studio: returns the manifest, the web process's CPU usage, and the result of `during`."""
    folder, web = found.record(), found.web
    begun, used = time.monotonic(), processor(web)
    result = during() if during else None
    time.sleep(max(0, begun + seconds - time.monotonic()))
    taken = (processor(web) - used) / (time.monotonic() - begun)
    found.finish()
    return manifest(folder), taken, result


def alone(programs, seconds):
    """The same recording with `record`, without a control room."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "studio.yaml"
        path.write_text(PROFILE)
        words = [pathlib.Path(programs) / "multicam", "record", "--virtual", "--profile", path, "--output", folder, "--duration", seconds]
        done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode not in (0, 6):
            sys.exit(f"bench: the recording failed ({done.returncode}):\n{done.stderr[-3000:]}")
        return manifest(pathlib.Path(done.stdout.strip()))


def looked_at(found, page, seconds):
    """Watches the page during the recording: frames painted, latency, and cuts."""
    page.wait_for_selector(f'canvas.picture[data-role="{CAMERAS[-1]}"][data-at-ns]', timeout=60_000, state="attached")
    missing = set(CAMERAS) | {"program"}
    missing -= set(page.evaluate(WATCHER))
    if missing:
        sys.exit(f"bench: the page shows no {', '.join(sorted(missing))}")
    begun = page.evaluate("() => performance.now()")
    before = page.evaluate("() => window.bench.painted")
    page.wait_for_timeout(seconds * 1000)
    after, now = page.evaluate("() => [window.bench.painted, performance.now()]")
    rates = {role: (after[role] - before[role]) / (now - begun) * 1000 for role in after}
    facts = page.evaluate("() => window.bench")
    cuts = [] if rates["program"] else ["the program is not painted"]
    for index in range(CUTS if rates["program"] else 0):
        cuts.append(page.evaluate(CUTTER, "bars" if index % 2 == 0 else "desk"))
        page.wait_for_timeout(700)
    delay = (found.status() or {}).get("delay_ns", 0) / 1e6
    return rates, facts, cuts, delay


def crowd(found, seconds):
    """Twenty simulated pages, each with the requests of the real page: the cameras, the program's packets, one microphone."""
    pages = [Page(found) for _ in range(PAGES)]
    for page in pages:
        for stream, role in enumerate(CAMERAS, 1):
            page.watch(stream, of="camera", role=role, width=640, rate=15)
        page.watch(5, of="program", decodes=True, width=1280, rate=30)
        page.watch(6, of="audio", role="host")
    begun, before = time.monotonic(), [dict(page.frames) for page in pages]
    time.sleep(seconds)
    rates = [sum(page.frames.get(stream, 0) - old.get(stream, 0) for stream in (1, 2, 3, 4)) / 4 / (time.monotonic() - begun)
             for page, old in zip(pages, before)]
    for page in pages:
        page.close()
    return rates


def measure(program, options):
    """Records in turn without a studio, with no page, with one page and with twenty.

    Returns tables, and whether a recording lost data while it was watched.
    """
    programs = pathlib.Path(program).resolve().parent
    sides = {"`record`": [], "the studio, no page": [], "one page": [], "twenty pages": []}
    webs, looks, rates = {name: [] for name in sides}, [], []
    with browser() as chromium:
        for _ in range(options.runs):
            sides["`record`"].append(alone(programs, options.seconds))
            found = studio(programs)
            try:
                facts, web, _ = recorded(found, options.seconds)
                sides["the studio, no page"].append(facts)
                webs["the studio, no page"].append(web)
                page = chromium.new_page(viewport={"width": 1440, "height": 900})
                page.goto(found.url)
                facts, web, look = recorded(found, options.seconds, lambda: looked_at(found, page, options.seconds))
                page.close()
                looks.append(look)
                sides["one page"].append(facts)
                webs["one page"].append(web)
                facts, web, rate = recorded(found, options.seconds, lambda: crowd(found, options.seconds))
                rates += rate
                sides["twenty pages"].append(facts)
                webs["twenty pages"].append(web)
            finally:
                ended(found)
    text, failed = tables(options, sides, webs, looks, rates)
    return text + "\n" + watching.measure(programs, options), failed


def high(values):
    """The 95th percentile."""
    values = sorted(values)
    return values[min(len(values) * 95 // 100, len(values) - 1)]


def tables(options, sides, webs, looks, crowded):
    lines = [f"### {NAME}: {TEXT}", "", "| | frames a second | read | median ms | p95 ms |", "|---|--:|--:|--:|--:|"]
    everything, problems = [], []
    for role in CAMERAS + ["program"]:
        rate = statistics.median(rates[role] for rates, _, _, _ in looks)
        latencies = [value for _, facts, _, _ in looks for value in facts["latencies"][role]]
        if role != "program":
            everything += latencies
        figures = f"{statistics.median(latencies):.0f} | {high(latencies):.0f}" if latencies else "has no strip |"
        lines.append(f"| {role} | {rate:.1f} | {len(latencies)} | {figures} |")
    codecs = {facts["codec"] or "not painted" for _, facts, _, _ in looks}
    trip = max(facts["roundTrip"] for _, facts, _, _ in looks)
    lines.append(f"\nFrom the start of the exposure to the painted canvas; the program ({', '.join(sorted(codecs))}) has the alignment delay in it. "
                 f"The clocks are known to ± {trip / 2:.1f} ms.")
    if everything:
        median, late = statistics.median(everything), high(everything)
        lines.append(f"All cameras: median {median:.0f} ms (wanted: {PREVIEW_MEDIAN}), p95 {late:.0f} ms (wanted: {PREVIEW_HIGH}).")
        if median > PREVIEW_MEDIAN or late > PREVIEW_HIGH:
            lines.append("That is later than wanted.")
    else:
        problems.append("no code strip was readable")
    beyond = [cut - delay for _, _, cuts, delay in looks for cut in cuts if isinstance(cut, (int, float))]
    unseen = [cut for _, _, cuts, _ in looks for cut in cuts if not isinstance(cut, (int, float))]
    if beyond:
        lines.append(f"{len(beyond)} cuts, from the command to the program's picture, beyond the alignment delay of "
                     f"{looks[0][3]:.0f} ms: median {statistics.median(beyond):.0f} ms, worst {max(beyond):.0f} ms (wanted: {CUT}).")
    problems += [f"a cut: {text}" for text in unseen[:3]]
    lines += ["", "| | recorder, ms of a processor a second | of the recording before it in the round | web process, % of a processor | frames written | lost |",
              "|---|--:|--:|--:|--:|--:|"]
    names = list(sides)
    for index, (name, runs) in enumerate(sides.items()):
        cost = statistics.median(share(run) for run in runs)
        # The ratio per round, because disturbances affect all runs of a round.
        ratio = statistics.median(share(run) / share(other) for run, other in zip(runs, sides[names[index - 1]])) if index else None
        web = f"{100 * statistics.median(webs[name]):.1f}" if webs[name] else ""
        written = sum(track["frames"]["written"] for run in runs for track in run["tracks"] if "frames" in track)
        lost = [losses(run) for run in runs if losses(run)]
        lines.append(f"| {name} | {cost:.0f} | {f'{ratio:.3f}' if ratio else ''} | {web} | {written} | {len(lost)} runs |")
        if lost:
            lines_after = f"{name}: lost {lost[:2]}"
            problems.append(lines_after)
    if crowded:
        lines.append(f"\nEach of the twenty pages got {statistics.median(crowded):.1f} frames a second of each camera (asked: 15), the least {min(crowded):.1f}.")
    lines += [f"\nProblem: {text}" for text in problems]
    lines += ["", f"{len(looks)} interleaved runs of {options.seconds} s each; the browser and the cameras run on the same processors."]
    return "\n".join(lines) + "\n", bool(problems)
