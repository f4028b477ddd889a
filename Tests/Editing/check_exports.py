#!/usr/bin/env python3
"""Compares the projects in a session folder with its manifest: angles, cuts and markers, accurate to the frame.

Usage: check_exports.py FOLDER [--peers] [--dtd FILE]

Requires only Python. --peers also reads the projects with OpenTimelineIO and its CMX 3600 adapter; --dtd validates the FCPXML against its
document type definition (requires lxml). Prints each difference; exit status 1 if there are any.
"""
import argparse
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from fractions import Fraction
from pathlib import Path
from urllib.parse import unquote

problems = []


def expect(holds, words):
    if not holds:
        problems.append(words)


def exact(rate):
    return Fraction(rate).limit_denominator(1001)


class Truth:
    """A manifest's content, recomputed independently."""

    def __init__(self, folder):
        self.folder, self.first_frames = Path(folder), {}
        self.manifest = m = json.loads((self.folder / "manifest.json").read_text())
        cameras = [t for t in m["tracks"] if t["kind"] == "camera"]
        program = next((t for t in m["tracks"] if t["kind"] == "program"), None)
        self.program = program
        self.rate = exact((program or cameras[0])["rate"])
        self.count = self.ceiling(m["duration_ns"])
        self.size = (program["width"], program["height"]) if program else None
        self.angles = {}
        for track in cameras:
            self.angles.setdefault(track.get("role") or track["name"], []).append(track)
        self.microphones = [t for t in m["tracks"] if t["kind"] == "microphone"]
        self.drop = self.rate in (Fraction(30000, 1001), Fraction(60000, 1001))
        clock = re.match(r".*T(\d+):(\d+):(\d+)\.(\d+)", m["started"]).groups()
        self.midnight = (int(clock[0]) * 3600 + int(clock[1]) * 60 + int(clock[2])) * 10**9 + int(clock[3])

    def instant(self, frame, rate=None):
        return round(Fraction(frame) / (rate or self.rate) * 10**9)

    def ceiling(self, ns, rate=None):
        """The first frame that starts at or after a time."""
        rate = rate or self.rate
        frame = max(0, int(ns * rate / 10**9) - 1)
        while self.instant(frame, rate) < ns:
            frame += 1
        return frame

    def label(self, rate):
        """The frame number of the timecode at T0, at a given rate."""
        counted = rate if rate in (Fraction(30000, 1001), Fraction(60000, 1001)) else Fraction(-(-rate.numerator // rate.denominator))
        return int((self.midnight + 10_000) * counted / 10**9)

    def first_frame(self, track, file):
        """When a file without a frame grid first shows an image, in ns since its time 0: at a key frame, for copied H.264."""
        if not track.get("variable_rate"):
            return 0
        if file not in self.first_frames:
            told = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v:0", "-read_intervals", "%+#1", "-show_entries",
                                   "packet=pts_time", "-of", "csv=p=0", str(self.folder / file)], capture_output=True, text=True).stdout
            first = int(Fraction(told.strip().strip(",") or 0) * 10**9)
            # A frame is shown at the nearest tick.
            self.first_frames[file] = first if first > 10**9 / exact(track["rate"]) / 2 else 0
        return self.first_frames[file]

    def parts(self, role):
        """[file, its track, begin and end in project frames, begin in file time] of an angle."""
        opened = []
        for track in self.angles[role]:
            begin = max(0, track["first_ns"])
            if track.get("variable_rate") and track["first_ns"] > 0:
                begin = (track.get("ended_ns") or self.manifest["duration_ns"]) - track["duration_ns"]
            end = begin + track["duration_ns"]
            opened.append((begin, end, track, track["file"]))
            for part in track.get("part_details") or []:
                opened.append((part["first_ns"], end, track, part["file"]))
        opened.sort(key=lambda entry: entry[0])
        result = []
        for index, (begin, end, track, file) in enumerate(opened):
            if index + 1 < len(opened):
                end = min(end, opened[index + 1][0] + self.first_frame(*opened[index + 1][2:]))
            first, last = self.ceiling(begin + self.first_frame(track, file)), self.ceiling(min(end, self.manifest["duration_ns"]))
            if track.get("variable_rate"):
                origin = Fraction(round(Fraction(begin) * 90000 / 10**9), 90000)
            else:
                rate = exact(track["rate"])
                origin = Fraction(self.ceiling(begin, rate)) / rate
            if first < last:
                result.append((file, track, first, last, origin, begin))
        return result

    def shown(self, role, first, last):
        """The parts of an angle within a frame range: (file, first, last, file time at first)."""
        return [(file, max(a, first), min(b, last), Fraction(max(a, first)) / self.rate - origin)
                for file, _, a, b, origin, _ in self.parts(role) if max(a, first) < min(b, last)]

    def shots(self):
        arrangements = self.manifest.get("arrangements") or []
        if not arrangements:
            return [(0, self.count, [next(iter(self.angles))], None)]
        shots = []
        for item in arrangements:
            frame = self.ceiling(item["at_ns"]) if shots else 0
            if frame >= self.count:
                break
            look = (item["layout"], item["layers"])
            if shots and shots[-1][3] == look:
                continue
            if shots and shots[-1][0] == frame:
                shots.pop()
            shots.append([frame, None, [layer["role"] for layer in item["layers"]], look])
        ends = [shot[0] for shot in shots[1:]] + [self.count]
        return [(a, b, roles, look) for (a, _, roles, look), b in zip(shots, ends)]

    def gains(self, role):
        """(frame, gain or None) of a microphone, only changes."""
        result = []
        for item in self.manifest.get("arrangements") or []:
            frame = self.ceiling(item["at_ns"]) if result else 0
            gain = item["gains"].get(role)
            if frame >= self.count or (result and result[-1][1] == gain):
                continue
            if result and result[-1][0] == frame:
                result.pop()
            result.append((frame, gain))
        return result or [(0, 0)]

    def markers(self):
        result = []
        for marker in self.manifest["markers"]:
            frame = self.ceiling(marker["at_ns"])
            if self.instant(frame) != marker["at_ns"]:
                frame -= 1
            result.append((min(max(frame, 0), self.count - 1), marker["text"] or "marker"))
        return result

    def media_start(self, track, begin):
        """The time of day at a file's start, according to its timecode, in seconds."""
        rate = exact(track["rate"])
        return (self.label(rate) + self.ceiling(begin, rate)) / rate


def frames_of(time):
    return Fraction(time["value"]) / exact(time["rate"])


def read_otio(truth):
    document = json.loads((truth.folder / "edit/session.otio").read_text())
    tracks = {}
    for track in document["tracks"]["children"]:
        at, clips = 0, []
        for child in track["children"]:
            length = child["source_range"]["duration"]
            expect(exact(length["rate"]) == truth.rate, f"otio: a clip of {track['name']} has another rate")
            count = int(length["value"])
            if child["OTIO_SCHEMA"].startswith("Clip"):
                media = child["media_references"]["DEFAULT_MEDIA"]
                inside = frames_of(child["source_range"]["start_time"]) - frames_of(media["available_range"]["start_time"])
                clips.append((unquote(media["target_url"])[3:], at, at + count, inside))
            at += count
        expect(at == truth.count, f"otio: {track['name']} has {at} frames, not {truth.count}")
        tracks[track["name"]] = clips
    return document, tracks


def close(got, wanted):
    """The same clips, although OpenTimelineIO stores times as floating-point numbers."""
    return len(got) == len(wanted) and all(
        a[:3] == b[:3] and abs(a[3] - b[3]) < Fraction(1, 100_000) for a, b in zip(got, wanted))


def check_own_otio(truth):
    document, tracks = read_otio(truth)
    wanted = {role: truth.shown(role, 0, truth.count) for role in truth.angles}
    for first, last, roles, _ in truth.shots():
        for index, role in enumerate(roles):
            wanted.setdefault("Cut" if index == 0 else f"Cut {index + 1}", []).extend(truth.shown(role, first, last))
    for name, clips in wanted.items():
        expect(close(tracks.get(name, []), clips), f"otio: {name} is {tracks.get(name)}, not {clips}")
    expect(document["global_start_time"]["value"] == truth.label(truth.rate), "otio: begins at another time code")
    markers = [(int(m["marked_range"]["start_time"]["value"]), m["name"]) for m in document["tracks"]["markers"]]
    expect(sorted(markers) == sorted(truth.markers()), f"otio: markers {markers}, not {truth.markers()}")
    return wanted


def check_peers(truth, wanted):
    import opentimelineio as otio
    timeline = otio.adapters.read_from_file(str(truth.folder / "edit/session.otio"))
    for track in timeline.tracks:
        if track.kind == "Audio" and track.name not in wanted:
            continue
        clips = []
        for clip in track.find_clips():
            place = clip.range_in_parent()
            first = place.start_time.to_frames()
            inside = clip.source_range.start_time - clip.media_reference.available_range.start_time
            clips.append((unquote(clip.media_reference.target_url)[3:], first, first + place.duration.to_frames(),
                          Fraction(inside.value) / exact(inside.rate)))
        expect(close(clips, wanted[track.name]), f"OpenTimelineIO: {track.name} is {clips}, not {wanted[track.name]}")
    markers = [(m.marked_range.start_time.to_frames(), m.name) for m in timeline.tracks.markers]
    expect(sorted(markers) == sorted(truth.markers()), f"OpenTimelineIO: markers {markers}, not {truth.markers()}")
    if not wanted.get("Cut"):
        return
    rate = float(truth.rate)
    listed = otio.adapters.read_from_file(str(truth.folder / "edit/session.edl"), rate=rate)
    clips = [clip for track in listed.tracks if track.kind == "Video" for clip in track.find_clips()]
    origin = wanted["Cut"][0][1]
    got = []
    for clip in clips:
        place = clip.range_in_parent()
        first = place.start_time.to_frames() + origin
        got.append((first, first + place.duration.to_frames(), clip.source_range.start_time.to_frames()))
    label = truth.label(truth.rate)
    want = [(a, b, label + a) for _, a, b, _ in wanted["Cut"]]
    expect(got == want, f"OpenTimelineIO's CMX 3600: {got}, not {want}")


def seconds(text):
    return Fraction(text[:-1]) if text.endswith("s") else Fraction(text)


def check_fcpxml(truth, dtd):
    path = truth.folder / "edit/session.fcpxml"
    if dtd:
        from lxml import etree
        rules = etree.DTD(str(dtd))
        expect(rules.validate(etree.parse(str(path))), f"fcpxml: {rules.error_log.filter_from_errors()}")
    root = ET.parse(path).getroot()
    expect(root.get("version") == "1.10", "fcpxml: another version")
    start = truth.label(truth.rate) / truth.rate
    assets = {a.get("id"): a for a in root.iter("asset")}
    for asset in assets.values():
        file = truth.folder / "edit" / unquote(asset.find("media-rep").get("src"))
        expect(file.exists(), f"fcpxml: {file} is not there")
    multicam = root.find("resources/media/multicam")
    expect(seconds(multicam.get("tcStart")) == start, "fcpxml: the multicam clip begins at another time code")
    expect((multicam.get("tcFormat") == "DF") == truth.drop, "fcpxml: drop frame")

    def frame(time):
        value = (time - start) * truth.rate
        expect(value.denominator == 1, f"fcpxml: {time} lies between frames")
        return int(value)

    for angle in multicam.findall("mc-angle"):
        role, at, clips = angle.get("angleID"), 0, []
        for child in angle:
            first, length = frame(seconds(child.get("offset"))), seconds(child.get("duration")) * truth.rate
            expect(first == at and length.denominator == 1, f"fcpxml: {role} has a hole at {at}")
            at = first + int(length)
            if child.tag != "gap":
                asset = assets[child.get("ref")]
                inside = seconds(child.get("start")) - seconds(asset.get("start"))
                clips.append((unquote(asset.find("media-rep").get("src"))[3:], first, at, inside))
                if role in truth.angles:
                    file = clips[-1][0]
                    part = next(p for p in truth.parts(role) if p[0] == file)
                    wanted = truth.media_start(part[1], part[5])
                    expect(seconds(asset.get("start")) == wanted, f"fcpxml: {file} begins at {asset.get('start')}, not {wanted}")
        expect(at == truth.count, f"fcpxml: angle {role} has {at} frames, not {truth.count}")
        if role in truth.angles:
            expect(clips == truth.shown(role, 0, truth.count), f"fcpxml: angle {role} is {clips}")
    ids = {a.get("angleID") for a in multicam}
    expect(ids == set(truth.angles) | {"audio-" + t["name"] for t in truth.microphones}, f"fcpxml: angles {ids}")
    # The cut: each frame shows the angles of its shot, with the gains of its layout.
    at, markers = 0, []
    gains = {t["name"]: truth.gains(t["name"]) for t in truth.microphones}
    edges = set()
    for clip in root.find("library/event/project/sequence/spine"):
        first = frame(seconds(clip.get("offset")))
        last = first + int(seconds(clip.get("duration")) * truth.rate)
        expect(first == at and clip.get("start") == clip.get("offset"), f"fcpxml: a hole in the cut at {at}")
        at = last
        edges.add(first)
        a, b, roles, look = next(shot for shot in truth.shots() if shot[0] <= first < shot[1])
        expect(last <= b, f"fcpxml: a clip goes beyond its shot at {b}")
        pictures = [s.get("angleID") for s in clip.findall("mc-source") if s.get("srcEnable") == "video"]
        for over in clip.findall("mc-clip"):
            expect((over.get("offset"), over.get("start"), over.get("duration")) ==
                   (clip.get("offset"), clip.get("start"), clip.get("duration")), "fcpxml: a layer lies elsewhere")
            pictures += [s.get("angleID") for s in over.findall("mc-source")]
        seen = [role for role in roles if truth.shown(role, first, last)]
        expect(pictures == seen, f"fcpxml: {pictures} at {first}, not {seen}")
        for source in clip.findall("mc-source"):
            if source.get("srcEnable") == "audio":
                role = source.get("angleID")[6:]
                level = float(source.find("audio-role-source/adjust-volume").get("amount")[:-2])
                wanted = [g for f, g in gains[role] if f <= first][-1]
                expect(wanted is not None and abs(level - wanted) < 1e-4, f"fcpxml: {role} at {level} dB, not {wanted}")
        markers += [(frame(seconds(m.get("start"))), m.get("value")) for m in clip.findall("marker")]
    expect(at == truth.count, f"fcpxml: the cut has {at} frames, not {truth.count}")
    expect({shot[0] for shot in truth.shots()} <= edges, f"fcpxml: cuts at {edges}")
    expect(sorted(markers) == sorted(truth.markers()), f"fcpxml: markers {markers}, not {truth.markers()}")


def check_mlt(truth):
    root = ET.parse(truth.folder / "edit/session.mlt").getroot()
    profile = root.find("profile")
    expect(Fraction(int(profile.get("frame_rate_num")), int(profile.get("frame_rate_den"))) == truth.rate, "mlt: rate")
    files = {p.get("id"): {e.get("name"): e.text or "" for e in p.findall("property")} for p in root.findall("producer")}
    lists, stands = {}, []
    for playlist in root.findall("playlist"):
        if playlist.get("id") == "main_bin":
            known = {e.get("name"): e.text for e in playlist.findall("property")}
            expect(known.get("kdenlive:docproperties.version") == "1.04", "mlt: Kdenlive's version")
            expect({e.get("producer") for e in playlist.findall("entry")} == set(files) - {"black"}, "mlt: Kdenlive's files")
            continue
        at, clips, name = 0, [], None
        for child in playlist:
            if child.tag == "property" and child.get("name") == "shotcut:name":
                name = child.text
            elif child.tag == "blank":
                at += int(child.get("length"))
            elif child.tag == "entry":
                first, last = int(child.get("in")), int(child.get("out"))
                clips.append((files[child.get("producer")].get("resource", "")[3:], at, at + last - first + 1, first))
                for effect in child.findall("filter"):
                    known = {e.get("name"): e.text for e in effect.findall("property")}
                    if known["mlt_service"] == "affine":
                        stands.append((at, at + last - first, tuple(map(int, known["transition.rect"].split()[:4]))))
                at += last - first + 1
        lists[name] = clips
    wanted = {role: truth.shown(role, 0, truth.count) for role in truth.angles}
    late = {file: first for role in truth.angles for file, track, first, *_ in truth.parts(role) if truth.first_frame(track, file)}
    places = []
    for first, last, roles, look in truth.shots():
        for index, role in enumerate(roles):
            parts = truth.shown(role, first, last)
            wanted.setdefault("Cut" if index == 0 else f"Cut {index + 1}", []).extend(parts)
            if look:
                layer = look[1][index]
                box = (layer["x"], layer["y"], layer["width"], layer["height"])
                places += [(a, b - 1, box, layer["fit"]) for _, a, b, _ in parts]
    for name, clips in wanted.items():
        # melt counts a file's frames from the first visible one.
        exactly = [(f, a, b, a - late[f] if f in late else round(float(t * truth.rate))) for f, a, b, t in clips]
        got = lists.get(name)
        expect(got is not None and all(x[:3] == y[:3] and abs(x[3] - y[3]) <= (0 if f else 1) for x, y, f in
               zip(got, exactly, [(t * truth.rate).denominator == 1 for _, _, _, t in clips])) and len(got) == len(exactly),
               f"mlt: {name} is {got}, not {exactly}")
    tractor = root.find("tractor")
    expect(len(stands) == len(places) or not truth.program, f"mlt: {len(stands)} places, not {len(places)}")
    for first, last, box, fit in places:
        inside = [b for a, c, b in stands if (a, c) == (first, last) and box[0] <= b[0] and box[1] <= b[1]
                  and b[0] + b[2] <= box[0] + box[2] and b[1] + b[3] <= box[1] + box[3]]
        same = [b for b in inside if b == box] if fit == "cover" else inside
        expect(same, f"mlt: nothing at {box} in frames {first}…{last}: {stands}")
    guides = json.loads(next(e.text for e in tractor.findall("property") if e.get("name").endswith("guides")))
    markers = [(g["pos"], g["comment"]) for g in guides if not g["comment"].startswith("gap: ")]
    expect(sorted(markers) == sorted(truth.markers()), f"mlt: markers {markers}, not {truth.markers()}")
    gaps = [g for g in truth.manifest["gaps"] if any(g["track"] == t["name"] for ts in truth.angles.values() for t in ts)]
    expect(len(guides) - len(markers) == len(gaps), f"mlt: {len(guides) - len(markers)} gaps, not {len(gaps)}")


def check_edl(truth, wanted):
    text = (truth.folder / "edit/session.edl").read_text()
    expect(f"FCM: {'DROP' if truth.drop else 'NON-DROP'} FRAME" in text, "edl: drop frame")
    expect(("FCM: DROP" in text) == (";" in re.sub(r"(?m)^\*.*|^TITLE.*", "", text)) or not wanted.get("Cut"), "edl: labels")
    names = re.findall(r"(?m)^\* FROM CLIP NAME: (.*)$", text)
    expect(names == [f.split("/")[-1] for f, *_ in wanted.get("Cut", [])], f"edl: {names}")
    per = -(-truth.rate.numerator // truth.rate.denominator)

    def count(label):
        h, m, s, f = map(int, re.split("[:;]", label))
        number = ((h * 60 + m) * 60 + s) * per + f
        minutes = h * 60 + m
        return number - (minutes - minutes // 10) * (per // 15) if truth.drop else number

    events = re.findall(r"(?m)^\d{3,}  \S+ +V +C +(\S+) (\S+) (\S+) (\S+)$", text)
    origin = truth.label(truth.rate)
    got = [(count(e[2]) - origin, count(e[3]) - origin) for e in events]
    expect(got == [(a, b) for _, a, b, _ in wanted.get("Cut", [])], f"edl: {got}, not {wanted.get('Cut')}")
    expect(all(e[:2] == e[2:] for e in events), "edl: source and record differ")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--dtd")
    options = parser.parse_args()
    truth = Truth(options.folder)
    wanted = check_own_otio(truth)
    check_fcpxml(truth, options.dtd)
    check_mlt(truth)
    check_edl(truth, wanted)
    if options.peers:
        check_peers(truth, wanted)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
