"""Compares results with the ideal composition of the same frames: every step in swscale's best quality."""
import re
import subprocess

import jobs
import material

BEST = "flags=lanczos+accurate_rnd+full_chroma_int+full_chroma_inp"


def reference(files, insets, way, seconds, path):
    """Makes the lossless ideal program of a pip job. Variant `cheapest`: in the JPEGs' own color space."""
    colors, pixels = (jobs.TO_BT709, "yuv420p") if way == jobs.SAME else (jobs.FULL, "yuvj420p")
    graph = [f"[0:v]scale={colors}:{BEST},format={pixels}[m0]"]
    for i, (x, y) in enumerate(jobs.INSETS[:insets]):
        graph.append(f"[{i + 1}:v]scale=480:270:{colors}:{BEST},format={pixels}[p{i}]")
        graph.append(f"[m{i}][p{i}]overlay={x}:{y}:format=yuv420[m{i + 1}]")
    names = ["main", "one", "two", "three"][:insets + 1]
    inputs = [word for name in names for word in ("-i", files[f"{name}.mkv"])]
    material.ffmpeg(*inputs, "-filter_complex", ";".join(graph), "-map", f"[m{insets}]", "-t", seconds, "-c:v", "ffv1", path)


def ssim(path, ideal, seconds):
    """The mean over all planes and frames: 1 is identical."""
    # Both are read unchanged: the comparison must not convert the range of either.
    graph = "[0:v]settb=1/30,setpts=N[a];[1:v]settb=1/30,setpts=N[b];[a][b]ssim"
    result = subprocess.run(["ffmpeg", "-nostdin", "-hide_banner", "-t", str(seconds), "-i", path, "-i", ideal, "-lavfi", graph, "-f",
                             "null", "-"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    found = re.search(r"SSIM .*All:([\d.]+)", result.stderr)
    if not found:
        raise SystemExit(f"bench: no SSIM of {path}:\n{result.stderr[-1500:]}")
    return float(found[1])
