"""Content of the network cameras for tools/sources-test: code strips (docs/reference/virtual-devices.md) with exposure times on
CLOCK_MONOTONIC, and a flash and a beep at each of its whole seconds."""
import array
import math
import time

WIDTH, HEIGHT, RATE, SAMPLES = 640, 360, 30, 8000
CELLS = WIDTH // 64
BEEP = [int(16000 * math.sin(2 * math.pi * 1000 * n / SAMPLES)) for n in range(SAMPLES * 40 // 1000)]


def strip(number, at):
    """A row of luma values for frame `number`, exposed at `at` seconds."""
    code = bytes([0b10101100]) + (number % 2**24).to_bytes(3, "big") + (round(at * 10000) % 2**24).to_bytes(3, "big")
    code += bytes([sum(code[1:]) & 0xFF])
    return b"".join((b"\xeb" if byte >> bit & 1 else b"\x10") * CELLS for byte in code for bit in range(7, -1, -1))


class Scene:
    """I420 frames, each with the time at which it is made."""

    def __init__(self, width=WIDTH, height=HEIGHT):
        self.width, self.height, self.number = width, height, 0
        ground = bytes(range(40, 200)) * (width * 2 // 160 + 2)
        self.rows = [ground[shift:shift + width] for shift in range(0, 160, 4)]
        self.chroma = b"\x80" * (width * height // 2)
        self.white, self.second = b"\xeb" * width, math.inf

    def frame(self, at=None, end=None):
        """The frame whose exposure starts at `at`; if `end` is set, it is white if a second begins before that."""
        at = time.monotonic() if at is None else at
        row = strip(self.number, at) if self.width == WIDTH else self.rows[0]
        body = self.rows[self.number % len(self.rows)]
        if end is not None:
            if math.floor(end) > self.second:
                body = self.white
            self.second = math.floor(end)
        self.number += 1
        top = self.height // 16
        return row * top + body * (self.height - top) + self.chroma


def frames(scene, rate=RATE, alive=lambda: True, late=0, flashes=False):
    """Frames in real time, as (exposure time, frame); each arrives `late` s after its exposure began."""
    begin, count = time.monotonic(), 0
    while alive():
        count += 1
        time.sleep(max(begin + count / rate - time.monotonic(), 0))
        at = time.monotonic()
        # A delayed sender doesn't catch up, just like a camera.
        if at - begin - count / rate > 2 / rate:
            begin, count = at, 0
        at -= late
        yield at, scene.frame(at, at + 1 / rate if flashes else None)


def audio(begin, count):
    """`count` samples starting at time `begin`, in 16 bits."""
    samples = array.array("h", bytes(2 * count))
    for n in range(count):
        place = round((begin + n / SAMPLES) % 1 * SAMPLES) % SAMPLES
        if place < len(BEEP):
            samples[n] = BEEP[place]
    return samples.tobytes()
