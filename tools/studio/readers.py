"""Other programs that read `.mjpg` and send commands over HTTP as documented: VLC, OBS under Xvfb, ffmpeg, curl with Companion's requests."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "live"))
import codes
from client import until

WIDTH, HEIGHT = 320, 180


def numbers(*words):
    """Frame numbers of the code strips that ffmpeg reads from an input."""
    data = subprocess.run(["ffmpeg", "-v", "error", *map(str, words), "-fps_mode", "passthrough", "-vf", f"scale={WIDTH}:{HEIGHT}:flags=area", "-pix_fmt", "gray",
                           "-f", "rawvideo", "-"], capture_output=True).stdout
    size = WIDTH * HEIGHT
    found = [codes.picture(data[start:start + size], WIDTH, HEIGHT, WIDTH) for start in range(0, len(data) - size + 1, size)]
    return [code[0] for code in found if code], len(found)


def rising(found, least):
    seen, count = found
    return len(set(seen)) >= least and seen == sorted(seen) and len(seen) * 10 >= count * 9


def vlc(url, folder):
    # VLC refuses to run as root.
    user = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] if os.geteuid() == 0 else []
    process = subprocess.Popen([*user, "env", f"HOME={folder}", "cvlc", "-q", "--no-audio", "--vout", "dummy", "--video-filter", "scene", "--scene-format", "png",
                    "--scene-ratio", "3", "--scene-path", folder, url],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    begin = time.monotonic()
    while len(list(pathlib.Path(folder).glob("*.png"))) < 12 and time.monotonic() - begin < 30:
        time.sleep(0.2)
    process.kill()
    process.wait()
    # The last one may be incomplete.
    found = [numbers("-i", path) for path in sorted(pathlib.Path(folder).glob("*.png"))[:-1]]
    return [code for seen, _ in found for code in seen], len(found)


OBS = {
    "basic/profiles/Test/basic.ini": """[General]
Name=Test
[Output]
Mode=Simple
[SimpleOutput]
FilePath=FOLDER
RecFormat=mkv
RecQuality=Stream
StreamEncoder=x264
VBitrate=2000
[Video]
BaseCX=320
BaseCY=180
OutputCX=320
OutputCY=180
FPSCommon=30
""",
    "global.ini": """[General]
FirstRun=true
LastVersion=486539266
Pre19Defaults=false
Pre21Defaults=false
Pre23Defaults=false
Pre24.1Defaults=false
EnableAutoUpdates=false
ConfirmOnExit=false
[Basic]
Profile=Test
ProfileDir=Test
SceneCollection=Test
SceneCollectionFile=Test
ConfigOnNewProfile=false
""",
    "basic/scenes/Test.json": json.dumps({
        "current_scene": "Scene", "current_program_scene": "Scene", "name": "Test", "scene_order": [{"name": "Scene"}],
        "sources": [
            {"id": "ffmpeg_source", "name": "camera", "settings": {"is_local_file": False, "input": "URL", "input_format": "mpjpeg", "reconnect_delay_sec": 1}},
            {"id": "scene", "name": "Scene", "settings": {"id_counter": 1, "items": [{"name": "camera", "id": 1, "visible": True, "pos": {"x": 0.0, "y": 0.0},
                                                                                       "scale": {"x": 1.0, "y": 1.0}}]}}]})}


def obs(url, folder):
    place = pathlib.Path(folder) / ".config" / "obs-studio"
    for name, text in OBS.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("FOLDER", folder).replace("URL", url))
    process = subprocess.Popen(["xvfb-run", "-a", "-s", "-screen 0 1280x800x24", "obs", "--multi", "--startrecording", "--collection", "Test", "--profile", "Test"],
                               env={**os.environ, "HOME": folder, "XDG_CONFIG_HOME": str(pathlib.Path(folder) / ".config"), "LIBGL_ALWAYS_SOFTWARE": "1",
                                    "QT_QPA_PLATFORM": "xcb"}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    begin = time.monotonic()
    while not list(pathlib.Path(folder).glob("*.mkv")) and time.monotonic() - begin < 40:
        time.sleep(0.5)
    time.sleep(12)
    os.killpg(process.pid, 15)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()
    made = next(iter(pathlib.Path(folder).glob("*.mkv")), None)
    if not made:
        return [], 0
    seen, count = numbers("-i", made)
    # OBS repeats frames before the source exists, and between two of its frames.
    return seen, len(seen)


def look(studio, say):
    read_token = json.loads(studio.ask("POST", "/api/v1/login", b"")[1])["read_token"]
    url = f"http://{studio.host}/api/v1/cameras/desk.mjpg?width=320&token={read_token}"
    found = numbers("-f", "mpjpeg", "-t", "4", "-i", url)
    say("ffmpeg reads a camera's .mjpg", rising(found, 20), f"{len(set(found[0]))} frames by their code strips")
    for name, program, reads, least in (("VLC", "cvlc", vlc, 5), ("OBS", "obs", obs, 40)):
        if not shutil.which(program):
            print(f"       {name} is left out: {program} is not installed", flush=True)
            continue
        with tempfile.TemporaryDirectory(prefix="reader-") as folder:
            os.chmod(folder, 0o777)
            found = reads(url, folder)
        say(f"{name} reads it, too", rising(found, least), f"{len(set(found[0]))} frames by their code strips")
    # As docs/how-to/stream-deck-and-companion.md describes for Companion's module "generic HTTP".
    done = subprocess.run(["curl", "-s", "-X", "POST", f"http://{studio.host}/api/v1/command", "-H", f"Authorization: Bearer {studio.token}", "-H",
                           "Content-Type: application/json", "-d", '{"command": "mark Companion"}'], capture_output=True, text=True)
    marked = until(lambda: any(marker["text"] == "Companion" for marker in studio.status()["markers"]), 5)
    say("Companion's way to command, by HTTP with a header, sets a marker", json.loads(done.stdout or "{}").get("ok") and marked, done.stdout.strip())
    tally = subprocess.run(["curl", "-s", f"http://{studio.host}/api/v1/tally?token={read_token}"], capture_output=True, text=True).stdout
    say("and its way to ask for the tally answers", json.loads(tally or "{}").get("cameras", {}).get("desk") == "main", tally.strip())
