#!/usr/bin/env python3
"""Checks a session's manifest for consistency and against the session's files.

Usage: check-ledger.py FOLDER [--abandoned]

For every video track: written = captured - decimated + duplicated + slate, which equals the number of ticks and the packets in
the files. For every audio track: written = captured + silence, which equals the session's length. All files start at 0 and end
with the session, or where the manifest says that a track was started or stopped, with the rotation it states. Gaps lie inside the
session, and every media file belongs to a track. A failed track may be shorter, but must match the manifest. --abandoned: the
encoders were not waited for, so tracks that lost frames to an encoder may be shorter, too.

Prints JSON: outcome, seconds, tracks (by name: the manifest's counts, the files' stream), gaps, markers, and `complaints`.
Exit status 1 if there are complaints.
"""
import json
import os
import subprocess
import sys
from math import ceil

MEDIA = (".mp4", ".mov", ".wav")
SOUND_RATE = 48000
# Files have their own time units. AAC has packets of 1024 samples; the last one may or may not be trimmed.
TOLERANCE, AAC_TOLERANCE = 0.001, 1024 / SOUND_RATE


def probe(path):
    found = subprocess.run(
        ["ffprobe", "-v", "error", "-count_packets", "-show_streams", "-of", "json", path], capture_output=True, text=True)
    if found.returncode != 0 or found.stderr:
        raise ValueError(f"ffprobe: {found.stderr.strip() or found.returncode}")
    return json.loads(found.stdout)["streams"]


def rotation_of(stream):
    turned = [data["rotation"] for data in stream.get("side_data_list", []) if "rotation" in data]
    return -turned[0] % 360 if turned else 0


def check_track(track, streams, duration, abandoned, complain):
    """`streams`: for each of the track's files, the stream that belongs to the track."""
    name = track["name"]
    for stream in streams:
        if abs(float(stream.get("start_time", 0))) > TOLERANCE:  # ffprobe reports no start time for WAV
            complain(f"{name}: a file starts at {stream['start_time']}")
    tolerance = AAC_TOLERANCE if streams[0]["codec_name"] == "aac" else TOLERANCE
    length = sum(float(stream["duration"]) for stream in streams)
    grid = 1 / track["rate"] if "frames" in track else 0
    lost = track.get("frames", {"lost": {}})["lost"]
    was_abandoned = abandoned and "encoder" in lost
    session = duration
    if track["first_ns"] > 0 or "ended_ns" in track:
        end = track.get("ended_ns", round(session * 1e9))
        if not 0 <= track["first_ns"] < end <= round(session * 1e9) or track["first_ns"] + track["duration_ns"] != end:
            complain(f"{name}: from {track['first_ns']} for {track['duration_ns']} does not end at {end}")
        duration = track["duration_ns"] / 1e9
    if "failure" in track or was_abandoned:
        duration = length  # the manifest must match the content
    if not -tolerance <= length - duration <= grid + tolerance:
        complain(f"{name}: files of {length} s for a session of {duration} s")

    frames, samples = track.get("frames"), track.get("samples")
    if frames:
        written, packets = frames["written"], sum(int(stream.get("nb_read_packets", 0)) for stream in streams)
        if written != frames["captured"] - frames["decimated"] + frames["duplicated"] + frames["slate"]:
            complain(f"{name}: {written} written frames don't equal captured - decimated + duplicated + slate: {frames}")
        if min(frames["captured"], frames["decimated"], frames["duplicated"], frames["slate"], *frames["lost"].values(), 0) < 0:
            complain(f"{name}: a negative count: {frames}")
        if packets != written:
            complain(f"{name}: {written} frames in the manifest, {packets} in the files")
        ticks = ceil(round(duration * track["rate"], 3))
        if was_abandoned:
            # The last frame may last until the end; all others are in the ledger.
            told = written + lost["encoder"] + lost.get("governor", 0)
            if told < ceil(round(session * track["rate"], 3)):
                complain(f"{name}: {told} frames are accounted for in a session of {session} s")
        elif not track.get("variable_rate") and written != ticks:
            complain(f"{name}: {written} frames for {ticks} ticks")
        if any(rotation_of(stream) != track["rotation"] for stream in streams):
            complain(f"{name}: rotated by {[rotation_of(stream) for stream in streams]}, not by {track['rotation']}")
    if samples:
        written = samples["written"]
        if written != samples["captured"] + samples["silence"] or min(samples.values()) < 0:
            complain(f"{name}: {written} written samples don't equal captured + silence: {samples}")
        if written != round(duration * SOUND_RATE):
            complain(f"{name}: {written} samples for {duration} s")
        if streams[0]["codec_name"] != "aac" and sum(stream["duration_ts"] for stream in streams) != written:
            complain(f"{name}: {written} samples in the manifest don't match the files")


def check(folder, abandoned):
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    complaints = []
    duration = manifest["duration_ns"] / 1e9
    report = {"outcome": manifest["outcome"], "seconds": duration, "tracks": {}}
    named, probed = set(), {}
    for track in manifest["tracks"]:
        name, paths = track["name"], [track["file"], *track.get("parts", [])]
        named.update(paths)
        try:
            for path in paths:
                probed.setdefault(path, None)
                probed[path] = probed[path] or probe(os.path.join(folder, path))
            streams = [probed[path][track["stream"]] for path in paths]
            check_track(track, streams, duration, abandoned, complaints.append)
            kept = ("codec_name", "width", "height", "r_frame_rate", "duration")
            report["tracks"][name] = {
                **track.get("frames", {}), **track.get("samples", {}), "files": paths,
                **{key: streams[0][key] for key in kept if key in streams[0]}, "rotation": track.get("rotation", 0)}
        except (ValueError, IndexError, KeyError) as error:
            complaints.append(f"{name}: {type(error).__name__} {error}")

    for place, _, files in os.walk(folder):
        for file in files:
            path = os.path.relpath(os.path.join(place, file), folder)
            if path.endswith(MEDIA) and path not in named:
                complaints.append(f"{path}: doesn't belong to any track")
    names = {track["name"] for track in manifest["tracks"]}
    for gap in manifest["gaps"]:
        if not 0 <= gap["from_ns"] < gap["to_ns"] <= manifest["duration_ns"] or gap["track"] not in names:
            complaints.append(f"a gap outside the session: {gap}")
    report["gaps"] = [[gap["track"], gap["cause"], gap["from_ns"] / 1e9, gap["to_ns"] / 1e9] for gap in manifest["gaps"]]
    report["markers"] = [[marker["at_ns"] / 1e9, marker["text"]] for marker in manifest["markers"]]
    report["complaints"] = complaints
    return report


def main(arguments):
    if len(arguments) not in (1, 2) or arguments[1:] not in ([], ["--abandoned"]):
        sys.exit("\n".join(__doc__.splitlines()[2:3]))
    report = check(arguments[0], len(arguments) == 2)
    print(json.dumps(report, indent=1))
    return 1 if report["complaints"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
