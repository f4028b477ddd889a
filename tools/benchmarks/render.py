"""Measures the cost of rendering a program from copied tracks: `multicam render` compared with ffmpeg's filter graph and melt, for one deliverable.

All of them may use all CPUs. The recording is made once, from files; runs are interleaved.
"""
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile
import time

import jobs
import material

NAME = "render"
TEXT = "a recording's 1080p30 picture-in-picture anew from its copied tracks, beside ffmpeg's filter graph and melt"
PRESETS = {"superfast": 1.15, "ultrafast": 1.35}    # target speed relative to ffmpeg
PROFILE = """
cameras: {{ main: {{ size: 1920x1080, rate: 30 }}, one: {{ size: 1280x720, rate: 30 }} }}
microphones: {{ host: {{}} }}
program: {{ layout: pip, main: main, inset: one, fit: cover, video: {video}, audio: {{ bitrate: 128k, mix: [host] }} }}
tracks: {{ cameras: copy, microphones: wav }}
budget: {{ hardware: 10 }}
"""
MELT = """<mlt><profile width="1920" height="1080" frame_rate_num="30" frame_rate_den="1" progressive="1" colorspace="709"
 sample_aspect_num="1" sample_aspect_den="1" display_aspect_num="16" display_aspect_den="9"/>
<producer id="main"><property name="resource">{folder}/cameras/main.mov</property></producer>
<producer id="one"><property name="resource">{folder}/cameras/one.mov</property></producer>
<producer id="host"><property name="resource">{folder}/audio/host.wav</property></producer>
<tractor id="all"><multitrack><track producer="main"/><track producer="one"/><track producer="host" hide="video"/></multitrack>
<transition><property name="mlt_service">composite</property><property name="a_track">0</property><property name="b_track">1</property>
<property name="geometry">{x}/{y}:480x270:100</property><property name="progressive">1</property></transition>
<transition><property name="mlt_service">mix</property><property name="a_track">0</property><property name="b_track">2</property>
<property name="always_active">1</property><property name="sum">1</property></transition></tractor></mlt>
"""


def record(multicam, files, seconds, folder):
    profile = pathlib.Path(folder) / "render.yaml"
    profile.write_text(PROFILE.format(video=jobs.video("superfast")))
    words = [multicam, "record", "--profile", profile, "--output", folder, "--no-governor", "--duration", seconds,
             "--camera", f"main=file:{files['main.mkv']}", "--camera", f"one=file:{files['one.mkv']}",
             "--mic", f"host=file:{files['sound.wav']}"]
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if not done.stdout.strip():
        raise SystemExit(f"bench: the recording did not begin:\n{done.stderr[-3000:]}")
    return done.stdout.strip()


def sides(multicam, session, preset, folder):
    """Each side's command."""
    profile = pathlib.Path(folder) / f"{preset}.yaml"
    profile.write_text(PROFILE.format(video=jobs.video(preset)))
    out = f"{folder}/out.mp4"
    x, y = jobs.INSETS[0]
    found = {"multicam": [multicam, "render", session, "--profile", profile, "-o", out]}
    inputs = [word for file in ("cameras/main.mov", "cameras/one.mov", "audio/host.wav") for word in ("-i", f"{session}/{file}")]
    encode = ["-c:v", "libx264", "-preset", preset, "-crf", 23, "-g", 60, "-c:a", "aac", "-aac_coder", "fast", "-b:a", "128k", "-ac", 2]
    found["ffmpeg"] = jobs.ffmpeg_start() + inputs + ["-filter_complex", jobs.overlays(1, jobs.SAME), "-map", "[v]", "-map", "2:a", *encode, out]
    if shutil.which("melt"):
        project = pathlib.Path(folder) / "project.mlt"
        project.write_text(MELT.format(folder=session, x=x, y=y))
        found["melt"] = ["melt", "-silent", project, "-consumer", f"avformat:{out}", f"real_time=-{os.cpu_count()}", "vcodec=libx264",
                         f"preset={preset}", "crf=23", "g=60", "acodec=aac", "ab=128k", "ar=48000", "channels=2"]
    return found


def run(command, out):
    """CPU and wall seconds of a command."""
    pathlib.Path(out).unlink(missing_ok=True)
    begun = time.monotonic()
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    words = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status or not pathlib.Path(out).exists():
        raise SystemExit(f"bench: {command[0]} failed:\n{words[-3000:].decode(errors='replace')}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - begun


def likeness(one, other):
    words = ["ffmpeg", "-nostdin", "-i", one, "-i", other, "-lavfi", "[0:v][1:v]ssim", "-f", "null", "-"]
    text = subprocess.run([str(word) for word in words], stderr=subprocess.PIPE, text=True).stderr
    found = re.search(r"SSIM Y:([0-9.]+)", text)
    return float(found.group(1)) if found else 0


def measure(multicam, options):
    files = material.make(options.seconds)
    lines, failed = [], False
    with tempfile.TemporaryDirectory(dir=options.scratch) as top:
        session = record(multicam, files, options.seconds, top)
        for preset, aim in PRESETS.items():
            commands, out = sides(multicam, session, preset, top), f"{top}/out.mp4"
            times, alike = {name: [] for name in commands}, {}
            for index in range(options.runs):
                for name, command in commands.items():
                    times[name].append(run(command, out))
                    if index == 0 and not options.unjudged:
                        alike[name] = likeness(out, f"{session}/program.mp4")
            lines += [f"### render, {preset}: {TEXT}", "", "| | CPU s | wall s | multicam is | SSIM to program.mp4 |", "|---|--:|--:|--:|--:|"]
            for name, runs in times.items():
                ratio = statistics.median(other[0] / own[0] for own, other in zip(times["multicam"], runs))
                faster = "" if name == "multicam" else f"{ratio:.2f} times as fast"
                failed |= name == "ffmpeg" and ratio < aim
                lines.append(f"| {name} | {statistics.median(r[0] for r in runs):.2f} | {statistics.median(r[1] for r in runs):.2f} | "
                             f"{faster} | {alike.get(name, 0):.4f} |")
            lines += ["", f"Medians of {options.runs} interleaved runs of {options.seconds} s; the aim beside ffmpeg is {aim}.", ""]
    return "\n".join(lines), failed
