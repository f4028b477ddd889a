"""The control room's functions for recordings, controls and jobs: normal use and attacks."""
import io
import json
import os
import pathlib
import select
import shutil
import time
import urllib.parse
import zipfile

from client import memory, read_all, until

BASE = "/api/v1/recordings/"


def raw(studio, path, *lines, token=True, seconds=20):
    """Status, headers and bytes of a GET."""
    words = [f"GET {path} HTTP/1.1", f"Host: {studio.host}", "Connection: close"]
    if token:
        words.append(f"Authorization: Bearer {studio.token}")
    said = studio.send("\r\n".join(words + list(lines) + ["", ""]).encode(), seconds)
    head, _, body = said.partition(b"\r\n\r\n")
    rows = head.decode(errors="replace").split("\r\n")
    headers = dict(row.lower().split(": ", 1) for row in rows[1:] if ": " in row)
    return int(rows[0].split(" ")[1]) if " " in rows[0] else 0, headers, body


def jobs(studio):
    return {job["job"]: job for job in json.loads(studio.ask("GET", "/api/v1/jobs")[1])["jobs"]}


def done(studio, number, seconds=60):
    return until(lambda: (lambda job: job if job and job["done"] else None)(jobs(studio).get(number)), seconds)


def start(studio, command, folder, **options):
    code, text = studio.ask("POST", "/api/v1/jobs", {"command": command, "folder": folder, "options": options})
    return code, json.loads(text).get("job") if text.startswith("{") else None


def look(studio, say):
    """Records for some seconds, and checks the recorded files."""
    until(lambda: studio.status(), 20)
    folder = studio.record()
    name = folder.name
    place = BASE + name
    codes = [raw(studio, f"{place}/{what}")[0] for what in ("frame.jpg?track=desk&at_ns=0", "waveform?track=host", "program.mp4", "files", "archive.zip")]
    codes += [studio.ask("PATCH", place, {"title": "now"})[0], studio.ask("DELETE", place, {"to": "permanent"})[0]]
    say("while a recording runs its media are refused", set(codes) == {409}, codes)
    controls(studio, say)
    code, text = studio.ask("POST", "/api/v1/calibrate", {})
    say("a calibration is refused while a recording runs", code == 409, text)
    time.sleep(2)
    say("the recording ends", studio.finish())
    media(studio, say, folder)
    attack(studio, say, folder)
    work(studio, say, folder)
    manage(studio, say, folder)
    calibrate(studio, say)
    return folder


def controls(studio, say):
    path = "/api/v1/cameras/face/controls"
    code, text = studio.ask("GET", path)
    told = json.loads(text)
    names = {control["name"]: control for control in told.get("controls", [])}
    say("a camera's controls are told while it records", code == 200 and "gain" in names, code, sorted(names)[:4])
    code, text = studio.ask("POST", path, {"set": {"brightness": 20}})
    told = json.loads(text)
    say("a control is set and read back", code == 200 and told["set"][0]["value"] == 20 and told["ok"], told.get("set"))
    code, text = studio.ask("POST", path, {"save": "studio test"})
    say("a preset is saved", code == 200 and "studio test" in json.loads(text)["presets"], code)
    studio.ask("POST", path, {"set": {"brightness": 0}})
    code, text = studio.ask("POST", path, {"load": "studio test"})
    values = {control["name"]: control["value"] for control in json.loads(text).get("controls", [])}
    say("a preset is loaded", code == 200 and values.get("brightness") == 20, code)
    code, text = studio.ask("POST", path, {"delete": "studio test"})
    say("a preset is deleted", code == 200 and json.loads(text)["presets"] == [], code)
    code, text = studio.ask("POST", path, {"match": "desk"})
    say("a camera is matched to another, and the values are told", code == 200 and "was matched to desk" in text, json.loads(text).get("text", text))
    codes = [studio.ask("POST", path, body)[0] for body in
             (b"", b"{}", b"[]", b"\0", {"set": {}}, {"set": {"gain": 1e300}}, {"set": {"gain": [1]}}, {"set": {"nothing": 1}},
              {"set": {"gain": 99999}}, {"set": {"a=b": 1}}, {"load": "none"}, {"match": "face"}, {"match": "guest"}, {"load": "x" * 500},
              {"set": {f"x{index}": 1 for index in range(1000)}}, {"set": {"gain": 1}, "load": "x"})]
    say("controls of rubbish are refused", set(codes) <= {400, 409}, codes)
    codes = [studio.ask(method, where)[0] for method, where in
             (("GET", "/api/v1/cameras/guest/controls"), ("GET", "/api/v1/cameras/../controls"), ("GET", "/api/v1/cameras/%2e%2e/controls"),
              ("DELETE", path), ("GET", path + "/x"))]
    say("controls of nobody are not there", all(400 <= code < 500 for code in codes), codes)


def media(studio, say, folder):
    place = BASE + folder.name
    manifest = json.loads((folder / "manifest.json").read_text())
    middle = manifest["duration_ns"] // 2
    seen = {}
    for track in (track["name"] for track in manifest["tracks"] if track["kind"] != "microphone"):
        began = time.monotonic()
        code, headers, body = raw(studio, f"{place}/frame.jpg?track={track}&at_ns={middle}&width=160")
        seen[track] = (code, body[:2] == b"\xff\xd8" and body[-2:] == b"\xff\xd9", headers.get("x-at-ns"), time.monotonic() - began)
    say("each track has a frame in the middle", seen and all(one[:2] == (200, True) and abs(int(one[2]) - middle) < 200_000_000 for one in seen.values()),
        seen)
    for track in ("host", "program"):
        code, _, body = raw(studio, f"{place}/waveform?track={track}&count=50")
        peaks = json.loads(body)["peaks"] if code == 200 else []
        say(f"the waveform of {track} is there", len(peaks) == 50 and 0.05 < max(peaks) <= 1, code, max(peaks, default=None))
    whole = (folder / "program.mp4").read_bytes()
    code, headers, body = raw(studio, f"{place}/program.mp4")
    say("the program is sent whole", code == 200 and body == whole and headers.get("accept-ranges") == "bytes" and headers["content-type"] == "video/mp4",
        code, f"{len(body)} of {len(whole)} bytes")
    half = len(whole) // 2
    for text, part in ((f"bytes=0-{half}", whole[:half + 1]), (f"bytes={half}-", whole[half:]), ("bytes=-1000", whole[-1000:]),
                       (f"bytes={half}-{half}", whole[half:half + 1])):
        code, headers, body = raw(studio, f"{place}/program.mp4", f"Range: {text}")
        say(f"the range {text.replace(str(half), 'N')} is answered with its bytes", code == 206 and body == part, code, headers.get("content-range"))
    tag = headers["etag"]
    codes = [raw(studio, f"{place}/program.mp4", "Range: bytes=0-9", f"If-Range: {value}")[0] for value in (tag, '"other"')]
    say("a range of another state of the file is the whole file", codes == [206, 200], codes)
    codes = [raw(studio, f"{place}/program.mp4", f"Range: {text}")[0] for text in
             (f"bytes={len(whole)}-", "bytes=99999999999999999999-", "bytes=5-4", "bytes=0-1,3-4", "bytes=a-b", "bytes=-", "x" * 5000)]
    say("a range that is none harms nothing", set(codes) <= {200, 416} and codes[0] == 416, codes)


def attack(studio, say, folder):
    place = BASE + folder.name
    paths = [f"{place}/{what}" for what in ("frame.jpg?track=desk&at_ns=0", "waveform?track=host", "program.mp4", "files", "archive.zip", "files/edit/render-1.mp4")]
    paths += ["/api/v1/jobs", "/api/v1/cameras/desk/controls"]
    read_token = json.loads(studio.ask("POST", "/api/v1/login", b"")[1])["read_token"]
    codes = [raw(studio, path, token=False)[0] for path in paths]
    codes += [raw(studio, path + ("&" if "?" in path else "?") + "token=" + read_token, token=False)[0] for path in paths]
    codes += [studio.ask("POST", path, {}, token=False)[0] for path in ("/api/v1/jobs", "/api/v1/calibrate", "/api/v1/jobs/1/cancel")]
    say("recordings, jobs and controls need the token, and not the one for looking", set(codes) == {401}, codes)
    secret = folder.parent / "secret.mp4"
    secret.write_text("secret")
    (folder / "edit").mkdir(exist_ok=True)
    (folder / "edit" / "render-7.mp4").symlink_to(secret)
    (folder / "edit" / "session.edl").write_text("made")
    told = []
    names = ["..", "../..", "/", "/etc", "", ".", "...", "-h", "x" * 300, "x" * 5000, "a\0b", "none", folder.name + "/cameras"]
    for name in names:
        for spelling in (name, urllib.parse.quote(name, safe=""), urllib.parse.quote(urllib.parse.quote(name, safe=""), safe="")):
            if "\0" in spelling or not spelling.isprintable():
                continue
            for what in ("frame.jpg?track=desk&at_ns=0", "program.mp4", "files/edit/render-7.mp4", "files/../../secret.mp4", "archive.zip", "files"):
                code, text = studio.ask("GET", f"{BASE}{spelling}/{what}")
                if not (code == 0 or 400 <= code < 500) or "secret" in text:
                    told.append((spelling[:40], what, code))
    say("no name of a recording leads out of the output folder", not told, told[:3])
    queries = ["", "track=", "track=none&at_ns=0", "track=../desk&at_ns=0", "track=host&at_ns=0", "track=desk", "track=desk&at_ns=", "track=desk&at_ns=-1",
               "track=desk&at_ns=1e9", "track=desk&at_ns=99999999999999999999", "track=desk&at_ns=9223372036854775807", "track=desk&at_ns=0x10",
               "track=desk&at_ns=99999999999999999", "track=desk&at_ns=0&width=0", "track=desk&at_ns=0&width=-1", "track=desk&at_ns=0&width=1000000000",
               "track=desk&at_ns=0&width=nan", "track=" + "x" * 3000 + "&at_ns=0", "track=%00&at_ns=0", "track=desk%00&at_ns=0", "&" * 1000]
    codes = [raw(studio, f"{place}/frame.jpg?{query}")[0] for query in queries]
    say("frames that cannot be are refused", all(400 <= code < 500 for code in codes), codes)
    queries = ["", "track=desk", "track=none", "track=host&count=0", "track=host&count=-5", "track=host&count=1000000000", "track=host&count=1e9"]
    codes = [raw(studio, f"{place}/waveform?{query}")[0] for query in queries]
    codes += [raw(studio, f"{place}/program.mp4?part={part}")[0] for part in (0, 2, -1, 10**20, "x")]
    say("waveforms and parts that cannot be are refused", all(400 <= code < 500 for code in codes), codes)
    names = ["edit/render-7.mp4", "..%2f" + folder.name + "%2fmanifest.json", "..%2fsecret.mp4", "..%2f..%2fsecret.mp4", "edit", "x", "edit/session.edl%00", "edit/render-1.mp4%2f",
             "/etc/passwd", "%2fetc%2fpasswd", "edit//session.edl"]
    answers = [raw(studio, f"{place}/files/{name}") for name in names]
    said = [(answer[0], name) for answer, name in zip(answers, names) if answer[0] not in (400, 404) and b"secret" in answer[2] + b"root:"]
    say("only listed files are sent, and no links", all(answer[0] in (400, 404) for answer in answers) and not said, [answer[0] for answer in answers])
    say("a listed file is sent", raw(studio, f"{place}/files/edit/session.edl")[2] == b"made")
    archive(studio, say, folder)
    secret.unlink()
    slow(studio, say, place)
    crowd(studio, say, place)


def archive(studio, say, folder):
    """The archive has the announced size and unpacks to the same bytes, without links."""
    place = BASE + folder.name
    code, _, body = raw(studio, f"{place}/files")
    listed = json.loads(body) if code == 200 else {}
    files = {file["path"]: file["bytes"] for file in listed.get("files", [])}
    real = {str(path.relative_to(folder)): path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()}
    say("every file is listed with its size, and no link", files == real, sorted(set(files) ^ set(real)), len(files))
    code, headers, body = raw(studio, f"{place}/archive.zip", seconds=60)
    size = listed.get("archive", {}).get("bytes")
    say("the archive has the announced size", code == 200 and len(body) == size == int(headers["content-length"]), code, len(body), size)
    packed = zipfile.ZipFile(io.BytesIO(body))
    same = {name.split("/", 1)[1]: packed.read(name) for name in packed.namelist()} == {path: (folder / path).read_bytes() for path in real}
    say("the archive unpacks to the same bytes", packed.testzip() is None and same, packed.testzip())
    program = listed.get("program") or {}
    say("the program is listed with its size", program.get("parts") == 1 and program.get("bytes") == (folder / "program.mp4").stat().st_size, program)


def manage(studio, say, folder):
    """Renames a copy of a recording, and deletes it."""
    copy = folder.with_name("2020-01-01_120000_copy")
    shutil.copytree(folder, copy, symlinks=True)
    place = BASE + copy.name
    entry = lambda: next((one for one in json.loads(studio.ask("GET", "/api/v1/recordings")[1])["recordings"] if one["folder"] == copy.name), None)
    code, text = studio.ask("PATCH", place, {"title": "A new <b>title</b>"})
    say("a recording is renamed, and its folder stays", code == 200 and entry()["title"] == "A new <b>title</b>" and copy.exists(), code, text)
    codes = [studio.ask("PATCH", BASE + name, {"title": "x"})[0] for name in ("..", "none", "%2e%2e", "-h")]
    codes += [studio.ask("DELETE", BASE + name, {"to": "permanent"})[0] for name in ("..", "none", "%2e%2e", "-h", ".")]
    codes += [studio.ask("DELETE", place, body)[0] for body in (b"", b"{}", {"to": "x"}, {"to": "--permanently"})]
    codes += [studio.ask("PATCH", place, body)[0] for body in (b"", b"{}", {"title": "a\nb"}, {"title": "x" * 300})]
    say("titles and names that cannot be are refused", all(400 <= code < 500 for code in codes) and copy.exists(), codes)
    size = entry()["bytes"]
    say("the list has the size of all files", size == sum(path.lstat().st_size for path in copy.rglob("*") if path.is_file() and not path.is_symlink()), size)
    code, number = start(studio, "sync-check", copy.name)
    busy = studio.ask("DELETE", place, {"to": "permanent"})[0]
    done(studio, number, 60)
    say("a recording that a job uses is not deleted", code == 200 and (busy == 409 and copy.exists() or busy == 200), busy)
    if copy.exists():
        code, text = studio.ask("DELETE", place, {"to": "permanent"})
        say("a recording is deleted", code == 200 and not copy.exists() and entry() is None, code, text)


def slow(studio, say, place):
    """Stalled downloads of a file larger than any socket buffer."""
    web, before = studio.web, memory(studio.web)
    big = studio.output / place.rsplit("/", 1)[1] / "edit" / "render-9.mp4"
    with open(big, "wb") as file:
        file.truncate(4 << 30)
    connections = []
    for _ in range(24):
        connection = studio.connect(20)
        connection.sendall(f"GET {place}/files/edit/render-9.mp4 HTTP/1.1\r\nHost: {studio.host}\r\nAuthorization: Bearer {studio.token}\r\n\r\n".encode())
        connections.append(connection)
    time.sleep(3)
    heads = [connection.recv(12)[9:12] if select.select([connection], [], [], 0)[0] else b"" for connection in connections]
    began = time.monotonic()
    codes = [studio.ask("GET", "/api/v1/status")[0], raw(studio, f"{place}/frame.jpg?track=desk&at_ns=0")[0]]
    say("sixteen downloads that nobody reads keep nobody waiting, and more are refused",
        codes == [200, 200] and heads.count(b"200") == 16 and heads.count(b"503") == 8 and time.monotonic() - began < 5, codes, heads.count(b"200"),
        f"the web process grew by {memory(web) - before:.0f} MB")
    say("their memory is bounded", memory(web) - before < 48)
    for connection in connections:
        connection.close()
    say("their places are free afterwards", until(lambda: raw(studio, f"{place}/program.mp4")[0] == 200, 20))
    big.unlink()


def crowd(studio, say, place):
    """Hundreds of simultaneous frame requests: the newest are answered, the oldest refused, and nothing remains."""
    connections, codes = [], []
    for index in range(150):
        connection = studio.connect(30)
        connection.sendall((f"GET {place}/frame.jpg?track={('desk', 'face', 'program')[index % 3]}&at_ns={index * 13_000_000}&width=320 HTTP/1.1\r\n"
                            f"Host: {studio.host}\r\nConnection: close\r\nAuthorization: Bearer {studio.token}\r\n\r\n").encode())
        connections.append(connection)
    for connection in connections:
        codes.append(read_all(connection)[9:12])
        connection.close()
    counts = {code.decode(): codes.count(code) for code in set(codes)}
    say("of 150 frames at once all are answered or refused", set(codes) <= {b"200", b"503", b"404"} and codes.count(b"200") >= 16, counts)


def work(studio, say, folder):
    code, number = start(studio, "verify", folder.name)
    job = done(studio, number) if number else None
    say("a recording is verified as a job", code == 200 and job and job["ok"] and job["progress"] == 1 and "unchanged" in job["text"], code, job)
    code, number = start(studio, "sync-check", folder.name)
    job = done(studio, number) if number else None
    say("a recording's sync is measured as a job", code == 200 and job and "text" in job and (folder / "report" / "sync.json").exists(), code,
        job and job["text"][:100])
    for command in ("export", "render"):
        code, number = start(studio, command, folder.name)
        job = done(studio, number) if number else None
        say(f"`{command}` runs as a job, or says that the program does not know it", code == 200 and job and (job["ok"] or job["text"]), job and job["text"][:100])
    code, first = start(studio, "sync-check", folder.name)
    again = start(studio, "verify", folder.name)[0]
    canceled = studio.ask("POST", f"/api/v1/jobs/{first}/cancel", {})[0]
    job = done(studio, first, 10)
    say("one job a recording, which can be canceled", code == 200 and again in (409, 200) and canceled in (200, 409) and job and job["done"],
        again, canceled, job and job["text"][:60])
    web = studio.web
    before = len(jobs(studio))
    os.kill(web, 9)
    until(lambda: studio.web not in (None, web) and studio.status(), 20)
    say("the jobs are told by the next web process, too", len(jobs(studio)) == before, before, len(jobs(studio)))
    secret = pathlib.Path(studio.folder) / "out"
    bodies = [{"command": "delete", "folder": folder.name}, {"command": "record", "folder": folder.name}, {"command": "verify"}, {"folder": folder.name},
              {"command": "verify", "folder": "../" + studio.output.name}, {"command": "verify", "folder": "/etc"}, {"command": "verify", "folder": "--help"},
              {"command": "verify", "folder": ""}, {"command": "render", "folder": folder.name, "options": {"o": str(secret)}},
              {"command": "render", "folder": folder.name, "options": {"size": "$(x)"}}, {"command": "render", "folder": folder.name, "options": {"-o": "x"}},
              {"command": "render", "folder": folder.name, "options": {str(index): "x" for index in range(100)}},
              {"command": "render", "folder": folder.name, "options": {"layout": ["grid"]}}, {"command": "render", "folder": folder.name, "options": "x"}]
    codes = [studio.ask("POST", "/api/v1/jobs", body)[0] for body in bodies]
    codes += [studio.ask("POST", f"/api/v1/jobs/{number}/cancel", {})[0] for number in (0, -1, 999, 10**30, "x")]
    say("jobs that nobody may start, and numbers of none, are refused", set(codes) <= {400, 404, 409} and not secret.exists(), codes)
    gone = start(studio, "verify", "2000-01-01_000000_none")
    job = done(studio, gone[1]) if gone[1] else None
    say("a recording that is not there cannot be verified", gone[0] in (404, 409) or job and not job["ok"], gone, job and job["text"][:80])


def calibrate(studio, say):
    """Calibration with the claps of virtual devices during standby: the recorder releases the devices, and takes them back."""
    recorder = studio.recorder
    code, text = studio.ask("POST", "/api/v1/calibrate", {"options": {"events": "3", "duration": "20s", "dry-run": "true"}})
    number = json.loads(text).get("job") if code == 200 else None
    say("a calibration begins while the recorder stands by", code == 200 and number, code, text)
    refused = [studio.ask("POST", "/api/v1/calibrate", {})[0], studio.ask("POST", "/api/v1/profiles/use", {"name": "pip"})[0]]
    say("nothing else takes the devices meanwhile", set(refused) == {409}, refused)
    job = done(studio, number, 60) if number else None
    event = (job or {}).get("event") or {}
    say("it comes to its end, with the number of detected events", event.get("event") == "finished" and event.get("detected_events", 0) >= 3, event.get("detected_events"),
        job and job["text"][:200], [device["verdict"] for device in event.get("devices", [])])
    say("the recorder stands by again afterwards", until(lambda: (studio.status() or {}).get("state") == "standby", 30) and studio.recorder != recorder)
