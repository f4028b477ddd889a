#!/usr/bin/env python3
"""Proves that a track of copied MJPEG holds a lab camera's very frames.

Usage: verify-copied.py FILE [--manifest MANIFEST TRACK]

Each frame of a lab camera has a comment segment with the camera's number, its own number, its time of exposure and a
checksum of the whole JPEG (see usbip-cameras/picture.h). FILE is any file that ffprobe can read, or a raw .mjpeg. Prints JSON:

    frames      pictures in the file            distinct    different numbers among them
    cameras     whose pictures they are         first, last the range of the numbers
    repeats     as the picture before           missing     numbers in that range that are not in the file
    unmarked    without the comment: slates     damaged     indices of pictures whose checksum is wrong
    backwards   indices of pictures older than the one before

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


def packets(path):
    """(bytes, presentation time in seconds) of each picture, as the container has them."""
    with open(path, "rb") as file:
        if path.endswith(".mjpeg"):
            return [(jpeg, None) for jpeg in jpegs(file.read())]
        probe = subprocess.run(
            ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts_time,pos,size", "-of", "json", path],
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
        at = len(data) if not end else end.end() if end[0] == b"\xff\xd9" else end.start()
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


def mark_of(jpeg):
    """(camera, number, time in ns, intact), or None if this is no lab camera's picture."""
    comment, _ = comment_and_scan(jpeg)
    if comment is None or comment + MARK.size > len(jpeg):
        return None
    magic, camera, number, time, crc = MARK.unpack_from(jpeg, comment)
    if magic != b"LAB1":
        return None
    end = comment + MARK.size
    return camera, number, time, zlib.crc32(jpeg[: end - 4] + bytes(4) + jpeg[end:]) == crc


def examine(pictures):
    marks = [mark_of(jpeg) for jpeg, _ in pictures]
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
    }


def compare(manifest, name, pictures, marks, report):
    track = next(track for track in manifest["tracks"] if track["name"] == name)
    counts = track["frames"]
    # A camera without power counts no pictures, a frozen one does, and of one that returns the first are discarded: of the
    # pictures of an outage some may have numbers.
    away = counts["lost"].get("away", 0)
    lost = sum(counts["lost"].values()) - away
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
    pictures = packets(arguments[0])
    marks, report = examine(pictures)
    if len(arguments) == 4:
        with open(arguments[2], encoding="utf-8") as file:
            compare(json.load(file), arguments[3], pictures, marks, report)
    print(json.dumps(report, indent=1))
    bad = report["damaged"] or report["backwards"] or report.get("complaints") or not report["distinct"]
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
