"""Starts `multicam studio` and talks to its web process like pages and like attackers: HTTP and WebSockets on raw sockets."""
import base64
import json
import os
import pathlib
import queue
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time


class Studio:
    """A studio with separate folders for all its files. `programs` is the folder of `multicam` and `multicam-web`."""

    all = []

    def __init__(self, programs, profile, *options, port=0, runtime=None, waits=60, folder=None):
        Studio.all.append(self)
        self.folder = folder or pathlib.Path(tempfile.mkdtemp(prefix="studio-"))
        self.output = self.folder / "recordings"
        self.runtime = runtime or tempfile.mkdtemp(prefix="run-", dir=self.folder)
        self.multicam = str(pathlib.Path(programs) / "multicam")
        words = [self.multicam, "studio", "--no-open", "--port", str(port), "--output", str(self.output), *options]
        if profile is not None:
            path = self.folder / "studio-test.yaml"
            path.write_text(profile)
            words += ["--virtual", "--profile", str(path)]
        self.said, self.lines = [], []
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": self.runtime, "XDG_CONFIG_HOME": str(self.folder / "config"),
                            "XDG_STATE_HOME": str(self.folder / "state"),
                            "STUDIO_TEST_KEY": "what-a-profile-names"}
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env=self.environment)
        self.readers = [threading.Thread(target=self._read, args=pair, daemon=True)
                        for pair in ((self.process.stdout, self.lines), (self.process.stderr, self.said))]
        for reader in self.readers:
            reader.start()
        end = time.monotonic() + waits
        while not self.lines and self.process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        self.url = None
        if self.lines:
            line = self.lines[0]
            self.url = json.loads(line)["url"] if line.startswith("{") else line
            place, self.token = self.url.split("/#token=")
            self.host = place.split("//")[1]
            self.port = int(self.host.rsplit(":", 1)[1])

    @staticmethod
    def _read(file, lines):
        for line in file:
            lines.append(line.rstrip("\n"))

    def heard(self, word, seconds=10):
        """Waits for a line with a word on standard error."""
        return until(lambda: next((line for line in list(self.said) if word in line), None), seconds)

    # The processes

    def children(self):
        """The process IDs of recorder and web process, `None` if not running."""
        found = {"record": None, "web": None}
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                facts = (path / "stat").read_text().rsplit(")", 1)[1].split()
                if int(facts[1]) != self.process.pid or facts[0] == "Z":
                    continue
                words = (path / "cmdline").read_bytes().split(b"\0")
            except (OSError, IndexError):
                continue
            if words[0].endswith(b"multicam-web"):
                found["web"] = int(path.name)
            elif b"record" in words:
                found["record"] = int(path.name)
        return found

    @property
    def web(self):
        return self.children()["web"]

    @property
    def recorder(self):
        return self.children()["record"]

    # Requests

    def ask(self, method, path, body=None, token=True, **headers):
        """A request on a separate connection: returns status and body."""
        headers = {"Host": self.host, "Connection": "close", **{name.replace("_", "-"): value for name, value in headers.items()}}
        if token is True:
            headers["Authorization"] = "Bearer " + self.token
        elif token:
            headers["Authorization"] = "Bearer " + token
        content = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        if body is not None:
            headers["Content-Length"] = str(len(content))
        head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items() if value is not None)
        return answer(self.send(head.encode() + b"\r\n" + content))

    def send(self, raw, seconds=20):
        """Sends bytes and returns all received bytes until the connection ends."""
        with self.connect(seconds) as connection:
            try:
                connection.sendall(raw)
            except OSError:
                pass
            return read_all(connection)

    def connect(self, seconds=20):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=seconds)
        return connection

    def command(self, *words):
        """The answer that `multicam ctl` would receive."""
        status, text = self.ask("POST", "/api/v1/command", {"words": list(words)})
        return status, (json.loads(text) if text.startswith("{") else {"text": text})

    def status(self):
        code, text = self.ask("GET", "/api/v1/status")
        return json.loads(text) if code == 200 else None

    def record(self, seconds=30):
        """Starts a recording, and returns its folder as soon as it runs."""
        code, reply = until(lambda: (lambda pair: pair if pair[0] != 503 else None)(self.command("start")), seconds) or (0, {})
        assert code == 200, f"start: {code} {reply}"
        status = until(lambda: (lambda s: s if s and s.get("state") == "recording" and s.get("time_ns", 0) > 0 else None)(self.status()),
                       seconds)
        assert status, "no recording began"
        return pathlib.Path(status["folder"])

    def finish(self, seconds=30):
        """Stops the recording, and waits for standby."""
        self.command("stop")
        return until(lambda: (self.status() or {}).get("state") == "standby", seconds)

    def end(self, number=signal.SIGTERM, seconds=30):
        """Stops the studio.

        Returns its exit status; `None` if it doesn't end.
        """
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            children = [child for child in self.children().values() if child]
            self.process.kill()
            for child in children:
                os.kill(child, signal.SIGKILL)
            return None
        for reader in self.readers:
            reader.join(5)
        return code


class Page:
    """A page without a browser: a WebSocket (RFC 6455) with a thread that reads and acknowledges messages."""

    def __init__(self, studio, reads=True, acknowledges=True, receives=None, seconds=10):
        self.studio, self.acknowledges, self.receives = studio, acknowledges, receives
        self.texts, self.frames, self.bytes, self.closed = queue.SimpleQueue(), {}, 0, threading.Event()
        self.lock = threading.Lock()
        self.status, self.recorder, self.hello, self.errors, self.events, self.changes, self.history = {}, None, None, [], [], 0, []
        code, self.connection, self.rest = handshake(studio, seconds=seconds, Authorization="Bearer " + studio.token)
        if code != 101:
            raise ConnectionError(f"the handshake is answered by {code}")
        self.connection.settimeout(None)
        if reads:
            self.reader = threading.Thread(target=self._read, daemon=True)
            self.reader.start()

    def say(self, message):
        self.raw(frame(json.dumps(message).encode()))

    def raw(self, bytes):
        with self.lock:
            self.connection.sendall(bytes)

    def watch(self, stream, **wish):
        self.say({"type": "watch", "stream": stream, **wish})

    def close(self):
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.connection.close()

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
                elif length == 127:
                    length = struct.unpack(">Q", self._exactly(8))[0]
                content = self._exactly(length)
                self.bytes += length
                kind = first & 15
                if kind == 1:
                    self._text(json.loads(content))
                elif kind == 2:
                    self._binary(content)
                elif kind == 9:
                    self.raw(frame(content, 10))
                elif kind == 8:
                    raise ConnectionError
        except (OSError, ValueError):
            pass
        self.closed.set()

    def _text(self, message):
        kind = message.get("type")
        if kind == "state":
            self.status = message["status"]
        elif kind == "change":
            self.changes += 1
            for name, value in message["status"].items():
                self.status[name] = value
        elif kind == "recorder":
            self.recorder = message
        elif kind == "hello":
            self.hello = message
        elif kind == "error":
            self.errors.append(message)
        elif kind == "event":
            self.events.append(message["event"])
        elif kind == "events":
            self.history = message["events"]
        if self.receives:
            self.receives(message)

    def _binary(self, content):
        kind, flags, stream, sequence, at = struct.unpack_from("<BBHIq", content)
        self.frames[stream] = self.frames.get(stream, 0) + 1
        if self.receives:
            self.receives((kind, flags, stream, sequence, at, content[20:]))
        if self.acknowledges:
            self.say({"type": "seen", "stream": stream, "sequence": sequence})


def handshake(studio, path="/api/v1/socket", seconds=10, connection=None, **headers):
    """Requests a WebSocket: returns the status, the connection, and the bytes after the headers."""
    headers = {"Host": studio.host, "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
               "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
               **{name.replace("_", "-"): value for name, value in headers.items()}}
    head = f"GET {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items() if value is not None)
    connection = connection or studio.connect(seconds)
    connection.sendall(head.encode() + b"\r\n")
    said = b""
    while b"\r\n\r\n" not in said:
        piece = connection.recv(1 << 16)
        if not piece:
            break
        said += piece
    head, _, rest = said.partition(b"\r\n\r\n")
    words = head.split(b" ")
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0, connection, rest


def frame(content, kind=1, final=True, masked=True):
    """A WebSocket frame."""
    first = kind | (128 if final else 0)
    mark = 128 if masked else 0
    count = len(content)
    if count < 126:
        head = bytes([first, mark | count])
    elif count < 65536:
        head = bytes([first, mark | 126]) + struct.pack(">H", count)
    else:
        head = bytes([first, mark | 127]) + struct.pack(">Q", count)
    # A zero mask leaves the bytes unchanged.
    return head + (bytes(4) if masked else b"") + content


def read_all(connection, most=1 << 24):
    said = b""
    try:
        while len(said) < most:
            piece = connection.recv(1 << 16)
            if not piece:
                break
            said += piece
    except OSError:
        pass
    return said


def answer(said):
    """Status and body of a response; 0 if there is none."""
    head, _, body = said.partition(b"\r\n\r\n")
    words = head.split(b" ", 2)
    code = int(words[1]) if said.startswith(b"HTTP/") and len(words) > 1 and words[1].isdigit() else 0
    return code, body.decode(errors="replace")


def until(condition, seconds):
    """Waits until a condition holds, and returns its value; after the timeout, the last one."""
    end = time.monotonic() + seconds
    while True:
        try:
            value = condition()
        except OSError:
            value = None
        if value or time.monotonic() > end:
            return value
        time.sleep(0.02)


def memory(process):
    """MB of a process's private memory (proc(5): RssAnon)."""
    for line in open(f"/proc/{process}/status"):
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1024
    return 0.0


def processor(process):
    """CPU time used by a process, in seconds."""
    facts = open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()
    return (int(facts[11]) + int(facts[12])) / os.sysconf("SC_CLK_TCK")


def descriptors(process):
    return len(os.listdir(f"/proc/{process}/fd"))


def threads(process):
    return len(os.listdir(f"/proc/{process}/task"))
