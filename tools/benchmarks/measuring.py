"""Runs one side of a job and measures its cost."""
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CFLAGS = ["-O3", "-march=x86-64-v3"]


@dataclasses.dataclass
class Run:
    cpu: float       # CPU seconds of all threads and children, except the threads that simulate cameras
    whole: float     # CPU seconds of the whole process and its children
    wall: float
    memory: float    # peak in MiB
    size: float      # bytes of all media files
    frames: int


def release(product):
    """Builds a product and returns its path."""
    subprocess.run(["swift", "build", "-c", "release", "--product", product], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return ROOT / ".build" / "release" / product


def program():
    """Our program, with support for the measurements."""
    subprocess.run([ROOT / "tools" / "setup", "build", "bench"], check=True)
    return os.environ.get("MULTICAM") or release("multicam")


def build():
    """Our program, its simulated variant for instruction counts, and the ideal program. Returns the ideal program."""
    program()
    simulate = release("multicam-simulate")
    folder = ROOT / ".build" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    # Valgrind's readers fail on Swift's debug information.
    subprocess.run(["strip", "--strip-debug", "-o", folder / "simulate", simulate], check=True)
    ideal = folder / "ideal"
    sources = [ROOT / "tools" / "benchmarks" / "ideal.c", ROOT / "Sources" / "CMedia" / "CMedia.c"]
    headers = ROOT / "Sources" / "CMedia" / "include"
    if not ideal.exists() or any(source.stat().st_mtime > ideal.stat().st_mtime for source in sources):
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "libavformat", "libavcodec", "libavutil", "libswresample",
                                "libswscale", "libturbojpeg", "pangocairo"], check=True, stdout=subprocess.PIPE, text=True)
        subprocess.run(["clang", "-O3", "-w", f"-I{headers}", "-o", ideal, *sources, *flags.stdout.split(), "-lyuv", "-lm"],
                       check=True)
    return ideal


def forgetful():
    """A library that turns sync calls into no-ops."""
    library = ROOT / ".build" / "bench" / "forgetful.so"
    subprocess.run(["clang", "-O2", "-shared", "-fPIC", "-o", library, ROOT / "tools" / "benchmarks" / "forgetful.c"], check=True)
    return library


def run(command, environment=None, folder=None):
    """CPU seconds, wall seconds and peak MiB of a command with its children, and its output."""
    command = [str(word) for word in command]
    read, write = os.pipe()
    with open(os.path.join(folder or "/tmp", "errors"), "w+") as errors:
        started = __import__("time").monotonic()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=write, stderr=errors,
                                   env={**os.environ, **(environment or {})})
        os.close(write)
        with os.fdopen(read) as output:
            text = output.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall = __import__("time").monotonic() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        said = errors.read()
    if process.returncode not in (0, 6):
        sys.exit(f"bench: {' '.join(command)} failed ({process.returncode}):\n{said[-3000:]}")
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, text, said


def media_size(folder):
    return sum(file.stat().st_size for file in pathlib.Path(folder).rglob("*") if file.suffix in (".mp4", ".mov", ".wav"))


def our_words(job, folder):
    profile = pathlib.Path(folder) / "bench.yaml"
    # On an overloaded machine, losses must show, instead of a reduced job.
    profile.write_text(job.profile + "budget: { hardware: 10 }\n")
    return profile


def ours(job, seconds, folder, *options, environment=None, program=None):
    """A recording from files in real time, as with the command line."""
    program = program or os.environ.get("MULTICAM") or ROOT / ".build" / "release" / "multicam"
    words = [program, "record", "--profile", our_words(job, folder), "--output", folder,
             "--duration", seconds, "--no-governor", *options]
    for (kind, role), file in job.devices.items():
        words += [f"--{kind}", f"{role}=file:{file}"]
    whole, wall, memory, text, _ = run(words, environment, folder)
    session = pathlib.Path(text.strip())
    manifest = json.loads((session / "manifest.json").read_text())
    cpu = whole if job.counts_sources else manifest["cost"]["cpu_ns"] / 1e9
    lost = {track["name"]: track["frames"]["lost"] for track in manifest["tracks"] if track.get("frames", {}).get("lost")}
    if lost:
        print(f"bench: note: {job.name} lost frames: {lost}", file=sys.stderr)
    return Run(cpu, whole, wall, memory, media_size(session), round(seconds * 30) * job.frames_per_tick)


def peer(command, job, seconds, folder):
    cpu, wall, memory, _, _ = run(command(seconds, folder), folder=folder)
    return Run(cpu, cpu, wall, memory, media_size(folder), round(seconds * 30) * job.frames_per_tick)


def live(command):
    """ffmpeg's command at its files' native speed, as with devices."""
    def words(seconds, folder):
        return [part for word in command(seconds, folder) for part in (["-re", word] if word == "-i" else [word])]
    return words


def instructions(command, environment=None, folder=None):
    """Instructions executed by a command (Valgrind's cachegrind; it hides AVX-512 from all sides equally)."""
    *_, said = run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", "--trace-children=no",
                     "--fair-sched=yes", *command], environment, folder)
    found = re.search(r"I\s+refs:\s+([\d,]+)", said)
    if not found:
        sys.exit(f"bench: valgrind did not say how many instructions:\n{said[-2000:]}")
    return int(found[1].replace(",", ""))
