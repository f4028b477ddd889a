"""A minimal WHIP server (RFC 9725), because Debian 12 has no package: Python's HTTP server, GStreamer's webrtcbin, and decoders that check the content."""
import array
import http.server
import ssl
import threading
import time

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstSdp", "1.0")
gi.require_version("GstWebRTC", "1.0")
from gi.repository import Gst, GstSdp, GstWebRTC

import codes

Gst.init(None)


class Receiver:
    """A peer that decodes incoming streams: `frames` are (time in s, number, exposure time in s, white), `beeps` their times in s, both in
    a player's presentation time; `arrived` are the times at which frames were decoded."""

    def __init__(self, offer):
        self.frames, self.illegible, self.beeps, self.sizes, self.arrived = [], 0, codes.Beeps(), set(), []
        self.replies = []
        self.pipeline = Gst.Pipeline.new(None)
        self.webrtc = Gst.ElementFactory.make("webrtcbin")
        self.webrtc.set_property("bundle-policy", GstWebRTC.WebRTCBundlePolicy.MAX_BUNDLE)
        self.webrtc.connect("pad-added", self._linked)
        self.webrtc.connect("on-new-transceiver", lambda _, transceiver: transceiver.set_property("do-nack", True))
        self.pipeline.add(self.webrtc)
        self.pipeline.set_state(Gst.State.PLAYING)
        self._ask("set-remote-description", self._description(GstWebRTC.WebRTCSDPType.OFFER, offer))
        answer = self._ask("create-answer", None).get_value("answer")
        self._ask("set-local-description", answer)
        end = time.monotonic() + 5
        while self.webrtc.get_property("ice-gathering-state") != GstWebRTC.WebRTCICEGatheringState.COMPLETE:
            assert time.monotonic() < end, "no candidates"
            time.sleep(0.01)
        # As often as browsers and most servers send receiver reports.
        self.session = self.webrtc.get_by_name("rtpbin").emit("get-internal-session", 0)
        self.session.set_property("rtcp-min-interval", Gst.SECOND)
        self.answer = self.webrtc.get_property("local-description").sdp.as_text()

    @staticmethod
    def _description(kind, text):
        _, message = GstSdp.SDPMessage.new_from_text(text)
        return GstWebRTC.WebRTCSessionDescription.new(kind, message)

    def _ask(self, signal, argument):
        promise = Gst.Promise.new()
        self.webrtc.emit(signal, argument, promise)
        promise.wait()
        self.replies.append((promise, promise.get_reply()))  # values taken from a reply are only valid during its lifetime
        return self.replies[-1][1]

    def _linked(self, _, pad):
        if pad.direction != Gst.PadDirection.SRC:
            return
        is_video = pad.get_current_caps().get_structure(0).get_string("media") == "video"
        chain = ("rtph264depay ! h264parse ! avdec_h264 ! videoconvert ! video/x-raw,format=GRAY8" if is_video
                 else "rtpopusdepay ! opusdec ! audioconvert ! audioresample ! audio/x-raw,format=F32LE,channels=1,rate=48000")
        part = Gst.parse_bin_from_description(f"queue ! {chain} ! appsink name=out sync=false emit-signals=true max-buffers=200", True)
        part.get_by_name("out").connect("new-sample", self._frame if is_video else self._sound)
        self.pipeline.add(part)
        part.sync_state_with_parent()
        pad.link(part.get_static_pad("sink"))

    def _frame(self, sink):
        sample = sink.emit("pull-sample")
        facts, buffer = sample.get_caps().get_structure(0), sample.get_buffer()
        width, height = facts.get_value("width"), facts.get_value("height")
        self.sizes.add((width, height))
        data = buffer.extract_dup(0, buffer.get_size())
        seen = codes.picture(data, width, height, len(data) // height)
        if seen:
            number, code, white = seen
            self.arrived.append(time.monotonic())
            self.frames.append((buffer.pts / 1e9, number, codes.unwrapped(code, self.arrived[-1]), white))
        else:
            self.illegible += 1
        return Gst.FlowReturn.OK

    def _sound(self, sink):
        buffer = sink.emit("pull-sample").get_buffer()
        samples = array.array("f", buffer.extract_dup(0, buffer.get_size()))
        self.beeps.take(samples, lambda index: buffer.pts / 1e9 + index / 48000)
        return Gst.FlowReturn.OK

    def close(self):
        self.pipeline.set_state(Gst.State.NULL)


class Server:
    """Answers offers with `Receiver`, or as set by `behave`: a status, a function of the handler, or None for the regular answer.

    `asked` contains (method, path, Authorization, status) of all requests; `peer` is the newest receiver, from `peers` made by `make`."""

    def __init__(self, port=0, certificate=None, token=None, make=Receiver):
        self.asked, self.peers, self.behave, self.token, self.make = [], [], None, token, make
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def reply(self, status, body=b"", **headers):
                outer.asked.append((self.command, self.path, self.headers.get("Authorization"), status))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self):
                self.offer = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                behave = outer.behave
                if callable(behave):
                    return behave(self)
                if behave:
                    return self.reply(behave)
                if outer.token and self.headers.get("Authorization") != f"Bearer {outer.token}":
                    return self.reply(401)
                self.accept()

            def accept(self):
                peer = outer.make(self.offer)
                outer.peers.append(peer)
                self.reply(201, peer.answer.encode(), Content_Type="application/sdp", Location=f"/resource/{len(outer.peers)}")

            def do_DELETE(self):
                outer.close_peers()
                self.reply(200)

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.http.handle_error = lambda *_: None  # clients that disconnect early are part of the test
        self.http.daemon_threads = True
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.http.socket = context.wrap_socket(self.http.socket, server_side=True)
        self.port = self.http.server_port
        self.url = f"whip+http{'s' if certificate else ''}://127.0.0.1:{self.port}/live/room?key=KEYINQUERY"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    @property
    def peer(self):
        return self.peers[-1] if self.peers else None

    def close_peers(self):
        for peer in self.peers:
            peer.close()

    def close(self):
        self.http.shutdown()
        self.http.server_close()
        self.close_peers()
