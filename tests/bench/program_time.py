#!/usr/bin/env python3
"""Overhead of a whole program over its kernels. Each program of program_time.cu is run by `lanescope program` with all
checks; then every one of its launches, captured with its memory by `program --keep`, is run alone by `lanescope emulate`
with all checks, and their times are added. Both use all cores, alternating for several rounds; prints medians of CPU time
(user and system, of all processes) and of wall time.

Each `emulate` process starts and reads memory, which the program does only once: all but one of these startups are
subtracted, each measured as `emulate` with the same memory and an empty kernel.

    tests/bench/program_time.py [--lanescope build/ci/lanescope] [--rounds 5] [--program FILE] [NAME …]
    tests/bench/program_time.py --launches        microseconds per launch, for 100,000 small ones

Needs nvcc, unless --program names a binary built from program_time.cu."""
import argparse
import glob
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(FOLDER))
PROGRAMS = ["matrix_multiply", "heat", "bodies", "mandelbrot", "reduction", "histogram", "transpose", "bitonic_sort"]
MANY = 100_000


def timed(command, log=None):
    """CPU and wall seconds of a command that must succeed."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    wall, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    if log is not None:
        log.append(done.stdout + done.stderr)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, wall


class Bench:
    def __init__(self, lanescope, program, folder):
        self.lanescope, self.program, self.folder = lanescope, program, folder

    def whole(self, name):
        log = []
        times = timed([self.lanescope, "program", self.program, "--launch-limit", "600", "--time-limit", "1200", "--",
                       name], log)
        if "PASSED" not in log[0] or " 0 faults, 0 warnings" not in log[0]:
            sys.exit(f"{name}: {log[0]}")
        return times

    def keep(self, name):
        kept = os.path.join(self.folder, name)
        log = []
        timed([self.lanescope, "program", self.program, "--json", "--launch-limit", "600", "--keep", kept,
               "--keep-limit", "65536", "--", name], log)
        launches = json.loads(log[0])["launches"]
        lost = [launch for launch in launches if "lab" not in launch]
        if lost or not launches:
            sys.exit(f"{name}: {len(launches)} launches, {lost[:1]}")
        return [launch["lab"] for launch in launches]

    def emptied(self, lab):
        """The same launch with an empty kernel."""
        folder = lab + "_emptied"
        shutil.copytree(lab, folder)
        for name in glob.glob(os.path.join(folder, "*.ptx")):
            with open(name, encoding="utf-8") as file:
                text = file.read()
            with open(name, "w", encoding="utf-8") as file:
                file.write(re.sub(r"(\.entry [^{]*)^\{$.*?^\}$", r"\1{\n\tret;\n}", text, flags=re.MULTILINE | re.DOTALL))
        return folder

    def alone(self, labs, emptied):
        """All launches, one process each, minus the startup of all processes but one."""
        starts = [timed([self.lanescope, "emulate", emptied]) for _ in range(3 if len(labs) > 1 else 0)]
        sums = [0.0, 0.0]
        for number, lab in enumerate(labs):
            times = timed([self.lanescope, "emulate", lab])
            for i in range(2):
                sums[i] += times[i] - (min(statistics.median(each[i] for each in starts), times[i]) if number else 0)
        return sums


def ratios(bench, names, rounds):
    labs = {name: bench.keep(name) for name in names}
    emptied = {name: bench.emptied(labs[name][0]) for name in names}
    rows = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            rows[name].append((*bench.whole(name), *bench.alone(labs[name], emptied[name])))
    print(f"{'program':<16} {'launches':>8} {'CPU s':>7} {'emulate':>8} {'ratio':>6} {'wall s':>7} {'emulate':>8} "
          f"{'ratio':>6}")
    worst = 0
    for name in names:
        whole_cpu, whole_wall, alone_cpu, alone_wall = (statistics.median(row[i] for row in rows[name])
                                                        for i in range(4))
        ratio = statistics.median(row[0] / row[2] for row in rows[name])
        wall = statistics.median(row[1] / row[3] for row in rows[name])
        worst = max(worst, ratio)
        print(f"{name:<16} {len(labs[name]):>8} {whole_cpu:>7.2f} {alone_cpu:>8.2f} {ratio:>6.2f} {whole_wall:>7.2f} "
              f"{alone_wall:>8.2f} {wall:>6.2f}")
    print(f"medians of {rounds} rounds; the largest ratio of CPU times is {worst:.2f}")
    return 0 if worst <= 1.2 else 1


def launches(bench, rounds):
    for name in ("empty_launches", "tiny_launches", "launches_with_memory", "launches_beside_memory"):
        rows = []
        for _ in range(rounds):
            without, times = bench.whole("no_launches"), bench.whole(name)
            rows.append([(times[i] - without[i]) / MANY * 1e6 for i in range(2)])
        cpu, wall = (statistics.median(row[i] for row in rows) for i in range(2))
        print(f"{name:<22} {cpu:>7.1f} µs of CPU time a launch, {wall:.1f} µs of wall time")
    return 0


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--lanescope", default=os.path.join(ROOT, "build", "ci", "lanescope"))
    options.add_argument("--program", help="what nvcc has built of program_time.cu")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--launches", action="store_true")
    options.add_argument("names", nargs="*", default=PROGRAMS)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = chosen.program
        if program is None:
            program = os.path.join(folder, "program_time")
            subprocess.run(["nvcc", "-std=c++17", "-O2", "-lineinfo", "-Xcompiler", "-g1", "-cudart", "shared",
                            "-gencode=arch=compute_75,code=compute_75", "-o", program,
                            os.path.join(FOLDER, "program_time.cu")], check=True)
        bench = Bench(chosen.lanescope, program, folder)
        if chosen.launches:
            return launches(bench, chosen.rounds)
        return ratios(bench, chosen.names or PROGRAMS, chosen.rounds)


if __name__ == "__main__":
    sys.exit(main())
