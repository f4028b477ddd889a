#!/usr/bin/env python3
"""Proves that a track of copied MJPEG or H.264 holds a lab camera's very frames.

Usage: verify-copied.py FILE [--manifest MANIFEST TRACK]

Each frame of a lab camera has the camera's number, its own number, its time of exposure and a checksum of the whole in a
comment segment or user data (see usbip-cameras/picture.h). FILE is any file that ffprobe can read, or a raw .mjpeg or .h264.
Prints JSON:

    frames      pictures in the file            distinct    different numbers among them
    cameras     whose pictures they are         first, last the range of the numbers
    repeats     as the picture before           missing     numbers in that range that are not in the file
    unmarked    without the comment: slates     damaged     indices of pictures whose checksum is wrong
    backwards   indices of pictures older than the one before
    tails       indices of JPEGs with bytes after their end, which do no harm

With a manifest: `offset_ms`, how far exposures are from their instants on the session's timeline, and `complaints`, where the
manifest's counts do not agree with the file. Exit status 1 if a picture is damaged or backwards, or there are complaints.
"""
import json
import re
import struct
import subprocess
import sys
import zlib

MARK = struct.Struct(">4sBIQI")
TEXT = re.compile(rb"multicam-lab-picLAB1 ([0-9a-f]{2}) ([0-9a-f]{8}) ([0-9a-f]{16}) ([0-9a-f]{8})")
START, END = b"\xff\xd8", b"\xff\xd9"


def packets(path, stream="v:0"):
    """(bytes, presentation time in seconds) of each picture, as the container has them."""
    with open(path, "rb") as file:
        if path.endswith(".mjpeg"):
            return [(jpeg, None) for jpeg in jpegs(file.read())]
        if path.endswith(".h264"):
            return [(unit, None) for unit in access_units(file.read())]
        probe = subprocess.run(
            ["ffprobe", "-v", "error", "-select_streams", stream, "-show_entries", "packet=pts_time,pos,size", "-of", "json", path],
            check=True, capture_output=True, text=True)
        pictures = []
        for packet in json.loads(probe.stdout)["packets"]:
            file.seek(int(packet["pos"]))
            pictures.append((file.read(int(packet["size"])), float(packet["pts_time"])))
        return pictures


def jpegs(data):
    """Splits concatenated JPEGs. In entropy-coded data a marker is 0xff and neither 0 nor a restart; a cut JPEG ends at the
    next one's start."""
    marker = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
    at = 0
    while at < len(data):
        start = at
        _, at = comment_and_scan(data, at)
        end = marker.search(data, at)
        if not end or end[0] != END:
            at = len(data) if not end else end.start()
        else:
            at = data.find(START, end.end()) # what follows the end is the JPEG's tail
            at = len(data) if at < 0 else at
        yield data[start:at]


def comment_and_scan(data, start=0):
    """Offsets of the first comment's content (or None) and of the entropy-coded data."""
    comment, at = None, start + 2
    while at + 4 <= len(data):
        length = struct.unpack_from(">H", data, at + 2)[0]
        if data[at + 1] == 0xFE and comment is None:
            comment = at + 4
        at += 2 + length
        if data[at - length - 1] == 0xDA:
            break
    return comment, at


def end_of_jpeg(jpeg):
    """Where the bytes end that belong to it: all of it, if it is cut."""
    _, scan = comment_and_scan(jpeg)
    end = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]").search(jpeg, scan)
    return end.end() if end and end[0] == END else len(jpeg)


def mark_of_jpeg(jpeg):
    comment, _ = comment_and_scan(jpeg)
    if comment is None or comment + MARK.size > len(jpeg):
        return None
    magic, camera, number, time, crc = MARK.unpack_from(jpeg, comment)
    if magic != b"LAB1":
        return None
    mark, end = comment + MARK.size, end_of_jpeg(jpeg)
    return camera, number, time, zlib.crc32(jpeg[: mark - 4] + bytes(4) + jpeg[mark:end]) == crc


def access_units(data):
    """Splits a byte stream: a picture of a lab camera begins with parameters or user data after a slice."""
    starts, sliced = [], True
    for unit in re.finditer(rb"\x00\x00\x00\x01(.)", data, re.DOTALL):
        kind = unit[1][0] & 0x1F
        if kind in (6, 7) and sliced:
            starts.append(unit.start())
            sliced = False
        sliced = sliced or kind in (1, 5)
    return [data[start:end] for start, end in zip(starts, starts[1:] + [len(data)])]


def nal_units(data):
    """Of a byte stream, or of a file's picture with a length of four bytes before each."""
    if data.startswith((b"\0\0\1", b"\0\0\0\1")):
        return [unit for unit in re.split(rb"\x00?\x00\x00\x01", data) if unit]
    units, at = [], 0
    while at + 4 <= len(data):
        size = struct.unpack_from(">I", data, at)[0]
        units.append(data[at + 4 : at + 4 + size])
        at += 4 + size
    return units


def mark_of_access_unit(data):
    crc, mark = 0, None
    for unit in nal_units(data):
        kind = unit[0] & 0x1F if unit else 9
        if kind in (7, 8, 9):
            continue
        found = TEXT.search(unit) if kind == 6 else None
        if found:
            mark = found
            unit = unit[: found.start(4)] + b"0" * 8 + unit[found.end(4) :]
        crc = zlib.crc32(unit, crc)
    if not mark:
        return None
    camera, number, time, told = (int(field, 16) for field in mark.groups())
    return camera, number, time, crc == told


def mark_of(picture):
    """(camera, number, time in ns, intact), or None if this is no lab camera's picture."""
    return mark_of_jpeg(picture) if picture.startswith(START) else mark_of_access_unit(picture)


def examine(pictures):
    marks = [mark_of(picture) for picture, _ in pictures]
    numbers = [mark[1] for mark in marks if mark]
    distinct = set(numbers)
    previous, repeats, backwards = None, 0, []
    for index, mark in enumerate(marks):
        if mark:
            if previous is not None:
                repeats += mark[1] == previous
                if mark[1] < previous:
                    backwards.append(index)
            previous = mark[1]
    first, last = (min(distinct), max(distinct)) if distinct else (None, None)
    return marks, {
        "frames": len(marks),
        "distinct": len(distinct),
        "cameras": sorted({mark[0] for mark in marks if mark}),
        "first": first,
        "last": last,
        "missing": sorted(set(range(first, last + 1)) - distinct) if distinct else [],
        "repeats": repeats,
        "unmarked": marks.count(None),
        "damaged": [index for index, mark in enumerate(marks) if mark and not mark[3]],
        "backwards": backwards,
        "tails": [
            index for index, (jpeg, _) in enumerate(pictures) if jpeg.startswith(START) and end_of_jpeg(jpeg) < len(jpeg)
        ],
    }


def compare(manifest, track, pictures, marks, report):
    name = track["name"]
    counts = track["frames"]
    # A camera without power counts no pictures, a frozen one does, and of one that returns the first are discarded: of the
    # pictures of an outage some may have numbers. What a longer exposure costs was never a picture.
    away = counts["lost"].get("away", 0)
    lost = sum(counts["lost"].values()) - away - counts["lost"].get("exposure", 0)
    missing = len(report["missing"]) - counts["skipped"]
    offsets = [(mark[2] - manifest["t0_monotonic_ns"]) / 1e6 - time * 1e3 for mark, (_, time) in zip(marks, pictures) if mark]
    report["offset_ms"] = {"least": round(min(offsets), 3), "most": round(max(offsets), 3)} if offsets else None
    report["complaints"] = [
        f"{what}: manifest {told}, file {found}"
        for what, told, found in [
            ("written", counts["written"], report["frames"]),
            ("repeated", counts["repeated"], report["repeats"]),
            ("slate", counts["slate"], report["unmarked"]),
            ("lost", lost, min(max(missing - away, lost), missing)),
            ("captured less skipped", counts["captured"] - counts["skipped"], report["distinct"]),
        ]
        if told != found
    ]


def main(arguments):
    if len(arguments) not in (1, 4) or (len(arguments) == 4 and arguments[1] != "--manifest"):
        sys.exit("\n".join(__doc__.splitlines()[2:3]))
    manifest = track = None
    if len(arguments) == 4:
        with open(arguments[2], encoding="utf-8") as file:
            manifest = json.load(file)
        track = next(track for track in manifest["tracks"] if track["name"] == arguments[3])
    pictures = packets(arguments[0], str(track["stream"]) if track else "v:0")
    marks, report = examine(pictures)
    if track:
        compare(manifest, track, pictures, marks, report)
    print(json.dumps(report, indent=1))
    bad = report["damaged"] or report["backwards"] or report.get("complaints") or not report["distinct"]
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
