#!/usr/bin/env python3
"""Holds a session's manifest against its own rules and against the files beside it.

Usage: check-ledger.py FOLDER [--abandoned]

For every track of pictures: written = captured - skipped + repeated + slate, as many as the grid has ticks and as the files
have packets; for every track of sound: written = captured + filled, as many as the session is long. All files begin at 0 and
end with the session, or where the manifest says that a track was begun or ended, turned as it says; gaps lie inside the session; no media file is there that no track names. A track that failed may be shorter, but holds what the
manifest says. --abandoned: nobody waited for the encoders; what lost pictures to one may be shorter too.

Prints JSON: outcome, seconds, tracks (by name: the manifest's counts, the files' stream), gaps, marks, and `complaints`.
Exit status 1 if there are complaints.
"""
import json
import os
import subprocess
import sys
from math import ceil

MEDIA = (".mp4", ".mov", ".wav")
SOUND_RATE = 48000
# Times in files are in units of their own; AAC comes in packets of 1024 samples, and its last may be cut or not.
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
    """`streams`: of each of the track's files, the one that it fills."""
    name = track["name"]
    for stream in streams:
        if abs(float(stream.get("start_time", 0))) > TOLERANCE:  # of a WAV ffprobe says none
            complain(f"{name}: a file begins at {stream['start_time']}")
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
        duration = length  # what counts is that the manifest tells what is there
    if not -tolerance <= length - duration <= grid + tolerance:
        complain(f"{name}: files of {length} s for a session of {duration} s")

    frames, samples = track.get("frames"), track.get("samples")
    if frames:
        written, packets = frames["written"], sum(int(stream.get("nb_read_packets", 0)) for stream in streams)
        if written != frames["captured"] - frames["skipped"] + frames["repeated"] + frames["slate"]:
            complain(f"{name}: {written} written is not captured - skipped + repeated + slate: {frames}")
        if min(frames["captured"], frames["skipped"], frames["repeated"], frames["slate"], *frames["lost"].values(), 0) < 0:
            complain(f"{name}: a count below zero: {frames}")
        if packets != written:
            complain(f"{name}: {written} pictures by the manifest, {packets} in the files")
        ticks = ceil(round(duration * track["rate"], 3))
        if was_abandoned:
            # The last picture that there is may stand until the end; all others are in the ledger.
            told = written + lost["encoder"] + lost.get("governor", 0)
            if told < ceil(round(session * track["rate"], 3)):
                complain(f"{name}: {told} pictures are told of, of a session of {session} s")
        elif track.get("grid", True) and written != ticks:
            complain(f"{name}: {written} pictures for {ticks} ticks")
        if any(rotation_of(stream) != track["rotation"] for stream in streams):
            complain(f"{name}: turned by {[rotation_of(stream) for stream in streams]}, not by {track['rotation']}")
    if samples:
        written = samples["written"]
        if written != samples["captured"] + samples["filled"] or min(samples.values()) < 0:
            complain(f"{name}: {written} samples written is not captured + filled: {samples}")
        if written != round(duration * SOUND_RATE):
            complain(f"{name}: {written} samples for {duration} s")
        if streams[0]["codec_name"] != "aac" and sum(stream["duration_ts"] for stream in streams) != written:
            complain(f"{name}: {written} samples by the manifest, not in the files")


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
                complaints.append(f"{path}: no track names it")
    names = {track["name"] for track in manifest["tracks"]}
    for gap in manifest["gaps"]:
        if not 0 <= gap["from_ns"] < gap["to_ns"] <= manifest["duration_ns"] or gap["track"] not in names:
            complaints.append(f"a gap outside the session: {gap}")
    report["gaps"] = [[gap["track"], gap["cause"], gap["from_ns"] / 1e9, gap["to_ns"] / 1e9] for gap in manifest["gaps"]]
    report["marks"] = [[mark["at_ns"] / 1e9, mark["text"]] for mark in manifest["marks"]]
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
