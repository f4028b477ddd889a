"""WHIP with our own server and headless Chromium: checks code strips and claps of the decoded streams."""
import os
import pathlib
import signal
import statistics
import subprocess
import tempfile
import time

import codes
import driver
import whip

RATE = 30


def run(options, say):
    recording = driver.Recording(options.programs)
    live = driver.Live(options.programs, recording)
    try:
        decoded(options, say, recording, live)
        outages(say, live)
        refusals(say, live)
        viewer(say, live)
        many(options, say, live)
        code, seconds = live.end()
        say("at the end of its input the live process ends by itself", code == 0 and seconds < 3, f"exit {code}", f"{seconds:.1f} s")
        shown = live.log + "".join(map(str, live.said))
        say("no token and no path is in a line or the log", not any(word in shown for word in ("KEYINQUERY", "TOKENWORD", "/live/room")))
    finally:
        live.process.kill()
        ended = recording.stop()
    say("the recording ends as if nothing had been", ended == 0, f"exit {ended}")
    reordered(options, say)


def decoded(options, say, recording, live):
    server = whip.Server(token="TOKENWORD")
    begin = time.monotonic()
    live.publish("show", server.url, token="TOKENWORD")
    connected = live.reaches("show", "connected")
    say("a WHIP server that wants a token is connected to", connected, f"{time.monotonic() - begin:.1f} s", live.state.get("show", {}).get("text"))
    if not connected:
        return
    driver.until(lambda: len(server.peer.frames) > 2, 10)
    time.sleep(options.seconds)
    t0 = next(event for event in recording.events if event["event"] == "started")["t0_monotonic_ns"] / 1e9
    peer, later = server.peer, None
    frames = peer.frames[RATE * 2:]  # lip sync starts with the first sender reports, within one second
    backwards, skipped = codes.order(peer.frames)
    say("every frame arrives, decodes and is in order", frames and not backwards and not skipped and peer.illegible == 0,
        f"{len(peer.frames)} frames", f"{skipped} skipped, {backwards} backwards, {peer.illegible} illegible", f"sizes {peer.sizes}")
    pauses = [b - a for a, b in zip(peer.arrived, peer.arrived[1:])]
    say("and none is late", max(pauses, default=9) < 0.5, f"longest pause {max(pauses, default=9) * 1000:.0f} ms")
    found = codes.apart(frames, [beep for beep in peer.beeps.found], t0, RATE)
    say("audio and video of a clap are within 20 ms", len(found) >= 3 and all(abs(value) <= 20 for value in found),
        f"{len(found)} claps: {min(found, default=99):.1f} to {max(found, default=99):.1f} ms")
    later = [arrived - frame[2] for arrived, frame in zip(peer.arrived[-200:], peer.frames[-200:])]
    say("from exposure to the decoded frame", bool(later), f"median {statistics.median(later or [9]) * 1000:.0f} ms, by the strip")
    say("the offer went once, with the token", [entry[0] for entry in server.asked] == ["POST"], [entry[0::3] for entry in server.asked])
    live.unpublish("show")
    say("unpublished, the server's resource is deleted, with the token",
        driver.until(lambda: server.asked[-1][0] == "DELETE", 5) and server.asked[-1][2] == "Bearer TOKENWORD", server.asked[-1][1::2])
    server.close()


class Relay:
    """A WHIP server in a separate process that can be killed."""

    def __init__(self, port=0):
        place = pathlib.Path(tempfile.mkdtemp(prefix="whip-")) / "port"
        code = ("import sys, time; sys.path.insert(0, sys.argv[1]); import whip; server = whip.Server(int(sys.argv[3]));"
                "open(sys.argv[2], 'w').write(str(server.port))\n"
                "while True: time.sleep(0.05); open(sys.argv[2] + '.frames', 'w').write(str(sum(len(p.frames) for p in server.peers)))")
        self.process = subprocess.Popen(["/usr/bin/python3", "-c", code, str(pathlib.Path(__file__).parent), str(place), str(port)])
        self.place = place
        assert driver.until(lambda: place.exists() and place.read_text(), 20)
        self.port = int(place.read_text())
        self.url = f"whip+http://127.0.0.1:{self.port}/live/room"

    def frames(self):
        try:
            return int(pathlib.Path(f"{self.place}.frames").read_text() or 0)
        except OSError:
            return 0


def outages(say, live):
    relay = Relay()
    live.publish("show", relay.url)
    say("a server in a process of its own is connected to", live.reaches("show", "connected"))
    driver.until(lambda: relay.frames() > 7 * RATE, 20)  # it has reported its bit rate by then
    relay.process.send_signal(signal.SIGSTOP)
    begin = time.monotonic()
    noticed = live.reaches("show", "waiting", 20)
    say("a server that hears nothing any more is noticed within 8 s", noticed and time.monotonic() - begin < 8, f"{time.monotonic() - begin:.1f} s", (noticed or {}).get("text"))
    relay.process.kill()
    relay.process.wait()
    time.sleep(1)
    second = Relay(relay.port)
    begin = time.monotonic()
    back = driver.until(lambda: second.frames() > 0, 20)
    say("the stream is on the air again at most 4 s after the server is", back and time.monotonic() - begin <= 4, f"{time.monotonic() - begin:.1f} s")
    driver.until(lambda: second.frames() > 7 * RATE, 20)
    begin = time.monotonic()
    second.process.kill()
    second.process.wait()
    noticed = live.reaches("show", "waiting", 20)
    say("a server that was killed is noticed", noticed, f"{time.monotonic() - begin:.1f} s", (noticed or {}).get("text"))
    live.unpublish("show")


def refusals(say, live):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="whip-"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=somebody.else", "-keyout", folder / "key",
                    "-out", folder / "certificate"], check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_text((folder / "key").read_text() + (folder / "certificate").read_text())
    plain, encrypted = whip.Server(), whip.Server(certificate=both)

    def answers(sentence, url, behave, state, *words, token="TOKENWORD", seconds=12):
        plain.behave = behave
        name = "p" + "".join(character for character in sentence if character.isalnum())[:30].lower()
        live.publish(name, url, token=token)
        facts = live.reaches(name, state, seconds) or live.state.get(name) or {}
        text = facts.get("text") or ""
        say(f"{sentence}: {state}, in one sentence", facts.get("state") == state and all(word in text for word in words) and text.endswith("."), text)
        live.unpublish(name)

    def reply(status, body=b"", **headers):
        return lambda handler: handler.reply(status, body, **headers)

    for status, state, word in ((401, "refused", "token"), (403, "refused", "token"), (404, "refused", "path"), (405, "refused", "HTTP 405"),
                                (415, "refused", "H.264"), (409, "waiting", "at the moment"), (500, "waiting", "HTTP 500"), (503, "waiting", "at the moment"),
                                (301, "refused", "HTTP 301")):
        answers(f"HTTP {status}", plain.url, status, state, word)
    answers("a page in place of a description", plain.url, reply(201, b"<html>", Content_Type="text/html"), "refused", "WHIP")
    answers("rubbish in place of a description", plain.url, reply(201, b"\0" * 100000, Content_Type="application/sdp"), "waiting", "description")
    answers("an answer without video", plain.url, lambda handler: handler.reply(
        201, handler.offer.replace("m=video 9", "m=video 0").encode(), Content_Type="application/sdp"), "refused", "H.264")
    answers("no answer at all", plain.url, lambda handler: time.sleep(20), "waiting", "in time", seconds=15)
    other = whip.Server()
    for status in (307, 308):
        for kind, place in (("another port", other.url), ("TLS at another port", encrypted.url)):
            answers(f"a redirect (HTTP {status}) to {kind}", plain.url, reply(status, Location=place.removeprefix("whip+")), "refused", "another server")
    answers("a redirect within the origin is followed", plain.url,
            lambda handler: handler.reply(404) if handler.path == "/b" else handler.reply(307, Location="/b"), "refused", "does not have this stream")
    elsewhere(say, live, plain, other)
    answers("a certificate of somebody else", encrypted.url, None, "refused", "certificate")
    answers("nobody at the port", "whip+http://127.0.0.1:9/live", None, "waiting", "127.0.0.1")
    answers("no such host", "whip+https://no.such.host.invalid/live", None, "waiting", "no.such.host.invalid")
    say("TLS servers with a certificate of somebody else never saw the token", not encrypted.asked, encrypted.asked)
    say("a server at another origin got no request and no token", not other.asked, other.asked)
    other.close()
    plain.close()
    encrypted.close()


def elsewhere(say, live, server, other):
    """A server that returns a resource URL with another origin."""
    def accept(handler):
        peer = server.make(handler.offer)
        server.peers.append(peer)
        handler.reply(201, peer.answer.encode(), Content_Type="application/sdp", Location=other.url.removeprefix("whip+"))
    server.behave = accept
    live.publish("elsewhere", server.url, token="TOKENWORD")
    say("a server that names a resource at another origin gets the stream", live.reaches("elsewhere", "connected"))
    live.unpublish("elsewhere")
    live.reaches("elsewhere", "ended", 5)
    server.close_peers()


def viewer(say, live):
    import viewer as chromium
    browser = chromium.Viewer()
    server = whip.Server(make=browser.make)
    live.publish("show", server.url)
    say("headless Chromium as the viewer is connected to", live.reaches("show", "connected"), live.state.get("show", {}).get("text"))
    time.sleep(10)
    # On a busy machine, the browser starts late.
    driver.until(lambda: len(browser.facts()["frames"]) > 60, 30)
    facts = browser.facts()
    frames = facts["frames"]
    backwards, _ = codes.order(frames)
    video, audio = facts.get("video", {}), facts.get("audio", {})
    say("Chromium decodes and shows the frames in order", len(frames) > 60 and not backwards and facts["illegible"] <= 2,
        f"{video.get('framesDecoded')} decoded, {len(frames)} looked at, {facts['illegible']} illegible, {video.get('framesPerSecond')} fps")
    say("and loses none of them", video.get("packetsLost") == 0, f"{video.get('packetsReceived')} packets, {video.get('packetsLost')} lost")
    say("and hears the mix", audio.get("totalAudioEnergy", 0) > 0.01 and audio.get("packetsLost") == 0,
        f"energy {audio.get('totalAudioEnergy', 0):.3f}", facts.get("codecs"))
    live.unpublish("show")
    server.close()
    browser.close()


def many(options, say, live):
    server = whip.Server()
    connected = 0
    before = memory(live.process.pid)
    for _ in range(options.times):
        live.publish("show", server.url)
        connected += bool(live.reaches("show", "connected"))
        live.unpublish("show")
        live.reaches("show", "ended", 5)
    say(f"published and unpublished {options.times} times, it connects each time", connected == options.times, connected)
    driver.until(lambda: sum(entry[0] == "DELETE" for entry in server.asked) >= connected, 5)
    deleted = sum(entry[0] == "DELETE" for entry in server.asked)
    say("and leaves nothing behind on the server", deleted == connected, deleted)
    after = memory(live.process.pid)
    threads = len(os.listdir(f"/proc/{live.process.pid}/task"))
    say("nor in its own memory and threads", after - before < 20 + options.times * 0.2 and threads < 40,
        f"{before:.0f} MB before, {after:.0f} MB after, {threads} threads")
    server.close()


def memory(process):
    return next(int(line.split()[1]) for line in open(f"/proc/{process}/status") if line.startswith("VmRSS")) / 1024


def reordered(options, say):
    recording = driver.Recording(options.programs, preset="superfast")
    live = driver.Live(options.programs, recording)
    server = whip.Server()
    live.publish("show", server.url)
    facts = live.reaches("show", "refused", 20) or {}
    say("a preset with B frames is refused, with what to do", "B-frames" in facts.get("text", "") and "video" in facts["text"], facts.get("text"))
    live.end()
    recording.stop()
    server.close()
