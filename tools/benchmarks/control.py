"""Measures the cost of status requests for a recording: ten clients, plus one slow and one silent client."""
import dataclasses
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

NAME = "control"
TEXT = "`ctl status` asked 100 times a second by ten clients, one slow, one silent, beside a recording"
CLIENTS, ASKED = 10, 100     # clients, and requests per second by all of them
PROFILE = """
cameras:
  desk: { device: "virtual:clap", size: 640x360, rate: 30 }
  face: { device: "virtual:bars", size: 640x360, rate: 30 }
microphones: { host: { device: "virtual:tone" } }
tracks: { cameras: copy, microphones: wav }
budget: { hardware: 10 }
"""
REQUEST = b'{"words": ["status"]}\n'


@dataclasses.dataclass
class Run:
    answers: list          # seconds from connecting to the complete answer, for each answer
    refused: list          # error messages
    lost: dict             # lost frames by track
    written: int


def ask(path):
    """One request, as sent by `multicam ctl`, and the answer."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(30)
        client.connect(path)
        client.sendall(REQUEST)
        answer = b""
        while piece := client.recv(65536):
            answer += piece
    return json.loads(answer)


def regular(path, index, ended, run):
    """Sends requests at regular intervals, regardless of answer times."""
    due = time.monotonic() + index / ASKED
    while not ended.wait(max(0, due - time.monotonic())):
        due += CLIENTS / ASKED
        begun = time.monotonic()
        try:
            answer = ask(path)
        except (OSError, ValueError) as error:
            if not os.path.exists(path):
                ended.set()
            if not ended.is_set():
                run.refused.append(str(error))
            continue
        run.answers.append(time.monotonic() - begun)
        if not answer["ok"]:
            run.refused.append(answer["text"])


def slow(path, ended):
    """Sends a byte every two seconds, repeatedly."""
    while not ended.is_set():
        with socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(path)
                for index in range(len(REQUEST)):
                    client.sendall(REQUEST[index:index + 1])
                    if ended.wait(2):
                        return
            except OSError:
                ended.wait(0.1)


def silent(path, ended):
    """Connects and sends nothing, repeatedly."""
    while not ended.is_set():
        with socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(path)
                client.settimeout(0.2)
                while not ended.is_set():
                    try:
                        if not client.recv(65536):
                            break
                    except TimeoutError:
                        continue
            except OSError:
                ended.wait(0.1)


def record(multicam, seconds, folder, is_asked):
    profile = pathlib.Path(folder) / "control.yaml"
    profile.write_text(PROFILE)
    words = [multicam, "record", "--profile", profile, "--output", folder, "--duration", str(seconds), "--no-governor"]
    process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env={**os.environ, "XDG_RUNTIME_DIR": folder})
    session = process.stdout.readline().strip()
    if not session:
        sys.exit(f"bench: the recording did not begin:\n{process.stderr.read()[-3000:]}")
    path = f"{folder}/multicam/{process.pid}.sock"
    run, ended = Run([], [], {}, 0), threading.Event()
    threads = []
    if is_asked:
        threads = [threading.Thread(target=regular, args=(path, index, ended, run)) for index in range(CLIENTS)]
        threads += [threading.Thread(target=slow, args=(path, ended)), threading.Thread(target=silent, args=(path, ended))]
    for thread in threads:
        thread.start()
    # Only requests during the recording count.
    ended.wait(max(seconds - 1, 1))
    ended.set()
    for thread in threads:
        thread.join()
    _, said = process.communicate()
    if process.returncode not in (0, 6):
        sys.exit(f"bench: the recording failed ({process.returncode}):\n{said[-3000:]}")
    manifest = json.loads((pathlib.Path(session) / "manifest.json").read_text())
    frames = {track["name"]: track["frames"] for track in manifest["tracks"] if "frames" in track}
    run.lost = {name: counts["lost"] for name, counts in frames.items() if counts["lost"]}
    run.written = sum(counts["written"] for counts in frames.values())
    return run


def measure(multicam, options):
    """Records without and with clients, to separate the machine's own losses.

    Returns a table, and whether a frame was lost or a request was not answered with clients.
    """
    runs = {False: [], True: []}
    for _ in range(options.runs):
        for is_asked in (False, True):
            with tempfile.TemporaryDirectory(dir=options.scratch) as folder:
                runs[is_asked].append(record(multicam, options.seconds, folder, is_asked))
    lines = [f"### {NAME}: {TEXT}", "", "| | answers | not answered | median ms | p99 ms | frames written | lost |",
             "|---|--:|--:|--:|--:|--:|--:|"]
    for is_asked, name in ((False, "nobody asks"), (True, "all ask")):
        answers = sorted(time for run in runs[is_asked] for time in run.answers)
        refused = [text for run in runs[is_asked] for text in run.refused]
        lost = sum(count for run in runs[is_asked] for causes in run.lost.values() for count in causes.values())
        median = f"{statistics.median(answers) * 1000:.2f}" if answers else ""
        high = f"{answers[min(len(answers) * 99 // 100, len(answers) - 1)] * 1000:.2f}" if answers else ""
        lines.append(f"| {name} | {len(answers)} | {len(refused)} | {median} | {high} | "
                     f"{sum(run.written for run in runs[is_asked])} | {lost} |")
    asked = runs[True]
    failed = any(run.lost or run.refused or not run.answers for run in asked)
    if any(run.lost for run in runs[False]):
        lines.append("\nThis machine loses frames where nobody asks, too: try again when it is less busy.")
    for run in asked:
        for text in run.refused[:3]:
            lines.append(f"\nNot answered: {text}")
        if run.lost:
            lines.append(f"\nLost: {run.lost}")
    lines += ["", f"{len(asked)} interleaved runs of {options.seconds} s each. A client's time includes its own waiting for a processor."]
    return "\n".join(lines) + "\n", failed
