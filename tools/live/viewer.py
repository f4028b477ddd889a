"""Headless Chromium as the peer of a WHIP stream: whip.Server accepts `Viewer.make(offer)` instead of its own receiver."""
import queue
import shutil
import threading

PAGE = """
window.frames_seen = []; window.illegible = 0;
window.take = async (sdp) => {
  const peer = window.peer = new RTCPeerConnection();
  peer.ontrack = ({ track, streams }) => {
    const element = document.createElement(track.kind);
    element.autoplay = true; element.srcObject = new MediaStream([track]);
    document.body.append(element);
    if (track.kind !== 'video') return;
    const canvas = document.createElement('canvas'), context = canvas.getContext('2d', { willReadFrequently: true });
    const look = (now, facts) => {
      element.requestVideoFrameCallback(look);
      const width = canvas.width = facts.width, height = Math.floor(facts.height / 32);
      canvas.height = 1;
      context.drawImage(element, 0, height, width, 1, 0, 0, width, 1);
      const { data } = context.getImageData(0, 0, width, 1);
      const bytes = [0, 0, 0, 0, 0, 0, 0, 0];
      for (let cell = 0; cell < 64; cell++)
        if (data[4 * Math.floor((cell + 0.5) * width / 64) + 1] > 127) bytes[cell >> 3] |= 128 >> (cell & 7);
      if (bytes[0] !== 0b10101100 || (bytes.slice(1, 7).reduce((a, b) => a + b) & 255) !== bytes[7]) { window.illegible++; return; }
      window.frames_seen.push([facts.presentedFrames, bytes[1] << 16 | bytes[2] << 8 | bytes[3], bytes[4] << 16 | bytes[5] << 8 | bytes[6]]);
    };
    element.requestVideoFrameCallback(look);
  };
  await peer.setRemoteDescription({ type: 'offer', sdp });
  await peer.setLocalDescription(await peer.createAnswer());
  while (peer.iceGatheringState !== 'complete') await new Promise((done) => setTimeout(done, 20));
  return peer.localDescription.sdp;
};
window.facts = async () => {
  const found = {};
  (await window.peer.getStats()).forEach((entry) => {
    if (entry.type === 'inbound-rtp') found[entry.kind] = Object.fromEntries(Object.entries(entry).filter(([, v]) => typeof v === 'number'));
    if (entry.type === 'codec') (found.codecs ??= []).push(entry.mimeType);
  });
  return { ...found, frames: window.frames_seen, illegible: window.illegible };
};
"""


class Viewer:
    """One browser with one page, on a separate thread, which playwright requires."""

    def __init__(self):
        self.jobs = queue.Queue()
        threading.Thread(target=self._run, daemon=True).start()
        self._do(lambda page: None)

    def _run(self):
        from playwright.sync_api import sync_playwright
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=[
                "--no-sandbox", "--autoplay-policy=no-user-gesture-required", "--disable-features=WebRtcHideLocalIpsWithMdns"])
            page = browser.new_page()
            while (job := self.jobs.get()) is not None:
                work, result = job
                try:
                    result.put((work(page), None))
                except Exception as error:
                    result.put((None, error))
            browser.close()

    def _do(self, work):
        result = queue.Queue()
        self.jobs.put((work, result))
        value, error = result.get(timeout=60)
        if error:
            raise error
        return value

    def make(self, offer):
        """A peer with an `answer`, from a new page."""
        def work(page):
            page.goto("about:blank")
            page.evaluate(PAGE + "; null")
            return page.evaluate("sdp => window.take(sdp)", offer)
        peer = type("Peer", (), {"answer": self._do(work), "close": lambda self: None})()
        return peer

    def facts(self):
        """getStats of incoming streams, and the code strips of displayed frames."""
        return self._do(lambda page: page.evaluate("window.facts()"))

    def close(self):
        self.jobs.put(None)
