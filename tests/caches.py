#!/usr/bin/env python3
"""The model of the caches against the counters of a GPU: hit rates and DRAM traffic of public programs' kernels.

    tests/caches.py FOLDER [--lanescope build/ci/lanescope] [--each] [--json FILE]

FOLDER has specs.jsonl (a launch per line: file, kernel, grid, block, shared, args) and times.json (Nsight Compute's
counters of the same launches on an H100, with flushed caches and as the third launch in a row). --each prints every
launch. The exit status is 1 if a limit is exceeded."""
import argparse
import json
import os
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SECTOR = 32
# Counts of a launch that makes no accesses: its code, its parameters, and the driver's own work.
EMPTY = {"cold": {"dram_bytes": 2816, "l2_reads": 950, "l2_read_hits": 780},
         "warm": {"dram_bytes": 0, "l2_reads": 260, "l2_read_hits": 220}}
BIG = 10  # launches are compared where their counters exceed those of an empty launch this often

# (title, key, before, unit, median, 90 %): limits of the difference; None: only printed
CHECKS = [
    ("L1 hit rate of global loads", "l1_hit_rate", "cold", "points", 0.5, 2),
    ("L1 hit rate of global loads", "l1_hit_rate", "warm", "points", 0.5, 2),
    # A cold launch also reads its code from memory, up to 39 kB, which the model leaves out.
    ("L1 misses that L2 serves", "served_by_l2", "cold", "points", None, None),
    ("L1 misses that L2 serves", "served_by_l2", "warm", "points", 1, 3),
    ("bytes read from DRAM, more than 1 MB", "many_dram_bytes", "cold", "%", 2, 10),
    ("bytes read from DRAM", "dram_bytes", "cold", "%", None, None),
    ("L2 hit rate, reads by lookup", "l2_read_hit_rate", "cold", "points", None, None),
    ("L2 hit rate, reads by lookup", "l2_read_hit_rate", "warm", "points", 3, 10),
]


def emulate(lanescope, spec, folder, before):
    command = [lanescope, "emulate", os.path.join(folder, spec["file"]), "--kernel", spec["kernel"], "--grid",
               spec["grid"], "--block", spec["block"], "--shared", str(spec.get("shared", 0)), "--checks", "none",
               f"--caches={before}", "--gpu", "H100", "--json"]
    for argument in spec["args"]:
        kind, of_file, path = argument.partition(":file:DATA/")
        command += ["--arg", kind + ":file:" + os.path.join(folder, "data", path) if of_file else argument]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    start = done.stdout.find("{\n")
    if done.returncode != 0 or start < 0:
        return None, done.stderr.strip()
    return json.JSONDecoder().raw_decode(done.stdout[start:])[0].get("caches"), done.stderr.strip()


def ratio(part, whole):
    return part / whole if whole > 0 else None


def modelled(caches):
    loads = caches["l1"]["load_sectors"]
    misses = loads - caches["l1"]["load_hits"]
    return {"l1_hit_rate": ratio(caches["l1"]["load_hits"], loads),
            "served_by_l2": ratio(misses - caches["dram"]["read_sectors"], misses),
            "dram_bytes": caches["dram"]["read_bytes"],
            "many_dram_bytes": caches["dram"]["read_bytes"],
            "l2_read_hit_rate": ratio(caches["l2"]["read_hits"], caches["l2"]["read_lookups"])}


def measured(counters, before):
    empty = EMPTY[before]
    loads = counters["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]
    hits = counters["l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"]
    dram = counters["dram__bytes_read.sum"] - empty["dram_bytes"]
    reads = counters["lts__t_sectors_op_read.sum"]
    misses = loads - hits
    values = {"l1_hit_rate": ratio(hits, loads)}
    if misses * SECTOR > BIG * EMPTY["cold"]["dram_bytes"]:
        values["served_by_l2"] = 1 - max(dram, 0) / SECTOR / misses
    if dram > BIG * EMPTY["cold"]["dram_bytes"]:
        values["dram_bytes"] = dram
    if dram > 1e6:
        values["many_dram_bytes"] = dram
    if reads > BIG * empty["l2_reads"]:
        values["l2_read_hit_rate"] = ratio(counters["lts__t_sectors_op_read_lookup_hit.sum"] - empty["l2_read_hits"],
                                           reads - empty["l2_reads"])
    return values


def difference(ours, theirs, unit):
    return 100 * abs(ours - theirs) / (theirs if unit == "%" else 1)


def quantile(values, part):
    return sorted(values)[min(int(part * len(values)), len(values) - 1)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--lanescope", default=os.path.join(ROOT, "build", "ci", "lanescope"))
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--json")
    options = parser.parse_args()
    with open(os.path.join(options.folder, "times.json"), encoding="utf-8") as file:
        times = json.load(file)
    with open(os.path.join(options.folder, "specs.jsonl"), encoding="utf-8") as file:
        specs = [spec for spec in map(json.loads, file) if spec["id"] in times]
    results = {}
    for spec in specs:
        for before in ("cold", "warm"):
            caches, words = emulate(options.lanescope, spec, options.folder, before)
            if caches is None or "unavailable" in caches:
                print(f"{spec['id']} did not run: {words}")
                continue
            results[spec["id"], before] = (modelled(caches), measured(times[spec["id"]][before], before), caches)
    failed = not results
    for title, key, before, unit, median, most in CHECKS:
        found = []
        for (name, when), (ours, theirs, _) in results.items():
            if when == before and ours[key] is not None and theirs.get(key) is not None:
                found.append((difference(ours[key], theirs[key], unit), name, ours[key], theirs[key]))
        if not found:
            print(f"{title}, {before}: no launch")
            failed = True
            continue
        differences = [one[0] for one in found]
        middle, high = statistics.median(differences), quantile(differences, 0.9)
        exceeds = median is not None and (middle > median or high > most)
        failed = failed or exceeds
        print(f"{title}, {before}, {len(found)} launches: median {middle:.2f} {unit}, 90 % within {high:.2f}"
              + (f"  LIMITS {median} AND {most}" if exceeds else ""))
        if options.each:
            for one in sorted(found, reverse=True):
                print("    {1:28} {0:8.2f}  model {2:<12.6g} measured {3:<12.6g}".format(*one))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({f"{name} {before}": caches for (name, before), (_, _, caches) in results.items()}, file)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
