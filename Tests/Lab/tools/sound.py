"""What the tools here hear."""
import array
import subprocess

RATE = 48000


def samples(path):
    """The first sound of any file, as one channel of 16 bits."""
    decoded = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", path, "-map", "0:a:0", "-ac", "1", "-ar", str(RATE), "-f", "s16le", "-"],
        check=True, capture_output=True)
    return array.array("h", decoded.stdout)
