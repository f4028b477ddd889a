"""The measured jobs: our profile and the equivalent commands of the peers and the ideal program."""
import dataclasses
import pathlib

import material

RATE = material.RATE
SIZE = (1920, 1080)
# The positions of our plan's insets, from the corner upwards.
INSETS = [(1402, 772), (1402, 464), (1402, 156)]
SAME, CHEAPEST = "same deliverable", "cheapest"


@dataclasses.dataclass
class Job:
    name: str
    text: str
    profile: str
    devices: dict          # our --camera and --mic arguments by role
    judged: list           # files compared with the ideal composition, or empty
    frames_per_tick: int = 1
    ffmpeg: dict = dataclasses.field(default_factory=dict)       # by variant: function of (seconds, folder) to a command
    gstreamer: dict = dataclasses.field(default_factory=dict)
    ideal: object = None   # function of (frames, folder) to the ideal program's arguments
    # Whether the threads that simulate cameras do work of ours: decoding H.264.
    counts_sources: bool = False


def video(preset):
    return f"{{ codec: h264, preset: {preset}, quality: 23 }}"


def cameras(names):
    sizes = {facts["name"]: facts["size"] for facts in material.CAMERAS}
    return "cameras:\n" + "".join(
        f"  {name}: {{ size: {sizes[name][0]}x{sizes[name][1]}, rate: {RATE} }}\n" for name in names)


def decode(files, name, seconds):
    """ffmpeg's arguments for an input, with one thread, as in all comparisons."""
    return ["-threads", 1, "-t", seconds, "-i", files[f"{name}.mkv"]]


def encode(preset, coder):
    return ["-c:v", "libx264", "-preset", preset, "-crf", 23, "-threads", 2, "-g", 60, "-c:a", "aac", "-aac_coder", coder,
            "-b:a", "128k", "-ac", 2]


def ffmpeg_start():
    return ["ffmpeg", "-nostdin", "-v", "error", "-y"]


FULL = "in_range=pc:out_range=pc"
TO_BT709 = "in_color_matrix=bt601:in_range=pc:out_color_matrix=bt709:out_range=tv"


def overlays(count, way):
    """ffmpeg's filter graph for this many insets: the main camera is input 0."""
    same = way == SAME
    colors, pixels = (TO_BT709, "yuv420p") if same else (FULL, "yuvj420p")
    graph = ["sws_flags=fast_bilinear"]
    graph += [f"[{i + 1}:v]scale=480:270:{colors},format={pixels}[p{i}]" for i in range(count)]
    graph.append(f"[0:v]scale={colors},format={pixels}[m0]")
    for i, (x, y) in enumerate(INSETS[:count]):
        graph.append(f"[m{i}][p{i}]overlay={x}:{y}[m{i + 1}]")
    return ";".join(graph) + f";[m{count}]format={pixels}[v]"


def gst_camera(file, pad):
    return ["filesrc", f"location={file}", "!", "matroskademux", "!", "queue", "!", "jpegdec", "!", pad]


def gst_pip(files, names, preset, way, folder):
    """One graph: the compositor scales the insets. Variant `same`: converted to limited-range BT.709 before compositing."""
    # The compositor uses its output format, so each input needs a separate conversion to limited-range BT.709.
    colors = ",colorimetry=bt709" if way == SAME else ""
    words = ["gst-launch-1.0", "-q", "mp4mux", "name=m", "!", "filesink", f"location={folder}/out.mp4", "compositor", "name=c",
             "background=black", "sink_0::zorder=0"]
    for i, (x, y) in enumerate(INSETS[:len(names) - 1]):
        words += [f"sink_{i + 1}::{key}={value}" for key, value in
                  dict(zorder=i + 1, xpos=x, ypos=y, width=480, height=270).items()]
    words += ["!", f"video/x-raw,format=I420,width=1920,height=1080,framerate=30/1{colors}", "!", "x264enc",
              f"speed-preset={preset}", "pass=qual", "quantizer=23", "vbv-buf-capacity=0", "key-int-max=60", "threads=2", "!",
              "video/x-h264,profile=high", "!", "h264parse", "!", "queue", "!", "m."]
    for i, name in enumerate(names):
        words += gst_camera(files[f"{name}.mkv"], f"c.sink_{i}")
    return words + gst_sound(files)


def gst_sound(files, name="sound.wav"):
    return ["filesrc", f"location={files[name]}", "!", "wavparse", "!", "audioconvert", "!", "audio/x-raw,channels=2", "!",
            "avenc_aac", "bitrate=128000", "aac-coder=fast", "!", "aacparse", "!", "queue", "!", "m."]


def pip(files, insets, preset, coder="fast"):
    names = ["main", "one", "two", "three"][:insets + 1]
    profile = cameras(names) + (
        "microphones: { host: {} }\nprogram:\n  layout: pip\n  main: main\n"
        f"  inset: [{', '.join(names[1:])}]\n  fit: cover\n  video: {video(preset)}\n"
        "  audio: { codec: aac, bitrate: 128k, mix: [host] }\n")

    def ffmpeg(way):
        def command(seconds, folder):
            inputs = [word for name in names for word in decode(files, name, seconds)]
            return ffmpeg_start() + inputs + [
                "-t", seconds, "-i", files["sound.wav"], "-filter_complex_threads", 1, "-filter_complex", overlays(insets, way),
                "-map", "[v]", "-map", f"{len(names)}:a", *encode(preset, coder), f"{folder}/out.mp4"]
        return command

    def ideal(frames, folder):
        places = [word for name, (x, y) in zip(names[1:], INSETS) for word in (files[f"{name}.mkv"], x, y)]
        return [f"{folder}/out.mp4", preset, coder, files["sound.wav"], frames, files["main.mkv"], *places]

    return Job(
        name=f"pip-{insets}-{preset}", text=f"1080p30 with {insets} 720p30 inset{'s' if insets > 1 else ''}, {preset}",
        profile=profile, devices=devices(files, names), judged=["program.mp4"],
        ffmpeg={way: ffmpeg(way) for way in (SAME, CHEAPEST)},
        gstreamer={way: lambda seconds, folder, way=way: gst_pip(files, names, preset, way, folder) for way in (SAME, CHEAPEST)},
        ideal=ideal)


def devices(files, names, sounds=("host",)):
    words = {("camera", name): files[f"{name}.mkv"] for name in names}
    return words | {("mic", role): files[file] for role, file in zip(sounds, ("sound.wav", "second.wav"))}


def copied(files):
    """Four unprocessed 1080p cameras and two microphones: no encoder except the peers' AAC (ours are WAV files)."""
    roles = ["a", "b", "c", "d"]
    profile = "cameras:\n" + "".join(f"  {role}: {{ size: 1920x1080, rate: {RATE} }}\n" for role in roles)
    profile += "microphones: { host: {}, guest: {} }\ntracks: { cameras: copy, microphones: wav, files: one-each }\n"

    def ffmpeg(seconds, folder):
        words = ffmpeg_start()
        for _ in roles:
            words += ["-t", seconds, "-i", files["main.mkv"]]
        words += ["-t", seconds, "-i", files["sound.wav"], "-t", seconds, "-i", files["second.wav"]]
        for i, role in enumerate(roles):
            words += ["-map", f"{i}:v", "-c", "copy", f"{folder}/{role}.mov"]
        for i, role in enumerate(("host", "guest")):
            words += ["-map", f"{len(roles) + i}:a", "-c", "copy", f"{folder}/{role}.wav"]
        return words

    def gstreamer(seconds, folder):
        words = ["gst-launch-1.0", "-q"]
        for role in roles:
            words += ["filesrc", f"location={files['main.mkv']}", "!", "matroskademux", "!", "queue", "!", "jpegparse", "!", "qtmux",
                      "!", "filesink", f"location={folder}/{role}.mov"]
        for role, name in (("host", "sound.wav"), ("guest", "second.wav")):
            words += ["filesrc", f"location={files[name]}", "!", "wavparse", "!", "queue", "!", "wavenc", "!", "filesink",
                      f"location={folder}/{role}.wav"]
        return words

    words = {("camera", role): files["main.mkv"] for role in roles} | {("mic", "host"): files["sound.wav"],
                                                                      ("mic", "guest"): files["second.wav"]}
    return Job(name="copied", text="four 1080p30 MJPEG cameras copied, two microphones", profile=profile, devices=words, judged=[],
               frames_per_tick=4, ffmpeg={SAME: ffmpeg}, gstreamer={SAME: gstreamer})


def encoded(files):
    profile = cameras(["main", "one"]) + (
        f"tracks: {{ cameras: encode, video: {video('superfast')}, microphones: none, files: one-each }}\n")

    def ffmpeg(seconds, folder):
        words = ffmpeg_start() + decode(files, "main", seconds) + decode(files, "one", seconds)
        for i in range(2):
            words += ["-map", f"{i}:v", "-vf", f"scale={FULL}:flags=fast_bilinear,format=yuvj420p", "-c:v", "libx264", "-preset",
                      "superfast", "-crf", 23, "-threads", 2, "-g", 60, f"{folder}/{i}.mov"]
        return words

    return Job(name="encoded", text="a 1080p30 and a 720p30 track encoded, superfast", profile=profile,
               devices=devices(files, ["main", "one"], ()), judged=[], ffmpeg={SAME: ffmpeg})


def both(files):
    """The same camera in the program and as an encoded track: decoded once."""
    profile = cameras(["main"]) + (
        f"program: {{ layout: single, main: main, video: {video('superfast')} }}\n"
        f"tracks: {{ cameras: encode, video: {video('superfast')}, microphones: none, files: one-each }}\n")

    def ffmpeg(seconds, folder):
        graph = (f"sws_flags=fast_bilinear;[0:v]split[a][b];[a]scale={TO_BT709},format=yuv420p[p];"
                 f"[b]scale={FULL},format=yuvj420p[t]")
        words = ffmpeg_start() + decode(files, "main", seconds) + ["-filter_complex_threads", 1, "-filter_complex", graph]
        for pad in ("p", "t"):
            words += ["-map", f"[{pad}]", "-c:v", "libx264", "-preset", "superfast", "-crf", 23, "-threads", 2, "-g", 60,
                      f"{folder}/{pad}.mp4"]
        return words

    return Job(name="both", text="one 1080p30 camera in the program and as an encoded track, superfast", profile=profile,
               devices=devices(files, ["main"], ()), judged=[], ffmpeg={SAME: ffmpeg})


def turned(files, rotation):
    size = "1080x1920" if rotation else "1920x1080"
    profile = (f"cameras:\n  main: {{ size: 1920x1080, rate: {RATE}, rotation: {rotation} }}\n"
               f"program: {{ layout: single, main: main, size: {size}, video: {video('superfast')} }}\n")

    def ffmpeg(seconds, folder):
        turn = "transpose=clock," if rotation else ""
        graph = f"sws_flags=fast_bilinear;[0:v]scale={TO_BT709},format=yuv420p,{turn}null[v]"
        return ffmpeg_start() + decode(files, "main", seconds) + [
            "-filter_complex_threads", 1, "-filter_complex", graph, "-map", "[v]", "-c:v", "libx264", "-preset", "superfast",
            "-crf", 23, "-threads", 2, "-g", 60, f"{folder}/out.mp4"]

    text = "a 1080p30 camera turned by 90°" if rotation else "a 1080p30 camera as it is"
    return Job(name="turned" if rotation else "upright", text=f"{text}, superfast", profile=profile,
               devices=devices(files, ["main"], ()), judged=[], ffmpeg={SAME: ffmpeg})


def single(files, name, file, size, text, counts_sources=False):
    """One camera with another format fills the program."""
    width, height = size
    profile = (f"cameras:\n  main: {{ size: {width}x{height}, rate: {RATE} }}\n"
               f"program: {{ layout: single, main: main, size: {width}x{height}, video: {video('superfast')} }}\n")

    def ffmpeg(seconds, folder):
        return ffmpeg_start() + ["-threads", 1, "-t", seconds, "-i", files[file], "-vf",
                                 "scale=out_color_matrix=bt709:out_range=tv:flags=fast_bilinear,format=yuv420p", "-c:v", "libx264",
                                 "-preset", "superfast", "-crf", 23, "-threads", 2, "-g", 60, f"{folder}/out.mp4"]

    return Job(name=name, text=text, profile=profile, devices={("camera", "main"): files[file]}, judged=[],
               ffmpeg={SAME: ffmpeg}, counts_sources=counts_sources)


def all_jobs(files):
    jobs = [pip(files, insets, preset) for insets in (1, 3) for preset in ("superfast", "ultrafast")]
    jobs += [copied(files), encoded(files), both(files), turned(files, 0), turned(files, 90),
             single(files, "yuyv", "yuyv.nut", (1280, 720), "a 720p30 camera of YUYV, superfast"),
             single(files, "h264", "h264.mkv", (1920, 1080), "a 1080p30 camera of H.264, superfast", counts_sources=True)]
    return {job.name: job for job in jobs}
