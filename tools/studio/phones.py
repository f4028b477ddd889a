"""Phones with the same name but different keys: access of each to the other's recording, across restarts of the web process and the studio."""
import json
import os
import pathlib
import signal
import struct
import subprocess
import tempfile
import threading
import time

from client import Studio, frame, handshake, until

PROFILE = """
cameras:
  own: { device: "virtual:clap", size: 320x180, rate: 15 }
  guest: { device: "phone:anna" }
tracks: { cameras: copy }
limits: none
budget: { hardware: 10 }
"""


class Phone:
    """A simulated phone: its WebSocket, its clock, and JPEGs at 15 fps."""

    picture = None

    def __init__(self, studio, key, name="anna"):
        token = json.loads(studio.ask("GET", "/api/v1/phones")[1])["url"].split("#token=")[1]
        if Phone.picture is None:
            Phone.picture = subprocess.run(
                ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x240", "-frames:v", "1", "-f", "mjpeg", "-"], check=True,
                capture_output=True).stdout
        code, self.connection, self.rest = handshake(studio, f"/api/v1/phone-socket?token={token}", Origin="http://" + studio.host)
        assert code == 101, code
        self.told, self.is_welcome, self.refusal, self.lock = [], False, None, threading.Lock()
        self.closed = threading.Event()
        self.connection.settimeout(None)
        self.say({"type": "offer", "name": name, "key": key * 32, "dated": "arrival", "audio": None,
                  "video": {"codec": "jpeg", "width": 320, "height": 240, "rate": 15}})
        for work in (self._read, self._send):
            threading.Thread(target=work, daemon=True).start()

    def say(self, message):
        self.raw(frame(json.dumps(message).encode()))

    def raw(self, content):
        with self.lock:
            self.connection.sendall(content)

    def binary(self, kind, number, content):
        at = int(time.monotonic() * 1e6)
        self.raw(frame(struct.pack("<BBHqq", kind, 1, 0, number, at) + content, 2))

    def _exactly(self, count):
        while len(self.rest) < count:
            piece = self.connection.recv(1 << 16)
            if not piece:
                raise ConnectionError
            self.rest += piece
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def _read(self):
        try:
            while True:
                first, length = self._exactly(2)
                if length == 126:
                    length = struct.unpack(">H", self._exactly(2))[0]
                content = self._exactly(length)
                if first & 15 == 9:
                    self.raw(frame(content, 10))
                if first & 15 != 1:
                    continue
                message = json.loads(content)
                if message["type"] == "ping":
                    self.say({"type": "pong", "id": message["id"], "at_us": int(time.monotonic() * 1e6)})
                self.is_welcome |= message["type"] == "welcome"
                if message["type"] == "refused":
                    self.refusal = message["text"]
                self.told.append(message)
        except (OSError, ValueError):
            self.closed.set()

    def _send(self):
        number = 0
        try:
            while not self.closed.wait(1 / 15):
                if self.is_welcome:
                    self.binary(1, number, Phone.picture)
                    number += 1
        except OSError:
            pass

    def stored(self, facts, piece=None, offset=0, **more):
        """The answers to the query for the received size, and to an uploaded piece."""
        def ask(send):
            before = sum(message["type"] == "store" for message in self.told)
            send()
            until(lambda: sum(message["type"] == "store" for message in self.told) > before, 10)
            return [message for message in self.told if message["type"] == "store"][-1:]
        answers = ask(lambda: self.say({"type": "stored", **facts, **more}))
        if piece is not None:
            answers += ask(lambda: self.binary(6, offset, piece))
        return answers

    def close(self):
        self.closed.set()
        try:
            self.connection.shutdown(2)
        except OSError:
            pass
        self.connection.close()


def run(programs, say):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="studio-phones-"))
    profile = folder / "phones.yaml"
    profile.write_text(PROFILE)
    started = lambda: Studio(programs, None, "--profile", str(profile), folder=folder)
    studio = started()
    owner = Phone(studio, "a")
    until(lambda: (studio.status() or {}).get("state") == "standby", 90)
    session = studio.record(60)
    say("a phone is a camera of the recording", owner.is_welcome)
    time.sleep(3)

    owner.close()
    web = studio.web
    os.kill(web, signal.SIGKILL)
    until(lambda: studio.web not in (None, web) and studio.status(), 15)
    other = Phone(studio, "b")
    until(lambda: other.refusal or other.is_welcome, 10)
    say("a phone with another key is refused as the camera of a running recording, after a restart of the web process",
        other.refusal and "Another phone" in other.refusal and not other.is_welcome, other.refusal)
    other.close()
    owner = Phone(studio, "a")
    say("the phone itself comes back", until(lambda: owner.is_welcome, 10), owner.refusal)
    time.sleep(2)
    studio.finish()
    parts = lambda: {path.name: path.read_bytes() for path in (session / "cameras").glob("*.part")}
    kept = {"session": session.name, "role": "guest", "kept": "0123456789abcdef", "bytes": 100}
    answers = owner.stored(kept)
    say("a question how much has arrived creates no file", answers and answers[0].get("offset") == 0 and not parts(), answers, parts())
    for number in range(200):
        owner.stored({**kept, "kept": f"question{number}"})
    say("nor do 200 questions", not parts(), len(parts()))
    answers = owner.stored(kept, b"0123456789")
    say("its piece arrives", answers[-1].get("offset") == 10 and list(parts().values()) == [b"0123456789"], answers, parts())
    owner.close()
    studio.end()
    state = folder / "state" / "multicam" / "phones"
    files = list(state.iterdir()) if state.is_dir() else []
    say("the state folder holds a hash of its key, for this user only",
        len(files) == 1 and files[0].stat().st_mode & 0o777 == 0o600 and state.stat().st_mode & 0o777 == 0o700
        and len(files[0].read_text()) == 64 and "aaaa" not in files[0].read_text(), [file.name for file in files])

    studio = started()
    other = Phone(studio, "b")
    say("after a restart of the studio another phone may have the name", until(lambda: other.is_welcome, 10), other.refusal)
    answers = other.stored(kept, b"BAD", offset=10) + other.stored({**kept, "kept": "fedcba9876543210"}, b"BAD") + other.stored(kept, discarded=True)
    say("but can neither add to the recording nor delete from it", len(answers) == 5 and all("was not used as the camera" in answer.get("text", "") for answer in answers)
        and list(parts().values()) == [b"0123456789"], answers, parts())
    other.close()
    studio.end()

    studio = started()
    owner = Phone(studio, "a")
    until(lambda: owner.is_welcome, 10)
    answers = owner.stored(kept, b"abc", offset=10)
    say("the phone itself goes on where it ended", answers and answers[-1].get("offset") == 13 and list(parts().values()) == [b"0123456789abc"], answers, parts())
    answers = owner.stored(kept, discarded=True)
    say("and may delete it", answers and answers[-1].get("done") and not parts(), answers, parts())
    crowd = [owner.stored({**kept, "kept": f"kept{number}"}, b"x")[-1] for number in range(40)]
    say("uploads of a recording are bounded in number", len(parts()) == 32 and all("32 uploads" in answer.get("text", "") for answer in crowd[32:]), len(parts()), crowd[-1])
    owner.close()
    studio.end()
