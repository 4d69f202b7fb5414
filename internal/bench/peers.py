#!/usr/bin/env python3
"""Times what one would use in Python instead of segscan, beside segscan, on the same image, on one core.

usage: peers.py [--segscan PROGRAM] [--side 8192] [--rounds 5]

The image is noise, blurred and stretched over 0..255: dark valleys, bright blobs, about one segment in a hundred
samples. numpy finds exactly segscan's segments, and their number is compared; the others answer a similar question
(connected regions in two dimensions), which is what people reach for. Needs numpy and OpenCV; scikit-image is timed
where it is installed. See docs/benchmarks.md.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import cv2
import numpy as np

try:
    from skimage.filters import apply_hysteresis_threshold
except ImportError:
    apply_hysteresis_threshold = None

LO, HI = 100, 160  # boundary v <= LO, activation v >= HI


def make_image(side):
    noise = np.random.default_rng(1).integers(0, 256, (side, side), dtype=np.uint8)
    smooth = cv2.GaussianBlur(noise, (0, 0), 4)
    return cv2.normalize(smooth, None, 0, 255, cv2.NORM_MINMAX)


def numpy_segments(image):
    """The definition in whole-array operations: boundaries, whether an activation lies between two, same row."""
    width = image.shape[1]
    samples = image.reshape(-1)
    bounds = np.flatnonzero(samples <= LO)
    between = np.add.reduceat((samples >= HI).astype(np.uint8), bounds) > 0
    first, last = bounds[:-1], bounds[1:]
    keep = between[:-1] & (first // width == last // width)
    return len(np.stack([first[keep], last[keep]], axis=1))


def opencv_components(image):
    _, mask = cv2.threshold(image, LO, 1, cv2.THRESH_BINARY)
    return cv2.connectedComponentsWithStats(mask)[0] - 1


def skimage_hysteresis(image):
    return int(apply_hysteresis_threshold(image, LO, HI).any())


def timed(f, image):
    start = time.process_time()
    answer = f(image)
    return time.process_time() - start, answer


def segscan(program, path):
    """Seconds of the engine on the decoded image, the median of five, and the number of segments."""
    out = subprocess.run([program, "bench", "--image", path, "--lo", str(LO), "--hi", str(HI), "--count", "5", "--json"],
                         check=True, stdout=subprocess.PIPE).stdout
    report = json.loads(out)["image"]
    return report["one_core"]["seconds"]["median"], report["segments"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--segscan", default="./segscan", help="the program (default ./segscan)")
    parser.add_argument("--side", type=int, default=8192, help="of the image in pixels (default 8192)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds that medians are of (default 5)")
    args = parser.parse_args()

    if hasattr(os, "sched_setaffinity"):  # one core for all, segscan too
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    cv2.setNumThreads(1)

    image = make_image(args.side)
    peers = {"numpy, the same segments": numpy_segments, "OpenCV threshold + connectedComponentsWithStats": opencv_components}
    if apply_hysteresis_threshold is not None:
        peers["scikit-image apply_hysteresis_threshold"] = skimage_hysteresis

    seconds = {name: [] for name in ["segscan", *peers]}
    answers = {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "image.tif")
        if not cv2.imwrite(path, image, [cv2.IMWRITE_TIFF_COMPRESSION, 1]):
            sys.exit("peers.py: cannot write " + path)
        for _ in range(args.rounds):
            for name, f in peers.items():
                t, answers[name] = timed(f, image)
                seconds[name].append(t)
            t, answers["segscan"] = segscan(args.segscan, path)
            seconds["segscan"].append(t)

    ours = float(np.median(seconds["segscan"]))
    pixels = image.size
    print(f"{image.shape[1]} x {image.shape[0]}, 8 bits, boundary v <= {LO}, activation v >= {HI}, {answers['segscan']} segments")
    for name, list_of in seconds.items():
        t = float(np.median(list_of))
        print(f"{name:48}  {1e3 * t:9.1f} ms  {pixels / t / 1e6:8.0f} Mpx/s  {t / ours:7.1f} times segscan")
    if answers["segscan"] != answers["numpy, the same segments"]:
        sys.exit(f"peers.py: numpy finds {answers['numpy, the same segments']} segments")


if __name__ == "__main__":
    main()
