#!/usr/bin/python3
"""A Motion JPEG web server: web.py PORT. /plain (no length, no time), /dated (X-Timestamp), /locked (user `guest`, password `geheim4711`).

/plain?STYLE deviates from the standard like real cameras: no-boundary, other-boundary, quoted, spaces, no-type, octets, padding, no-end,
length-0, long, short, no-length."""
import base64
import http.server
import queue
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
import camera


class JPEGs:
    """Frames as JPEGs, each with its exposure time, for all viewers."""

    def __init__(self):
        self.listeners, self.times = [], queue.Queue()
        self.encoder = subprocess.Popen(
            ["ffmpeg", "-v", "error", "-fflags", "nobuffer", "-probesize", "32", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s",
             f"{camera.WIDTH}x{camera.HEIGHT}", "-r", str(camera.RATE), "-i", "-", "-vf", "scale=out_range=full,format=yuvj420p",
             "-c:v", "mjpeg", "-q:v", "4", "-threads", "1", "-vsync", "passthrough", "-flush_packets", "1", "-f", "image2pipe", "-"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        threading.Thread(target=self.feed, daemon=True).start()
        threading.Thread(target=self.read, daemon=True).start()

    def feed(self):
        for at, frame in camera.frames(camera.Scene()):
            self.times.put(at)
            self.encoder.stdin.write(frame)
            self.encoder.stdin.flush()

    def read(self):
        data = b""
        while more := self.encoder.stdout.read1(1 << 16):
            data += more
            while (end := data.find(b"\xff\xd9")) >= 0:
                frame, data = data[:end + 2], data[end + 2:]
                at = self.times.get()
                for listener in list(self.listeners):
                    listener.put((at, frame))


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        if self.path == "/locked" and self.headers["Authorization"] != "Basic " + base64.b64encode(b"guest:geheim4711").decode():
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="camera"')
            self.send_header("Content-Length", "0")
            return self.end_headers()
        self.send_response(200)
        style = self.path.partition("?")[2]
        kind = "multipart/x-mixed-replace"
        kind = {"no-boundary": kind, "other-boundary": f"{kind}; boundary=other", "quoted": f'{kind};boundary="--frame"', "spaces": f'{kind} ; boundary = "fr ame"',
                "no-type": None, "octets": "application/octet-stream"}.get(style, f"{kind}; boundary=frame")
        if kind:
            self.send_header("Content-Type", kind)
        self.end_headers()
        delimiter = "--fr ame" if style == "spaces" else "--frame"
        change = {"length-0": lambda count: 0, "long": lambda count: count + 2, "short": lambda count: count - 100, "padding": lambda count: count,
                  "no-end": lambda count: count}.get(style)
        mine = queue.Queue()
        jpegs.listeners.append(mine)
        try:
            while True:
                at, frame = mine.get()
                head = f"{delimiter}\r\nContent-Type: image/jpeg\r\n"
                frame = frame + bytes(64) if style == "padding" else frame[:-2] if style == "no-end" else frame
                if change:
                    head += f"Content-Length: {change(len(frame))}\r\n"
                if self.path == "/dated":
                    head += f"Content-Length: {len(frame)}\r\nX-Timestamp: {at + time.time() - time.monotonic():.6f}\r\n"
                self.wfile.write(head.encode() + b"\r\n" + frame + b"\r\n")
        except OSError:
            jpegs.listeners.remove(mine)


jpegs = JPEGs()
http.server.ThreadingHTTPServer.allow_reuse_address = True
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
print("ready", flush=True)
server.serve_forever()
