"""Decodes the output of virtual cameras and microphones (docs/reference/virtual-devices.md): code strips, white frames, beeps."""
import math

CELLS, WRAP = 64, 1 << 24


def strip(row, cells=CELLS):
    """Number and time, in 0.1 ms, of a code strip in a row of luma values; `None` if the checksum is invalid."""
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
    """`(number, time, white)` of a grayscale frame; `None` if the strip is unreadable."""
    at = height // 32 * stride
    found = strip(data[at:at + width])
    if not found:
        return None
    rows = [data[stride * (height * part // 8) + width // 8:][:width * 3 // 4] for part in (3, 5, 7)]
    return (*found, all(sum(row) > 215 * len(row) for row in rows))


class Beeps:
    """Detects the start of beeps in samples that arrive in pieces."""

    def __init__(self, rate=48000, threshold=0.2, silence=0.3):
        self.found, self.index, self.quiet = [], 0, 0
        self.threshold, self.silence = threshold, int(silence * rate)

    def take(self, samples, at=None):
        """Appends `at(index in samples)`, or the total index, for each beep that starts in the samples."""
        for number, sample in enumerate(samples):
            if abs(sample) >= self.threshold:
                if self.quiet >= self.silence:
                    self.found.append(at(number) if at else self.index + number)
                self.quiet = 0
            else:
                self.quiet += 1
        self.index += len(samples)


def order(frames):
    """For frames (…, number, …): how often the number decreased, and how many numbers are missing."""
    numbers = [frame[1] for frame in frames]
    backwards = sum(b < a for a, b in zip(numbers, numbers[1:]))
    skipped = sum(max(b - a - 1, 0) for a, b in zip(numbers, numbers[1:]))
    return backwards, skipped


def unwrapped(code, now):
    """The CLOCK_MONOTONIC time, in s, of a strip that was read at `now`."""
    return now - (round(now * 10000) - code) % WRAP / 10000


def apart(frames, beeps, t0, rate):
    """The delay of frames relative to the matching audio, in ms, one value per clap.

    `frames` are (presentation time in s, number, exposure time in s, white), `beeps` are times in s on the same clock. A program frame
    belongs to the tick nearest to its exposure, on the grid from `t0`, in s, at `rate`.
    """
    found = []
    for shown, _, exposed, white in frames:
        near = [beep for beep in beeps if abs(beep - shown) < 0.4]
        if white and near:
            tick = t0 + round((exposed - t0) * rate) / rate
            heard = min(near, key=lambda beep: abs(beep - shown))
            found.append(((shown - heard) - (tick - math.ceil(exposed))) * 1000)
    return found
