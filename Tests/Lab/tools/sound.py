"""Audio decoding for the tools in this folder."""
import array
import subprocess

RATE = 48000


def samples(path):
    """The first audio stream of any file, as one channel of 16 bits."""
    decoded = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", path, "-map", "0:a:0", "-ac", "1", "-ar", str(RATE), "-f", "s16le", "-"],
        check=True, capture_output=True)
    return array.array("h", decoded.stdout)
