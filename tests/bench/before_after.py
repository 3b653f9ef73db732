#!/usr/bin/env python3
"""Alternates two builds of the program, an earlier one and the current one, to find slowdowns: frames and first pictures of windows,
time from an edit to its picture (edit_bench), and speed of the lockstep machine (simt_bench).

    xvfb-run -a -s "-screen 0 1280x720x24" tests/bench/before_after.py BEFORE NOW [--rounds N] [--parts PART …] [--labs LAB …]
    tests/bench/before_after.py BEFORE NOW --parts simt --benchmarks '^checked_matrix_multiply/cores:1' --rounds 10    cost of checks

BEFORE and NOW are folders with lanescope, edit_bench and simt_bench (build/ci, or its bundle). Needs a quiet machine; does not use a GPU.
Prints medians; each ratio is the new speed divided by the old one, and "<" marks ratios below 0.98; the last line lists those, and the
exit status is 1 if there are any."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import window_beside

LABS = ["heat", "transpose", "coalescing", "matmul", "divergence", "reduction", "rotate", "min_plus"]
LEAST = 0.98


def output(*words):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=True).stdout


def window(build, lab, seconds):
    options = argparse.Namespace(size="1280x720", seconds=seconds, first=False)
    with tempfile.TemporaryDirectory() as home:
        pictures, frames, first, _ = window_beside.run(build / "lanescope", lab, options, home)
    return {"pictures/s": pictures, "frames/s": frames, "first picture, s": first}


def frames(build, options):
    figures = window(build, "heat", 4)
    return {f"heat in the window, {name}": figures[name] for name in ("pictures/s", "frames/s")}


def first(build, options):
    return {f"first picture of {lab}, s": window(build, lab, 0.8)["first picture, s"] for lab in options.labs}


def edit(build, options):
    text = output(build / "edit_bench", "latency", "simt", 256, options.edits)
    return {"edit to picture, heat/naive, ms": float(text.split("all ")[1].split()[0])}


def simt(build, options):
    text = output(build / "simt_bench", f"--benchmark_min_time={options.seconds}",
                  f"--benchmark_filter={options.benchmarks}", "--benchmark_format=json")
    scale = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}
    found = {}
    for row in json.loads(text[text.index("{"):])["benchmarks"]:
        name = row["name"].replace("/process_time", "").replace("/real_time", "") # older versions lack these suffixes
        found[f"{name}, clock, ms"] = row["real_time"] * scale[row["time_unit"]]
        if "cores:1" in name: # for several cores, older versions report only the main thread's time
            found[f"{name}, CPU, ms"] = row["cpu_time"] * scale[row["time_unit"]]
    return found


PARTS = {"frames": frames, "first": first, "edit": edit, "simt": simt}


def compare(part, options):
    """Prints a row for each figure that both have; returns the names of the slower ones."""
    builds, slower = (options.before, options.now), []
    figures = {build: {} for build in builds}
    for number in range(options.rounds):
        for build in builds if number % 2 == 0 else builds[::-1]:
            for name, value in PARTS[part](build, options).items():
                figures[build].setdefault(name, []).append(value)
    for name in figures[options.before]:
        if name not in figures[options.now]:
            print(f"{name:<52} not in today's")
            continue
        before, now = (statistics.median(figures[build][name]) for build in builds)
        ratio = now / before if name.endswith("/s") else before / now
        low = ratio < LEAST
        print(f"{name:<52}{before:>11.4g}{now:>11.4g}{ratio:>9.3f} {'<' if low else ''}", flush=True)
        slower += [f"{name} {ratio:.3f}"] if low else []
    return slower


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("before", type=Path)
    parse.add_argument("now", type=Path)
    parse.add_argument("--rounds", type=int, default=5)
    parse.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parse.add_argument("--labs", nargs="+", default=LABS, help="of first pictures")
    parse.add_argument("--edits", type=int, default=40, help="of each round")
    parse.add_argument("--seconds", type=float, default=0.15, help="of a benchmark of simt_bench, at least")
    parse.add_argument("--benchmarks", default="all", help="a regular expression of simt_bench's names")
    options = parse.parse_args()
    options.before, options.now = options.before.resolve(), options.now.resolve()
    print(f"{options.rounds} rounds in turn, load {os.getloadavg()[0]:.1f}")
    print(f"{'':<52}{'before':>11}{'now':>11}{'ratio':>9}")
    slower = sum((compare(part, options) for part in options.parts), [])
    print(f"below {LEAST}: {', '.join(slower) or 'none'}; load {os.getloadavg()[0]:.1f}")
    sys.exit(1 if slower else 0)


main()
