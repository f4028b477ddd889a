#!/usr/bin/python3
"""GStreamer's RTSP server with cameras /a (H.264 and G.711), /b (JPEG), /c (H.265), and /l (JPEG by UDP, of which one frame in thirty
gets lost on its way): rtsp.py PORT [USER PASSWORD]."""
import sys
import threading
import time
from random import Random

import gi

sys.dont_write_bytecode = True
gi.require_version("Gst", "1.0")
gi.require_version("GstRtsp", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtsp, GstRtspServer

import camera

Gst.init(None)
VIDEO = (f"appsrc name=video is-live=true do-timestamp=true format=time block=false max-bytes=20000000 "
         f"caps=video/x-raw,format=I420,width={camera.WIDTH},height={camera.HEIGHT},framerate={camera.RATE}/1 ! ")
AUDIO = (f"appsrc name=audio is-live=true do-timestamp=true format=time "
         f"caps=audio/x-raw,format=S16LE,rate={camera.SAMPLES},channels=1,layout=interleaved ! ")
CAMERAS = {
    "/a": f"( {VIDEO} x264enc tune=zerolatency speed-preset=ultrafast key-int-max=15 bitrate=2000 ! video/x-h264,profile=baseline ! "
          f"rtph264pay name=pay0 config-interval=-1 pt=96 {AUDIO} alawenc ! rtppcmapay name=pay1 pt=8 )",
    "/b": f"( {VIDEO} jpegenc quality=80 ! rtpjpegpay name=pay0 pt=26 )",
    "/l": f"( {VIDEO} jpegenc quality=80 ! rtpjpegpay name=pay0 pt=26 )",
    "/c": f"( {VIDEO} x265enc tune=zerolatency speed-preset=ultrafast key-int-max=15 ! rtph265pay name=pay0 config-interval=-1 pt=96 )",
}


def push(source, makes):
    """Gives a source what is made until it takes no more."""
    for data in makes:
        if source.emit("push-buffer", Gst.Buffer.new_wrapped(data)) != Gst.FlowReturn.OK:
            return


def sound():
    begin, step, count = time.monotonic(), camera.SAMPLES // 50, 0
    while True:
        count += step
        time.sleep(max(begin + count / camera.SAMPLES - time.monotonic(), 0))
        # Dated when it is given out: so it is what follows from then on.
        yield camera.audio(begin + count / camera.SAMPLES, step)


def configure(factory, media):
    place = media.get_element()
    makes = {"video": lambda: (frame for _, frame in camera.frames(camera.Scene())), "audio": sound}
    for name, make in makes.items():
        source = place.get_by_name(name)
        if source:
            threading.Thread(target=push, args=(source, make()), daemon=True).start()
    if factory == lossy:
        random = Random(1)
        place.get_by_name("pay0").get_static_pad("src").add_probe(
            Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST,
            lambda *_: Gst.PadProbeReturn.DROP if random.random() < 1 / 30 else Gst.PadProbeReturn.OK)


server = GstRtspServer.RTSPServer.new()
server.set_address("127.0.0.1")
server.set_service(sys.argv[1])
if len(sys.argv) > 3:
    auth = GstRtspServer.RTSPAuth.new()
    token = GstRtspServer.RTSPToken.new()
    token.set_string("media.factory.role", "user")
    auth.add_basic(GstRtspServer.RTSPAuth.make_basic(sys.argv[2], sys.argv[3]), token)
    server.set_auth(auth)
for path, launch in CAMERAS.items():
    factory = GstRtspServer.RTSPMediaFactory.new()
    factory.set_launch(launch)
    if path == "/l":
        lossy = factory
    factory.set_shared(True)
    factory.set_latency(0)
    if path == "/l":
        factory.set_protocols(GstRtsp.RTSPLowerTrans.UDP)
    factory.connect("media-configure", configure)
    if len(sys.argv) > 3:
        permissions = GstRtspServer.RTSPPermissions.new()
        permissions.add_permission_for_role("user", "media.factory.access", True)
        permissions.add_permission_for_role("user", "media.factory.construct", True)
        factory.set_permissions(permissions)
    server.get_mount_points().add_factory(path, factory)
server.attach(None)
print("ready", flush=True)
GLib.MainLoop().run()
