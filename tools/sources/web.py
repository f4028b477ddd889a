#!/usr/bin/python3
"""A web server of motion JPEG: web.py PORT. /plain (no length, no time), /dated (X-Timestamp), /locked (user `guest`, password `geheim4711`)."""
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
    """Frames as JPEGs, each with the instant of its exposure, to all who look."""

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
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        self.end_headers()
        mine = queue.Queue()
        jpegs.listeners.append(mine)
        try:
            while True:
                at, frame = mine.get()
                head = "--frame\r\nContent-Type: image/jpeg\r\n"
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
