"""Reads what virtual cameras and microphones show and play (docs/reference/virtual-devices.md): code strips, white frames, beeps."""
import math

CELLS, WRAP = 64, 1 << 24


def strip(row, cells=CELLS):
    """Number and time, in 0.1 ms, of a code strip in a row of lumas; `None` where the checksum is wrong."""
    width = len(row) / cells
    bits = 0
    for cell in range(cells):
        middle = row[int((cell + 0.3) * width):int((cell + 0.7) * width)] or row[int((cell + 0.5) * width):][:1]
        bits = bits << 1 | (sum(middle) > 127 * len(middle))
    code = bits.to_bytes(8, "big")
    if code[0] != 0b10101100 or sum(code[1:7]) & 0xFF != code[7]:
        return None
    return int.from_bytes(code[1:4], "big"), int.from_bytes(code[4:7], "big")


def picture(data, width, height, stride):
    """`(number, time, white)` of a grey picture, `None` where the strip is not legible."""
    at = height // 32 * stride
    found = strip(data[at:at + width])
    if not found:
        return None
    rows = [data[stride * (height * part // 8) + width // 8:][:width * 3 // 4] for part in (3, 5, 7)]
    return (*found, all(sum(row) > 215 * len(row) for row in rows))


class Beeps:
    """Finds where beeps begin in samples that come piece by piece."""

    def __init__(self, rate=48000, threshold=0.2, silence=0.3):
        self.found, self.index, self.quiet = [], 0, 0
        self.threshold, self.silence = threshold, int(silence * rate)

    def take(self, samples, at=None):
        """Appends `at(index in samples)`, or the index since the beginning, for each beep that begins in them."""
        for number, sample in enumerate(samples):
            if abs(sample) >= self.threshold:
                if self.quiet >= self.silence:
                    self.found.append(at(number) if at else self.index + number)
                self.quiet = 0
            else:
                self.quiet += 1
        self.index += len(samples)


def order(frames):
    """Of frames (…, number, …): how often the number fell, and how many numbers were left out."""
    numbers = [frame[1] for frame in frames]
    backwards = sum(b < a for a, b in zip(numbers, numbers[1:]))
    skipped = sum(max(b - a - 1, 0) for a, b in zip(numbers, numbers[1:]))
    return backwards, skipped


def unwrapped(code, now):
    """The instant on CLOCK_MONOTONIC, in s, of a strip's time that was read at `now`."""
    return now - (round(now * 10000) - code) % WRAP / 10000


def apart(frames, beeps, t0, rate):
    """How much later pictures are shown than the sound that belongs to them, in ms, once for each clap.

    `frames` are (shown in s, number, exposed in s, white), `beeps` are heard in s on the same clock. A frame of the program stands for
    the tick of the grid from `t0`, in s, at `rate` that is nearest to its exposure.
    """
    found = []
    for shown, _, exposed, white in frames:
        near = [beep for beep in beeps if abs(beep - shown) < 0.4]
        if white and near:
            tick = t0 + round((exposed - t0) * rate) / rate
            heard = min(near, key=lambda beep: abs(beep - shown))
            found.append(((shown - heard) - (tick - math.ceil(exposed))) * 1000)
    return found
