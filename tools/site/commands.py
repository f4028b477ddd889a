"""Runs the commands in the documentation, each page's in a separate folder; called by `tools/docs run`.

Commands in ```sh blocks that begin with `multicam` run unchanged, with virtual devices. A profile whose first line is `# NAME.yaml` becomes
that file. Every recording takes two seconds, or is stopped after two. If a command's devices, files or recordings don't exist on this
computer, only its arguments are parsed. Commands of other programs are not run. Profiles in ```yaml blocks are validated.

Usage: commands.py PROGRAM PAGE…
"""
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = sys.argv[1]
PAGES = [pathlib.Path(name) for name in sys.argv[2:]]
OTHER_DEVICES = re.compile(r"BRIO|C920|/dev/video|\bMICROPHONE\b|\bCAMERA\b|serial:|usb:")
# A session for `multicam ctl` with every role used in the documentation.
SESSION = """
cameras:
%s
microphones:
  host: { device: "virtual:clap" }
  host-mic: { device: "virtual:clap" }
  guest-mic: { device: "virtual:clap" }
program: { size: 320x180, rate: 10, layout: pip, main: hostcam, inset: guest, audio: { mix: [host, host-mic, guest-mic] } }
tracks: { cameras: copy, microphones: wav }
limits: none
""" % "\n".join(
    f'  {role}: {{ device: "virtual:clap?size=320x180&fps=10", size: 320x180, rate: 10 }}'
    for role in ("hostcam", "guest", "desk", "face", "wide"))


class Page:
    def __init__(self, path, fixture):
        self.path = path
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="multicam-docs-"))
        self.folder = self.root / "work"
        self.folder.mkdir()
        (self.root / "run").mkdir(mode=0o700)
        self.environment = os.environ | {
            "HOME": str(self.root), "XDG_RUNTIME_DIR": str(self.root / "run"), "XDG_CONFIG_HOME": str(self.root / ".config"),
            "XDG_STATE_HOME": str(self.root / "state"), "PULSE_SERVER": "unix:/nonexistent",
        }
        self.fixture = fixture
        self.session = None
        self.stands_by = re.search(r"ctl start(?![-\w])", path.read_text()) is not None
        self.ran, self.read, self.faults = 0, 0, []

    def close(self):
        self.end_session()
        shutil.rmtree(self.root)

    def fault(self, command, found):
        self.faults.append(f"docs: {self.path}: `{command}`: {found.strip()[-400:]}")

    # Blocks

    def blocks(self, language):
        for body in re.findall(rf"^ *```{language}\n(.*?)^ *```", self.path.read_text(), flags=re.M | re.S):
            yield body

    def run(self):
        for body in self.blocks("yaml"):
            self.check_profile(body)
        for body in self.blocks("sh"):
            for line in re.sub(r"\\\n\s*", " ", body).split("\n"):
                for part in re.split(r"\s(?:&&|&|;|\|)(?:\s|$)", line):
                    self.line(part.strip())

    def check_profile(self, body):
        # A fragment isn't a complete profile.
        if not re.search(r"^(cameras|microphones):", body, flags=re.M) or "remote:" in body:
            return
        # `# NAME.yaml` in the first line is the file name used by the page's commands.
        name = re.match(r"# ([\w-]+\.yaml)\n", body)
        file = self.folder / (name[1] if name else "from-the-page.yaml")
        file.write_text(body)
        done = self.start("profiles", "--check", str(file))
        if done.returncode == 0:
            self.ran += 1
        elif re.search("^cameras:", body, flags=re.M):
            self.fault("profiles --check", done.stderr + body)

    def line(self, text):
        text = re.sub(r"^\w+=\$\((.*)\)$", r"\1", text)
        try:
            words = shlex.split(text, comments=True)
        except ValueError as error:
            return self.fault(text, str(error))
        if words[:1] == ["mkdir"]:
            pathlib.Path(words[-1].replace("~", str(self.root))).mkdir(parents=True, exist_ok=True)
        if words[:1] != ["multicam"]:
            return
        target = None
        if ">" in words:
            target = words[words.index(">") + 1].replace("~", str(self.root))
            words = words[: words.index(">")]
        words = [word.replace("~", str(self.root)) for word in words[1:]]
        shown = " ".join(["multicam"] + words)
        if words[0] == "ctl":
            return self.control(shown, words)
        words, can_run = self.prepared(words)
        done = self.start(*words) if can_run else self.start(*words, "--help")
        # Some pages demonstrate losses; doctor and devices report on this computer.
        allowed = {0, 6} if can_run else {0}
        if words[0] in ("doctor", "devices", "verify"):
            allowed |= {1}
        if done.returncode not in allowed:
            self.fault(shown, f"exit status {done.returncode}: {done.stderr}")
        self.ran += can_run
        self.read += not can_run
        if target and can_run:
            pathlib.Path(target).write_text(done.stdout)

    def prepared(self, words):
        """The arguments with this computer's devices and files instead of the page's, and whether they can run."""
        name = words[0]
        if OTHER_DEVICES.search(" ".join(words)):
            return words, False
        if name in ("verify", "sync-check", "export", "render", "recover"):
            if len(words) < 2:
                return words, False
            if not (self.folder / words[1]).exists():
                # Recovery needs a truncated recording; see tools/kill-test.
                if name == "recover":
                    return words, False
                shutil.copytree(self.fixture, self.folder / words[1])
            return words, "--profile" not in words and not any("my-cut" in word for word in words)
        if name in ("record", "stress", "snapshot", "plan"):
            devices = [word for word in words if word.startswith(("virtual:", "--virtual")) or "=virtual:" in word]
            if "--recording" in words or not devices:
                return words, False
            if any(word.endswith(".yaml") and not (self.folder / word).exists() for word in words):
                return words, False
            # Too long to run here; tools/soak runs stress tests.
            if name == "stress":
                return words, False
            if "--duration" in words and name == "record":
                words[words.index("--duration") + 1] = "2"
            return words, True
        if "--check" in words and not (self.folder / words[-1]).exists():
            return words, False
        return words, name in ("devices", "doctor", "profiles", "recordings", "--version", "help", "prefer", "controls") and \
            "--watch" not in words and "--set" not in words and "--forget" not in words

    def start(self, *words, environment=None):
        ends_by_itself = words[0] != "record" or "--duration" in words or "--help" in words
        process = subprocess.Popen(
            [PROGRAM, *words], cwd=self.folder, env=environment or self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        if not ends_by_itself:
            time.sleep(2)
            process.send_signal(signal.SIGINT)
        try:
            out, errors = process.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            process.kill()
            out, errors = process.communicate()
            errors += "\nit did not end"
        return subprocess.CompletedProcess(words, process.returncode, out, errors)

    # Commands for a running session

    def control(self, shown, words):
        # Receivers and a URL on standard input are missing here.
        publishes = words[1] in ("publish", "unpublish")
        words = ["tube" if publishes and word == "-" else word for word in words]
        if OTHER_DEVICES.search(shown) or publishes:
            # 1: not recording; 2: invalid arguments.
            done = self.start(*words, environment=self.environment | {"XDG_RUNTIME_DIR": "/nonexistent"})
            self.read += 1
            if done.returncode != 1:
                self.fault(shown, done.stderr)
            return
        if self.session is None or self.session.poll() is not None:
            self.begin_session()
        words = ["hostcam" if word == "host" and words[1] not in ("gain", "mute", "unmute") else word for word in words]
        # The session has only just started.
        words = [re.sub(r"^at=\d+$", "at=1", word) for word in words]
        done = self.start(*words)
        self.ran += 1
        if done.returncode != 0:
            self.fault(shown, f"exit status {done.returncode}: {done.stderr}")
        if words[1:] == ["quit"] or words[1:] == ["stop"] and not self.stands_by:
            self.end_session()

    def begin_session(self):
        profile = self.root / "session.yaml"
        profile.write_text(SESSION)
        self.session = subprocess.Popen(
            [PROGRAM, "record", "--profile", str(profile), "--json", "--output", str(self.root / "session")]
            + ["--standby"] * self.stands_by,
            env=self.environment, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        while line := self.session.stdout.readline():
            if ('"standby"' if self.stands_by else '"started"') in line:
                return
        self.fault("record", "the session for `ctl` did not begin")

    def end_session(self):
        if self.session is not None:
            self.session.send_signal(signal.SIGINT)
            self.session.stdout.close()
            self.session.wait()
            self.session = None


ran = read = 0
faults = []
with tempfile.TemporaryDirectory(prefix="multicam-docs-") as place:
    made = subprocess.run(
        [PROGRAM, "record", "--profile", "interview", "--virtual", "--duration", "3", "--name", "fixture", "--output", place],
        stdout=subprocess.DEVNULL, env=os.environ | {"XDG_STATE_HOME": place})
    if made.returncode not in (0, 6):
        sys.exit("docs: no recording could be made to try the commands with.")
    for path in PAGES:
        page = Page(path, pathlib.Path(place) / "fixture")
        try:
            page.run()
        finally:
            page.close()
        ran, read, faults = ran + page.ran, read + page.read, faults + page.faults
for fault in faults:
    print(fault, file=sys.stderr)
print(f"docs: {ran} commands and profiles of {len(PAGES)} pages were run, {read} more were read.", file=sys.stderr)
sys.exit(1 if faults else 0)
