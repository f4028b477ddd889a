"""Camera content for the benchmark: made once from photographs and cached.

A still room with sensor noise, in which one patch moves (a person) while the camera sways slightly: apart from noise, most of a webcam
image is static.
"""
import os
import pathlib
import subprocess

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "multicam" / "bench-2"
# Debian's mate-backgrounds: photographs under free licenses.
PHOTOS = pathlib.Path("/usr/share/backgrounds/mate")
RATE = 30


def camera(name, size, room, somebody, quality):
    """A filter graph's source and storage format."""
    width, height = size
    return {"name": name, "size": size, "room": PHOTOS / room, "somebody": PHOTOS / somebody, "quality": quality}


# Qualities that yield about 180 KB per 1080p frame and 100 KB per 720p frame, as in webcams.
CAMERAS = [
    camera("main", (1920, 1080), "nature/Garden.jpg", "nature/LadyBird.jpg", 4),
    camera("one", (1280, 720), "nature/Wood.jpg", "nature/YellowFlower.jpg", 4),
    camera("two", (1280, 720), "nature/TwoWings.jpg", "nature/Dune.jpg", 4),
    camera("three", (1280, 720), "nature/Storm.jpg", "nature/LadyBird.jpg", 4),
]


def picture(facts):
    """The filter graph of one camera's image, in full range, as in JPEGs."""
    width, height = facts["size"]
    sway = width // 160
    return (f"[0:v]scale={width + 4 * sway}:{height + 4 * sway}:force_original_aspect_ratio=increase,loop=-1:1,fps={RATE},"
            f"crop={width}:{height}:x='{2 * sway}+{sway}*sin(t)':y='{2 * sway}+{sway}*cos(1.3*t)'[room];"
            f"[1:v]scale={width // 4}:{height // 2}:force_original_aspect_ratio=increase,crop={width // 4}:{height // 2},"
            f"loop=-1:1,fps={RATE}[somebody];"
            f"[room][somebody]overlay=x='{width * 3 // 8}+{width // 40}*sin(2*t)':y='{height // 3}+{height // 60}*sin(5*t)',"
            "noise=alls=5:allf=t")


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, arguments)], check=True)


def make(seconds):
    """Files of this many seconds, by name. Takes a minute the first time."""
    folder = CACHE / f"{seconds}s"
    names = [f"{facts['name']}.mkv" for facts in CAMERAS] + ["h264.mkv", "yuyv.nut", "sound.wav", "second.wav"]
    files = {name: folder / name for name in names}
    if (folder / "complete").exists():
        return files
    if not PHOTOS.exists():
        raise SystemExit("bench: the photographs of the package mate-backgrounds are missing; `tools/setup bench` installs them")
    folder.mkdir(parents=True, exist_ok=True)
    for facts in CAMERAS:
        ffmpeg("-i", facts["room"], "-i", facts["somebody"], "-filter_complex", picture(facts) + ",format=yuvj422p",
               "-t", seconds, "-c:v", "mjpeg", "-q:v", facts["quality"], "-huffman", "default", files[f"{facts['name']}.mkv"])
    ffmpeg("-i", files["main.mkv"], "-vf", "scale=in_range=pc:out_range=tv:out_color_matrix=bt709,format=yuv420p", "-c:v", "libx264",
           "-preset", "superfast", "-tune", "zerolatency", "-crf", "20", "-g", RATE, files["h264.mkv"])
    ffmpeg("-i", files["one.mkv"], "-vf", "scale=in_range=pc:out_range=tv,format=yuyv422", "-c:v", "rawvideo", files["yuyv.nut"])
    for name, color in (("sound.wav", "pink"), ("second.wav", "brown")):
        ffmpeg("-f", "lavfi", "-i", f"anoisesrc=a=0.1:c={color}:r=48000:seed=1", "-t", seconds, "-ac", "1", files[name])
    (folder / "complete").touch()
    return files
