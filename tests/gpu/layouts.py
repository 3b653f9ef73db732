#!/usr/bin/env python3
"""Compares the wavefronts that `lanescope layout` counts with those of a GPU's counter.

  tests/gpu/layouts.py --draw FILE [--count 1000] [--seed 1] [--lanescope PROGRAM]   anywhere
  tests/gpu/layouts.py --measure FILE                                                on a GPU, with nvcc and ncu

--draw chooses random layouts and accesses, and writes each with its count to FILE. --measure runs each as one access
of one warp under Nsight Compute, prints the differences and a summary, and exits with 1 if there is one.
"""
import argparse
import csv
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
METRIC = "memory_l1_wavefronts_shared"


def drawn_layout(rng):
    rows, columns = 2 ** rng.randint(3, 6), 2 ** rng.randint(5, 8)
    if rng.random() < 0.4:
        return f"{rows}x{columns}+{rng.choice([0, 1, 2, 4, 8, 16])}", rows, columns
    bits = rng.randint(1, 5)
    swizzle = f"Sw<{bits},{rng.randint(0, 4)},{bits + rng.randint(0, 3)}>"
    strides = rng.choice([f"({columns},1)", f"({columns},1)", f"(1,{rows})"])
    return f"{swizzle} o ({rows},{columns}):{strides}", rows, columns


def drawn_access(rng, rows, columns, size):
    kind = rng.choice(["", "store "])
    vector = rng.choice(["", "", " x2", " x4", " x8"])
    choice = rng.randrange(6)
    if choice == 0:
        return f"{kind}row {rng.randrange(rows)}{vector}"
    if choice == 1:
        return f"{kind}mod(lane, {rows}), {rng.randrange(columns)}"
    if choice == 2:
        group = 2 ** rng.randint(0, 5)
        return f"{kind}mod(floor(lane/{group}), {rows}), mod(mod(lane,{group})*{rng.choice([1, 2, 4, 8])}, {columns}){vector}"
    if choice == 3:
        return f"{kind}mod(xor(lane,{rng.randrange(32)}), {rows}), mod(lane*{rng.randrange(1, 17)}, {columns}){vector}"
    if choice == 4 and size <= 4:
        return f"{rng.choice(['ldmatrix', 'stmatrix'])}.x{rng.choice([1, 2, 4])}"
    return f"{kind}mod(lane*{rng.randrange(1, 9)}+{rng.randrange(8)}, {rows}), mod(xor(lane,{rng.randrange(32)}), {columns})"


def draw(options):
    rng = random.Random(options.seed)
    cases = []
    while len(cases) < options.count:
        layout, rows, columns = drawn_layout(rng)
        size = rng.choice([1, 2, 2, 4, 4, 4, 8])
        access = drawn_access(rng, rows, columns, size)
        run = subprocess.run([options.lanescope, "layout", layout, "--element", str(size), "--access", access, "--json"],
                             capture_output=True, text=True)
        if run.returncode == 2:  # does not fit, or is not consecutive
            continue
        if run.returncode != 0:
            sys.exit(f"{layout}, {access}: {run.stderr}")
        found = json.loads(run.stdout)["accesses"][0]
        offsets = [0] * 32
        active = 0
        for lane in found["lanes"]:
            offsets[lane["lane"]] = lane["byte"]
            active |= 1 << lane["lane"]
        kind, _, rest = found["instruction"].partition(".x")
        cases.append({"layout": layout, "access": access, "element": size, "kind": kind.split(",")[0],
                      "width": found["width"], "matrices": int(rest or 0), "active": active, "offsets": offsets,
                      "wavefronts": found["wavefronts"]})
    pathlib.Path(options.draw).write_text("\n".join(json.dumps(case) for case in cases) + "\n")
    print(f"{len(cases)} accesses")


def counters(program, listing):
    run = subprocess.run(["ncu", "--clock-control", "none", "--cache-control", "none", "--csv", "--page", "raw",
                          "--print-units", "base", "--metrics", METRIC, program, listing],
                         capture_output=True, text=True)
    lines = [line for line in run.stdout.splitlines() if line.startswith('"')]
    rows = list(csv.DictReader(io.StringIO("\n".join(lines))))[1:]  # the first row has the units
    if not rows:
        sys.exit(run.stdout[-2000:] + run.stderr[-2000:])
    return [round(float(row[METRIC].replace(",", ""))) for row in rows]


def measure(options):
    cases = [json.loads(line) for line in pathlib.Path(options.measure).read_text().splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/layouts"
        subprocess.run(["nvcc", "-O2", "-std=c++17", "-arch=native", "-o", program, str(HERE.parent / "bench/layouts.cu")], check=True)
        listing = pathlib.Path(folder) / "cases.txt"
        listing.write_text("".join(f"{case['kind']} {case['width']} {case['matrices']} {case['active']} "
                                   + " ".join(map(str, case["offsets"])) + "\n" for case in cases))
        counted = counters(program, str(listing))
    differences = 0
    kinds = {}
    for case, wavefronts in zip(cases, counted):
        same = case["wavefronts"] == wavefronts
        name = case["kind"] + (f".x{case['matrices']}" if case["matrices"] else f" {case['width']} B")
        total, wrong = kinds.get(name, (0, 0))
        kinds[name] = (total + 1, wrong + (not same))
        if not same:
            differences += 1
            if differences <= 20:
                print(f"{case['layout']}, {case['access']}, {case['element']} B: "
                      f"{case['wavefronts']} here, {wavefronts} on the GPU")
    for name, (total, wrong) in sorted(kinds.items()):
        print(f"{name:14} {total:5} accesses {wrong:5} different")
    print(f"{len(counted)} of {len(cases)} accesses measured, {differences} different")
    return differences > 0 or len(counted) != len(cases)


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--draw", metavar="FILE")
parser.add_argument("--measure", metavar="FILE")
parser.add_argument("--count", type=int, default=1000)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--lanescope", default="build/ci/lanescope")
chosen = parser.parse_args()
if chosen.draw:
    draw(chosen)
if chosen.measure:
    sys.exit(measure(chosen))
if not chosen.draw:
    parser.error("--draw FILE or --measure FILE is needed")
