"""Measures the cost for a recording when another process reads a camera's original frames and the program's packets through the media socket."""
import json
import os
import pathlib
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

NAME = "media"
TEXT = "one reader of a 1080p30 JPEG camera's own frames and of the program's packets, by the media socket"
AIM = 1.0            # percent of a core
PROFILE = """
cameras: {{ desk: {{ device: "virtual:still:{picture}", size: 1920x1080, rate: 30 }} }}
microphones: {{ host: {{ device: "virtual:tone" }} }}
program: {{ size: 1920x1080, rate: 30, layout: single, main: desk, video: {{ preset: ultrafast }}, audio: {{ mix: [host] }} }}
tracks: {{ cameras: copy, microphones: wav }}
budget: {{ hardware: 10 }}
"""


def picture(folder):
    """An image whose JPEG from the virtual camera has about 400 kB."""
    path = pathlib.Path(folder) / "picture.png"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=1920x1080,noise=alls=8", "-frames:v", "1", path], check=True)
    return path


def message(header):
    header = json.dumps(header).encode()
    return b"mcm1" + struct.pack("<II", len(header), 0) + header


class Reader:
    """A separate process that reads everything and only counts."""
    WORDS = """
import json, socket, struct, sys
link = socket.socket(socket.AF_UNIX)
link.connect(sys.argv[1])
for wish in ({"id": 1, "of": "frames", "role": "desk"}, {"id": 2, "of": "packets"}):
    header = json.dumps({"type": "want", **wish}).encode()
    link.sendall(b"mcm1" + struct.pack("<II", len(header), 0) + header)
stream = link.makefile("rb", 1 << 20)
counts, size, lost, buffer = {}, 0, 0, bytearray(1 << 22)
try:
    while prefix := stream.read(12):
        header, data = struct.unpack("<II", prefix[4:])
        header = json.loads(stream.read(header))
        stream.readinto(memoryview(buffer)[:data])
        counts[header["type"]] = counts.get(header["type"], 0) + 1
        size += data
        lost = max(lost, header.get("lost", 0))
except (OSError, ValueError):
    pass
print(json.dumps({"counts": counts, "bytes": size, "lost": lost}))
"""

    def __init__(self, path):
        self.process = subprocess.Popen([sys.executable, "-c", self.WORDS, path], stdout=subprocess.PIPE, text=True)

    def result(self):
        return json.loads(self.process.communicate()[0])


def spent(process):
    """CPU seconds of a process, excluding the threads that simulate cameras and microphones; and of the socket's threads."""
    tick = os.sysconf("SC_CLK_TCK")
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    total, ours = (int(fields[11]) + int(fields[12])) / tick, 0
    for task in pathlib.Path(f"/proc/{process}/task").iterdir():
        try:
            name, nanoseconds = (task / "comm").read_text(), int((task / "schedstat").read_text().split()[0])
        except (OSError, IndexError):
            continue
        if name.startswith(("cam:", "mic:")):
            total -= nanoseconds / 1e9
        elif name.startswith(("tap:", "media")):
            ours += nanoseconds / 1e9
    return total, ours


def record(multicam, seconds, folder, is_read):
    profile = pathlib.Path(folder) / "media.yaml"
    profile.write_text(PROFILE.format(picture=picture(folder)))
    words = [multicam, "record", "--profile", profile, "--output", folder, "--no-governor"]
    process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env={**os.environ, "XDG_RUNTIME_DIR": folder})
    session = process.stdout.readline().strip()
    if not session:
        sys.exit(f"bench: the recording did not begin:\n{process.stderr.read()[-3000:]}")
    drain = threading.Thread(target=process.stderr.read)
    drain.start()
    reader = Reader(f"{folder}/multicam/{process.pid}.sock.media") if is_read else None
    # Excludes the first seconds, which include startup.
    time.sleep(2)
    before, begun = spent(process.pid), time.monotonic()
    time.sleep(seconds)
    after, took = spent(process.pid), time.monotonic() - begun
    process.send_signal(signal.SIGINT)
    process.wait()
    drain.join()
    got = reader.result() if reader else {"counts": {}, "bytes": 0, "lost": 0}
    manifest = json.loads((pathlib.Path(session) / "manifest.json").read_text())
    lost = {track["name"]: track["frames"]["lost"] for track in manifest["tracks"] if track.get("frames", {}).get("lost")}
    return [100 * (b - a) / took for a, b in zip(before, after)], got, lost


def measure(multicam, options):
    """Records alternately without and with a reader.

    Returns a table, and whether a frame was lost only with a reader, or the reader received nothing.
    """
    pairs, lost, counts = [], {False: {}, True: {}}, {}
    for _ in range(options.runs):
        pair = {}
        for is_read in (False, True):
            with tempfile.TemporaryDirectory(dir=options.scratch) as folder:
                pair[is_read], got, missing = record(multicam, options.seconds, folder, is_read)
            lost[is_read].update(missing)
            if is_read:
                counts = got
        pairs.append(pair)
    without = statistics.median(pair[False][0] for pair in pairs)
    more = statistics.median(pair[True][0] - pair[False][0] for pair in pairs)
    threads = statistics.median(pair[True][1] for pair in pairs)
    spread = sorted(pair[True][0] - pair[False][0] for pair in pairs)
    megabytes = counts["bytes"] / 1e6 / (options.seconds + 2)
    lines = [f"### {NAME}: {TEXT}", "", "| | per cent of a core |", "|---|--:|", f"| nobody reads | {without:.1f} |",
             f"| more with the reader, of all threads | {more:.2f} ({spread[0]:.2f} to {spread[-1]:.2f}) |",
             f"| of the socket's own threads | {threads:.2f} |", "",
             f"Medians of {len(pairs)} pairs of {options.seconds} s each, without the threads that stand in for devices; the aim is {AIM:.0f} %. "
             f"The reader got {counts['counts'].get('frame', 0)} frames and {counts['counts'].get('packet', 0)} packets at last, "
             f"{megabytes:.1f} MB a second, and lost {counts['lost']}."]
    if any(lost.values()):
        lines.append(f"\nLost by the recording: without a reader {lost[False]}, with one {lost[True]}.")
    return "\n".join(lines) + "\n", bool(lost[True] and not lost[False]) or not counts["counts"].get("frame")
