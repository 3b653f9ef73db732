#!/usr/bin/env python3
"""Compares the windows of two programs, alternating: frames per second, the first picture, and CPU time per
frame, which other work on the machine affects least.

    xvfb-run -a -s "-screen 0 1280x720x24" tests/bench/window_beside.py THIS OTHER [LAB ...]

Labs open with their defaults on the lockstep machine; by default, all labs that both programs have.
With --first, both run at the highest priority (needs the permission to).
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import tempfile
from pathlib import Path


def labs_of(program):
    listed = subprocess.run([program, "list", "--json"], capture_output=True, check=True).stdout
    return [lab["id"] for lab in json.loads(listed)["labs"]]


def processor_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def come_first():
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


def run(program, lab, options, home):
    report = Path(home) / "report.json"
    before = processor_s()
    subprocess.run([program, "--lab", lab, "--device", "simt", "--report", report, "--size",
                    options.size, "--exit-after", str(options.seconds)],
                   env=dict(os.environ, HOME=home, XDG_STATE_HOME=home), check=True,
                   preexec_fn=come_first if options.first else None,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    said = json.loads(report.read_text())
    return (said["pictures_per_s"], said["frames_per_s"], said["first_picture_s"],
            1e3 * (processor_s() - before) / max(said["frames"], 1))


def main():
    parse = argparse.ArgumentParser(description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("this")
    parse.add_argument("other")
    parse.add_argument("labs", nargs="*")
    parse.add_argument("--rounds", type=int, default=5)
    parse.add_argument("--seconds", type=float, default=4)
    parse.add_argument("--size", default="1280x720")
    parse.add_argument("--first", action="store_true")
    options = parse.parse_args()
    programs = [options.this, options.other]
    others = labs_of(options.other)
    labs = options.labs or [lab for lab in labs_of(options.this) if lab in others]
    print(f"{'lab':<20}{'pictures/s':>22}{'':>7}{'frames/s':>14}{'first picture, s':>20}"
          f"{'processor ms a frame':>24}")
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        for lab in labs:
            rounds = {0: [], 1: []}
            for number in range(options.rounds):
                for which in (0, 1) if number % 2 == 0 else (1, 0):
                    rounds[which].append(run(programs[which], lab, options, (one, two)[which]))
            this, other = ([statistics.median(values) for values in zip(*rounds[which])]
                           for which in (0, 1))
            ratio = f"{this[0] / other[0]:.3f}" if other[0] else "-"
            print(f"{lab:<20}{this[0]:>10.1f} and {other[0]:<7.1f}{ratio:>7}"
                  f"{this[1]:>7.1f} {other[1]:<6.1f}{this[2]:>11.3f} {other[2]:<8.3f}"
                  f"{this[3]:>12.1f} {other[3]:<8.1f}", flush=True)


if __name__ == "__main__":
    main()
