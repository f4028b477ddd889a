#!/usr/bin/python3
"""GStreamer's RTSP server with cameras /a (H.264 and G.711), /b (JPEG), /c (H.265), /d (the same with B-frames), /k (/a with flashes, with
late frames and audio that no clock reveals), and /l (JPEG over UDP with one frame in thirty lost): rtsp.py PORT [USER PASSWORD]."""
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
LATE = {"video": 0.12, "audio": 0.07}
# The rate differs from the recording's, so that flashes meet many phases of the frames.
PACE = 29.9
CAMERAS = {
    "/a": f"( {VIDEO} x264enc tune=zerolatency speed-preset=ultrafast key-int-max=15 bitrate=2000 ! video/x-h264,profile=baseline ! "
          f"rtph264pay name=pay0 config-interval=-1 pt=96 {AUDIO} alawenc ! rtppcmapay name=pay1 pt=8 )",
    "/b": f"( {VIDEO} jpegenc quality=80 ! rtpjpegpay name=pay0 pt=26 )",
    "/l": f"( {VIDEO} jpegenc quality=80 ! rtpjpegpay name=pay0 pt=26 )",
    "/c": f"( {VIDEO} x265enc tune=zerolatency speed-preset=ultrafast key-int-max=15 ! rtph265pay name=pay0 config-interval=-1 pt=96 )",
    "/d": f"( {VIDEO} x265enc speed-preset=ultrafast key-int-max=15 option-string=bframes=2:b-adapt=0:rc-lookahead=3:frame-threads=1 ! "
          f"rtph265pay name=pay0 config-interval=-1 pt=96 )",
}
CAMERAS["/k"] = CAMERAS["/a"]


def push(source, makes):
    """Pushes data to a source until its queue is full."""
    for data in makes:
        if source.emit("push-buffer", Gst.Buffer.new_wrapped(data)) != Gst.FlowReturn.OK:
            return


def sound(late=0):
    begin, step, count = time.monotonic(), camera.SAMPLES // 50, 0
    while True:
        count += step
        time.sleep(max(begin + count / camera.SAMPLES - time.monotonic(), 0))
        # Dated when pushed, so that later data follows.
        yield camera.audio(begin + count / camera.SAMPLES - late, step)


def tell_capture(media):
    """Makes sender reports state capture times instead of send times, because an encoder with B-frames delays frames."""
    bins = media.get_element().get_parent().iterate_recurse()
    while (found := bins.next())[0] == Gst.IteratorResult.OK:
        if found[1].find_property("rtcp-sync-send-time"):
            found[1].set_property("rtcp-sync-send-time", False)


def configure(_, media, path):
    place = media.get_element()
    if path == "/d":
        media.connect("prepared", tell_capture)
    video = {"rate": PACE, "late": LATE["video"], "flashes": True} if path == "/k" else {}
    makes = {"video": lambda: (frame for _, frame in camera.frames(camera.Scene(), **video)), "audio": lambda: sound(LATE["audio"] if path == "/k" else 0)}
    for name, make in makes.items():
        source = place.get_by_name(name)
        if source:
            threading.Thread(target=push, args=(source, make()), daemon=True).start()
    if path == "/l":
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
    factory.set_shared(True)
    factory.set_latency(0)
    if path == "/l":
        factory.set_protocols(GstRtsp.RTSPLowerTrans.UDP)
    factory.connect("media-configure", configure, path)
    if len(sys.argv) > 3:
        permissions = GstRtspServer.RTSPPermissions.new()
        permissions.add_permission_for_role("user", "media.factory.access", True)
        permissions.add_permission_for_role("user", "media.factory.construct", True)
        factory.set_permissions(permissions)
    server.get_mount_points().add_factory(path, factory)
server.attach(None)
print("ready", flush=True)
GLib.MainLoop().run()
