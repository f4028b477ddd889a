#!/usr/bin/env python3
"""Verifies that a copied MJPEG or H.264 track holds a lab camera's original frames.

Usage: verify-copied.py FILE [--manifest MANIFEST TRACK]

Each lab camera frame contains the camera's number, the frame number, the exposure time and a checksum of the whole frame in a
comment segment or user data (see usbip-cameras/picture.h). FILE is any file that ffprobe can read, or a raw .mjpeg or .h264.
Prints JSON:

    frames      frames in the file              distinct    number of different frame numbers
    cameras     their cameras                   first, last range of the frame numbers
    repeats     identical to the previous one   missing     numbers in that range that are not in the file
    unmarked    without the comment: slates     damaged     indices of frames with an invalid checksum
    backwards   indices of frames older than the previous one
    tails       indices of JPEGs with trailing bytes, which are harmless

With a manifest: `offset_ms`, the distance from exposure to the frame's time on the session's timeline, and `complaints`, where
the manifest's counts don't match the file. Exit status 1 if a frame is damaged or backwards, or if there are complaints.
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
    """(bytes, presentation time in seconds) of each frame in the container."""
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
    """Splits concatenated JPEGs. In entropy-coded data a marker is 0xff followed by neither 0 nor a restart code; a truncated
    JPEG ends at the start of the next one."""
    marker = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
    at = 0
    while at < len(data):
        start = at
        _, at = comment_and_scan(data, at)
        end = marker.search(data, at)
        if not end or end[0] != END:
            at = len(data) if not end else end.start()
        else:
            at = data.find(START, end.end()) # bytes after the end are the JPEG's trailing bytes
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
    """The offset where the JPEG's data ends: the full length if it is truncated."""
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
    """Splits a byte stream: a lab camera frame begins with parameter sets, or with user data that follows a slice."""
    starts, sliced = [], True
    for unit in re.finditer(rb"\x00\x00\x00\x01(.)", data, re.DOTALL):
        kind = unit[1][0] & 0x1F
        if kind in (6, 7) and sliced:
            starts.append(unit.start())
            sliced = False
        sliced = sliced or kind in (1, 5)
    return [data[start:end] for start, end in zip(starts, starts[1:] + [len(data)])]


def nal_units(data):
    """NAL units of a byte stream, or of a frame from a file, where each has a four-byte length prefix."""
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
    """(camera, number, time in ns, intact), or None if the frame isn't from a lab camera."""
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
    # An unpowered camera doesn't count frames, but a frozen one does, and the first frames of a returning camera are discarded.
    # Therefore, only some frames of an outage have numbers. Frames missing due to a longer exposure never existed.
    away = counts["lost"].get("disconnected", 0)
    lost = sum(counts["lost"].values()) - away - counts["lost"].get("low-light", 0)
    missing = len(report["missing"]) - counts["decimated"]
    offsets = [(mark[2] - manifest["t0_monotonic_ns"]) / 1e6 - time * 1e3 for mark, (_, time) in zip(marks, pictures) if mark]
    report["offset_ms"] = {"least": round(min(offsets), 3), "most": round(max(offsets), 3)} if offsets else None
    report["complaints"] = [
        f"{what}: manifest {told}, file {found}"
        for what, told, found in [
            ("written", counts["written"], report["frames"]),
            ("duplicated", counts["duplicated"], report["repeats"]),
            ("slate", counts["slate"], report["unmarked"]),
            ("lost", lost, min(max(missing - away, lost), missing)),
            ("captured less decimated", counts["captured"] - counts["decimated"], report["distinct"]),
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
