"""Tests a profile's `publish:`: `multicam record` itself starts and controls the live process, and real peers receive the streams."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import threading
import time

ENTRIES = """
publish:
  show: { url_from: { file: KEYFILE } }
  tube: { url_from: { env: LIVE_TEST_TUBE } }
  own: { url: "srt://PEER:9001?latency=120", video: { size: 640x360, rate: 30, bitrate: 1500k } }
  later: { url: "srt://PEER:9002?latency=120", start: command }
"""


class Recorder:
    """`multicam record` of a profile with live outputs, with separate folders for recordings and runtime files."""

    def __init__(self, test, bench):
        self.test, self.folder = test, bench.folder / "recorded"
        self.folder.mkdir()
        key = self.folder / "key"
        key.write_text(f"{test.SRT}&passphrase={test.PASSPHRASE}\n")
        key.chmod(0o600)
        text = (test.PROFILE + ENTRIES).replace("PRESET", "balanced").replace("KEYFILE", str(key)).replace("PEER", test.PEER)
        (self.folder / "show.yaml").write_text(text)
        self.multicam = bench.multicam
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": str(self.folder)}
        self.process = subprocess.Popen(
            [self.multicam, "record", "--profile", str(self.folder / "show.yaml"), "--output", str(self.folder / "recordings"), "--json"],
            env={**self.environment, "LIVE_TEST_TUBE": test.RTMP}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        bench.started.append(self.process)
        self.events, self.said = [], [b""]
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=lambda: self.said.append(self.process.stderr.read()), daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.events.append(json.loads(line))

    def ctl(self, *words, given=None):
        """Status and output of `multicam ctl`."""
        done = subprocess.run([self.multicam, "ctl", *words], env=self.environment, input=given, capture_output=True, text=True)
        return done.returncode, (done.stdout + done.stderr).strip()

    def outputs(self):
        status, text = self.ctl("status", "--json")
        return {output["name"]: output for output in json.loads(text)["status"]["live_outputs"]} if status == 0 else {}

    def states(self):
        return {name: output["state"] for name, output in self.outputs().items()}

    @property
    def live(self):
        """Process ID of the live process, with its command line and environment."""
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (path / "cmdline").read_bytes()
                if words.split(b"\0")[0].endswith(b"multicam-live") and f"{self.process.pid}.sock".encode() in words:
                    return int(path.name), words, (path / "environ").read_bytes()
            except OSError:
                continue
        return None, b"", b""


def server(test, bench, name, port):
    import sys
    return test.Peer(bench, name, sys.executable, test.ROOT / "tools" / "live" / "srt_server.py", test.PEER, port)


def grows(test, peer, seconds=12):
    """The time until more data arrives than could have been in transit, in seconds from now; `None` if none arrives."""
    begin, before = time.monotonic(), peer.count
    return time.monotonic() - begin if test.until(lambda: peer.count > before + 60_000, seconds) else None


def run(test, bench, is_unjudged):
    say, until = test.say, test.until
    key = f"&passphrase={test.PASSPHRASE}&pbkeylen=16"
    nginx = test.Nginx(bench)
    show, own = test.srt_peer(bench, "recorded-show.ts", more=key), server(test, bench, "recorded-own.ts", 9001)
    recorder = Recorder(test, bench)
    began = until(lambda: next((event for event in recorder.events if event["event"] == "started"), None), 30)
    begin = time.monotonic()
    wanted = {"show": "connected", "tube": "connected", "own": "connected", "later": "off"}
    say("what a profile publishes is on the air within 5 s of the recording's begin", until(lambda: recorder.states() == wanted, 8)
        and time.monotonic() - begin < 5, f"{time.monotonic() - begin:.1f} s", recorder.states())
    process, words, variables = recorder.live
    secrets = [secret.encode() for secret in (test.PASSPHRASE, test.KEY)]
    say("no key is among the live process's arguments or variables", process and not any(secret in words + variables for secret in secrets))
    time.sleep(10)
    # Data from before the first outage.
    files = {"SRT with a passphrase": show.path, "RTMP": nginx.files[-1], "an own encoder": own.path}
    files = {what: shutil.copy(path, bench.folder / f"first{number}{path.suffix}") for number, (what, path) in enumerate(files.items())}

    # By command.
    later = test.srt_peer(bench, "recorded-later.ts", port=9002)
    answers = [recorder.ctl("publish", "later"), recorder.ctl("publish", "later")]
    say("`ctl publish` begins an entry of the profile, and twice the same is answered", [status for status, _ in answers] == [0, 0]
        and "already" in answers[1][1] and until(lambda: later.count > 100_000, 10), answers[1][1])
    answers = [recorder.ctl("unpublish", "later"), recorder.ctl("unpublish", "later")]
    say("`ctl unpublish` ends it, and twice the same is answered", [status for status, _ in answers] == [0, 0]
        and until(lambda: recorder.states().get("later") == "ended", 5), answers[1][1])
    later.kill()
    later = test.srt_peer(bench, "recorded-given.ts", port=9002, more=key)
    status, text = recorder.ctl("publish", f"srt://{test.PEER}:9002?passphrase={test.PASSPHRASE}")
    say("an address as an argument is refused, and not repeated", status == 2 and test.PASSPHRASE not in text, text.splitlines()[0])
    status, text = recorder.ctl("publish", "-", given=f"srt://{test.PEER}:9002?latency=120&passphrase={test.PASSPHRASE}\n")
    say("`ctl publish -` takes one from standard input", status == 0 and test.PASSPHRASE not in text
        and until(lambda: later.count > 100_000, 10), text)
    recorder.ctl("unpublish", "srt")
    later.kill()

    # Outages.
    show.kill()
    time.sleep(1)
    show = test.srt_peer(bench, "recorded-show-2.ts", more=key)
    test.on_air("a profile's SRT peer was killed and is back after 1 s", show.started, until(lambda: show.first, 20))
    nginx.first(0.1)
    nginx.kill()
    time.sleep(1)
    nginx.start()
    test.on_air("a profile's RTMP server was killed and is back after 1 s", nginx.started, nginx.first())
    test.rule("drop")
    time.sleep(2)
    test.rule(None)
    took = [grows(test, show), grows(test, own)]
    say("after a black hole of 2 s it is on the air within 4 s where a server takes a new connection at once", took[1] is not None and took[1] < 4,
        f"{took[1]} s")
    # Five seconds since the old connection's last packet, three of them after the black hole, plus the current attempt.
    say("and within 7 s at srt-live-transmit, which needs 5 s to forget the old one", took[0] is not None and took[0] < 7, f"{took[0]} s")
    time.sleep(3)
    size = nginx.files[-1].stat().st_size
    process = recorder.live[0]
    os.kill(process, signal.SIGKILL)
    begin, known, before = time.monotonic(), len(nginx.files), own.count
    took = {}
    while len(took) < 2 and time.monotonic() - begin < 12:
        if "SRT" not in took and own.count > before + 60_000:
            took["SRT"] = round(time.monotonic() - begin, 2)
        newer = nginx.files[-1]
        if "RTMP" not in took and ((len(nginx.files) > known and newer.stat().st_size > 2000) or newer.stat().st_size > size + 400_000):
            took["RTMP"] = round(time.monotonic() - begin, 2)
        time.sleep(0.02)
    say("kill -9 of the live process: it is started again, and on the air within 4 s where a server takes a new connection at once",
        len(took) == 2 and max(took.values()) <= 4 and recorder.live[0] not in (None, process), took)
    before = show.count
    came = until(lambda: show.count > before + 60_000, 12)
    say("and within 9 s at srt-live-transmit, which needs 5 s to forget the old one", came and time.monotonic() - begin < 9,
        f"{time.monotonic() - begin:.1f} s")
    say("all are connected again", until(lambda: recorder.states() == {**wanted, "later": "ended", "srt": "ended"}, 10), recorder.states())
    time.sleep(2)

    # The end.
    status_text = recorder.ctl("status", "--json")[1]
    recorder.process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    status = recorder.process.wait(60)
    folder = next((recorder.folder / "recordings").iterdir())
    facts = json.loads((folder / "manifest.json").read_text())
    for what, path in files.items():
        test.judge(what, test.Arrived(path), 200)
    say("the recording ends as it should, and `multicam verify` finds it whole", status in ((0, 6) if is_unjudged else (0,))
        and test.run(recorder.multicam, "verify", folder, check=False).returncode == 0, f"exit {status}")
    lost = {track["name"]: {**track["frames"]["lost"], "duplicated": track["frames"]["duplicated"]} for track in facts["tracks"] if "frames" in track}
    holds = not any(any(counts.values()) for counts in lost.values())
    if is_unjudged:
        print(f"       the recording lost or duplicated {lost}")
    else:
        say("nothing of it was lost, and no tick was duplicated", holds, "" if holds else lost)
    outputs = {output["name"]: output for output in facts["live_outputs"]}
    say("the manifest has each live output, when it was connected, what it sent and why it was not",
        set(outputs) == {"show", "tube", "own", "later", "srt"}
        and all(output["connected"] and output["sent_frames"] > 60 for output in outputs.values())
        and all(0 <= stretch["from_ns"] <= stretch["to_ns"] <= facts["duration_ns"] for output in outputs.values() for stretch in output["connected"])
        and len(outputs["show"]["connected"]) >= 3 and any("signal 9" in reason for reason in outputs["show"]["reasons"]),
        {name: [len(output["connected"]), output["sent_frames"], output["dropped_frames"]] for name, output in outputs.items()})
    say("its events tell of each change", {(event["name"], event["state"]) for event in recorder.events if event["event"] == "live-output"}
        >= {(name, state) for name in ("show", "tube", "own") for state in ("connected", "waiting")})
    until(lambda: len(recorder.said) > 1, 5)
    told = b"".join(path.read_bytes() for path in folder.rglob("*") if path.suffix in (".json", ".ndjson"))
    told += b"".join(recorder.said) + status_text.encode() + json.dumps(recorder.events).encode()
    say("no key is in the manifest, the events, the status or what is said", not any(secret in told for secret in secrets))
    say("no live process is left behind", recorder.live[0] is None)
    for peer in (show, own):
        peer.kill()
    nginx.kill()
