#!/usr/bin/env python3
"""Predicted times against measured ones: public programs' kernels on an H100, and the labs' variants.

    tests/predicted_times.py FOLDER [--lanescope build/ci/lanescope] [--dram] [--each] [--jobs N] [--json FILE]

--jobs programs run at a time. FOLDER has specs.jsonl and times.json, as for caches.py. The labs' times are those of assets/measurements.json, at the
size that fits L2, where a step takes up to 3 ms; --dram adds the larger size (half an hour on two cores). ptxas and
nvdisasm must be found. The exit status is 1 if a limit is exceeded."""
import argparse
import concurrent.futures
import itertools
import json
import os
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# A kernel that follows another starts sooner than one on its own, but the CPU starts one in 5.3 us at most.
FLOOR_US = 2.25
FOLLOWING_US = 1.3
CPU_US = 5.3
LONG_US = 10
# Warps that wait for other blocks are simulated for one round; the rest is counted as instructions.
SPINNING = {"cs_multi_warp_cg_reduce"}
# Steps that do more than their launch: fills and copies between kernels, or the host's work.
MORE_THAN_A_LAUNCH = {"hierarchy", "occupancy", "devices", "streams"}
FILLS_AT_L2 = {"compaction", "scan"}
# Accesses whose cost is not modelled.
NOT_MODELLED = {"memory_spaces/constant", "memory_spaces/texture", "rotate/linear_copy"}

STALLS = {"memory": ["long_scoreboard", "lg_throttle", "drain", "membar"],
          "shared": ["short_scoreboard", "mio_throttle", "tex_throttle"],
          "arithmetic": ["wait", "selected", "math_pipe_throttle", "branch_resolving", "not_selected"]}


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    start = done.stdout.find("{\n")
    if done.returncode != 0 or start < 0:
        return None, (done.stderr or done.stdout).strip()
    time = json.JSONDecoder().raw_decode(done.stdout[start:])[0].get("time", {})
    if "predicted_us" not in time:
        return None, time.get("unavailable", "no prediction")
    return time, ""


def emulate(lanescope, spec, folder, before):
    command = [lanescope, "emulate", os.path.join(folder, spec["file"]), "--kernel", spec["kernel"], "--grid",
               spec["grid"], "--block", spec["block"], "--shared", str(spec.get("shared", 0)), "--checks", "none",
               "--time", f"--caches={before}", "--gpu", "H100", "--json"]
    for argument in spec["args"]:
        kind, of_file, path = argument.partition(":file:DATA/")
        command += ["--arg", kind + ":file:" + os.path.join(folder, "data", path) if of_file else argument]
    return run(command)


def cause_of_stalls(counters):
    def stall(name):
        return counters.get(f"smsp__average_warps_issue_stalled_{name}_per_issue_active.ratio", 0)
    return max(STALLS, key=lambda cause: sum(map(stall, STALLS[cause])))


def cause_of(time):
    """The same in the prediction. Warps at a barrier wait for what the slowest warp waits for."""
    waits = time["block_waits"]
    by_cause = {"memory": waits["global"], "shared": waits["shared"],
                "arithmetic": waits["issue"] + waits["arithmetic"] + waits["branch"]}
    if time["limited_by"] in ("l2", "dram"):
        return "memory"
    if time["limited_by"] == "instructions":
        return "arithmetic"
    return max(by_cause, key=by_cause.get)


def public_kernels(options):
    with open(os.path.join(options.folder, "times.json"), encoding="utf-8") as file:
        times = json.load(file)
    with open(os.path.join(options.folder, "specs.jsonl"), encoding="utf-8") as file:
        specs = [spec for spec in map(json.loads, file) if spec["id"] in times]
    runs = [(number, spec, before) for number, spec in enumerate(specs) for before in ("cold", "warm")]
    made = options.pool.map(lambda one: emulate(options.lanescope, one[1], options.folder, one[2]), runs)
    for (number, spec, before), (time, words) in zip(runs, made):
        if time is None:
            print(f"{spec['id']} was not predicted: {words}")
            continue
        counters = times[spec["id"]][before]
        measured = counters["gpu__time_duration.sum"] / 1e3
        yield {"kind": "kernel", "name": f"{spec['id']} {before}", "half": number % 2, "time": time,
               "measured": measured, "predicted": time["predicted_us"],
               "left_out": spec["id"] in SPINNING, "agrees": cause_of(time) == cause_of_stalls(counters),
               "causes": (cause_of(time), cause_of_stalls(counters))}


def steps_per_launch():
    steps = {}
    for lab in os.listdir(os.path.join(ROOT, "compute", "labs")):
        path = os.path.join(ROOT, "compute", "labs", lab, "lab.json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                for variant in json.load(file)["variants"]:
                    steps[lab, variant["id"]] = variant.get("steps_per_launch", 1)
    return steps


def labs(options):
    with open(os.path.join(ROOT, "assets", "measurements.json"), encoding="utf-8") as file:
        results = json.load(file)["results"]
    steps = steps_per_launch()
    runs = []
    for one in results:
        lab, name = one["lab"], f"{one['lab']}/{one['variant']}"
        large = one["size"] == "dram"
        if one["peer"] or lab in MORE_THAN_A_LAUNCH or name in NOT_MODELLED or (lab in FILLS_AT_L2 and not large):
            continue
        if (large and not options.dram) or one["median_ms"] > 3:
            continue
        gpu = "H200" if "H200" in one["device"] else "H100"
        command = [options.lanescope, "trace", name, "--no-validation", "--time", "--caches=warm", "--gpu", gpu, "--json"]
        for key, value in one["parameters"].items():
            command += ["--set", f"{key}={value}"]
        runs.append((one, lab, name, gpu, command))
    for (one, lab, name, gpu, _), (time, words) in zip(runs, options.pool.map(lambda each: run(each[-1]), runs)):
        if time is None:
            print(f"{name} {one['size']} was not predicted: {words}")
            continue
        launch = max(time["predicted_us"] - FLOOR_US + FOLLOWING_US, CPU_US)
        per_launch = one["median_ms"] * 1e3 * steps[lab, one["variant"]]
        yield {"kind": "lab", "name": f"{name} {one['size']}", "lab": lab, "size": one["size"], "gpu": gpu,
               "time": time, "measured": per_launch, "predicted": launch, "left_out": False}


def quantile(values, part):
    return sorted(values)[min(int(part * len(values)), len(values) - 1)]


def error(one):
    return abs(one["predicted"] / one["measured"] - 1)


def summary(title, some, median=None, most=None):
    """Prints the errors; returns true if they exceed limits."""
    if not some:
        print(f"{title}: none")
        return median is not None
    errors = [error(one) for one in some]
    middle, high = statistics.median(errors), quantile(errors, 0.9)
    exceeds = median is not None and (middle > median or high > most)
    print(f"{title}: {len(some)}, median {100 * middle:.1f} %, 90 % within {100 * high:.1f} %"
          + (f"  LIMITS {100 * median:.0f} % AND {100 * most:.0f} %" if exceeds else ""))
    return exceeds


def pairs(some):
    """Pairs of variants of a lab, of one size and GPU, whose measured times differ by more than 10 %."""
    right, wrong = 0, []
    for a, b in itertools.combinations(some, 2):
        if (a["lab"], a["size"], a["gpu"]) != (b["lab"], b["size"], b["gpu"]):
            continue
        if max(a["measured"], b["measured"]) < 1.1 * min(a["measured"], b["measured"]):
            continue
        if (a["measured"] < b["measured"]) == (a["predicted"] < b["predicted"]):
            right += 1
        else:
            wrong.append((a, b))
    return right, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--lanescope", default=os.path.join(ROOT, "build", "ci", "lanescope"))
    parser.add_argument("--dram", action="store_true")
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json")
    options = parser.parse_args()
    options.pool = concurrent.futures.ThreadPoolExecutor(options.jobs)
    kernels = list(public_kernels(options))
    variants = list(labs(options))
    used = [one for one in kernels if not one["left_out"]]
    long_ones = [one for one in used if one["measured"] >= LONG_US]
    failed = summary("labs' variants", variants, 0.12, 0.30)
    failed |= summary(f"public kernels of {LONG_US} us and more", long_ones, 0.20, 0.45)
    for half in (0, 1):
        summary(f"  half {half}", [one for one in long_ones if one["half"] == half])
    short = [abs(one["measured"] - one["predicted"]) for one in used if one["measured"] < LONG_US]
    if short:
        print(f"shorter public kernels: {len(short)}, median {statistics.median(short):.2f} us, "
              f"90 % within {quantile(short, 0.9):.2f} us")
    for limit in sorted({one["time"]["limited_by"] for one in used + variants}):
        summary(f"  limited by {limit}", [one for one in used + variants if one["time"]["limited_by"] == limit])
    agreeing = sum(one["agrees"] for one in used)
    print(f"cause of most stalls: {agreeing} of {len(used)} as in Nsight Compute; of the long ones "
          f"{sum(one['agrees'] for one in long_ones)} of {len(long_ones)}")
    right, wrong = pairs(variants)
    print(f"pairs of variants in the right order: {right} of {right + len(wrong)}")
    failed |= right < 0.95 * (right + len(wrong)) or not kernels or not variants
    if options.each:
        for one in sorted(used + variants, key=error, reverse=True):
            print(f"    {one['name']:40} measured {one['measured']:10.2f} us, predicted {one['predicted']:10.2f} "
                  f"{100 * (one['predicted'] / one['measured'] - 1):+7.1f} %  {one['time']['limited_by']}"
                  + ("" if one.get("agrees", True) else "  (cause: {} for {})".format(*one["causes"])))
        for a, b in wrong:
            print(f"    wrong order: {a['name']} {a['measured']:.1f} ({a['predicted']:.1f}), "
                  f"{b['name']} {b['measured']:.1f} ({b['predicted']:.1f})")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(kernels + variants, file)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
