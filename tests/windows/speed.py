#!/usr/bin/python3
"""The machine's benchmark as a program for Windows under Wine, in turn with this machine's, one line at a time: the ratio of
their CPU times, which other work disturbs less than the clock, the best of three each. speed.py [FILTER], an expression for names of the
benchmark's lines; default: those on one core."""
import json
import os
import statistics
import subprocess
import sys

WINDOWS = ["wine", os.environ["LANESCOPE_BENCH"]]
LINUX = [os.path.join(os.path.dirname(os.environ["LANESCOPE_PROGRAM"]), "simt_bench")]
MIN_RATIO = 0.9


def output(program, *words):
    return subprocess.run([*program, *words], capture_output=True, check=True, stdin=subprocess.DEVNULL).stdout


def cpu_ns(program, name):
    """Per iteration. Wine counts a process's time in ticks of 10 ms, so a line runs for at least 400 ms of it."""
    unit_ns = {"ns": 1, "us": 1e3, "ms": 1e6}
    for min_s in (0.4, 1.6, 6.4):
        measured = json.loads(output(program, f"--benchmark_filter=^{name}$", f"--benchmark_min_time={min_s}",
                                     "--benchmark_format=json"))["benchmarks"][0]
        each_ns = measured["cpu_time"] * unit_ns[measured["time_unit"]]
        if each_ns * measured["iterations"] >= 4e8:
            break
    return each_ns


def main():
    chosen = sys.argv[1] if len(sys.argv) > 1 else "cores:1|special_functions|loads"
    names = output(LINUX, "--benchmark_list_tests", f"--benchmark_filter={chosen}").decode().split()
    ratios = []
    for name in names:
        rounds = [(cpu_ns(LINUX, name), cpu_ns(WINDOWS, name)) for _ in range(3)]
        here, there = (min(times) for times in zip(*rounds))
        ratios.append(here / there)
        print(f"{ratios[-1]:.3f}  {name}  {here / 1e6:.3f} ms here, {there / 1e6:.3f} ms there", flush=True)
    slow = sum(ratio < MIN_RATIO for ratio in ratios)
    print(f"median {statistics.median(ratios):.3f}, {slow} of {len(ratios)} below {MIN_RATIO}")
    sys.exit(1 if statistics.median(ratios) < MIN_RATIO else 0)


main()
