#!/usr/bin/env python3
"""Starts programs on the lockstep machine with limits of time and memory, and kills `lanescope program` at a
random moment: no process, folder or shared memory may remain.

    tests/program_kills.py [--lanescope build/ci/lanescope] [--count 1000] [--seed N] PROGRAM [ARGS…]
"""
import argparse
import glob
import os
import random
import signal
import subprocess
import sys
import tempfile
import time


def processes_with(mark):
    found = []
    for entry in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(entry, "rb") as text:
                if mark in text.read():
                    found.append(int(entry.split("/")[2]))
        except OSError:
            continue
    return [pid for pid in found if pid != os.getpid()]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--lanescope", default="build/ci/lanescope")
    options.add_argument("--count", type=int, default=1000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("program")
    options.add_argument("arguments", nargs="*")
    chosen = options.parse_args()
    dice = random.Random(chosen.seed)
    left = {"processes": 0, "folders": 0, "shared memory": 0}
    ends = {}
    shared = set(os.listdir("/dev/shm"))
    with tempfile.TemporaryDirectory() as folder:
        for i in range(chosen.count):
            mark = f"LANESCOPE_KILL_TEST={os.getpid()}-{i}"
            name, value = mark.split("=")
            running = subprocess.Popen(
                [chosen.lanescope, "program", chosen.program, "--time-limit", str(dice.uniform(0.1, 2)),
                 "--memory-limit", str(dice.choice([256, 1024, 8192])), "--", *chosen.arguments],
                env={**os.environ, name: value, "TMPDIR": folder}, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
            time.sleep(dice.uniform(0, 0.6))
            chosen_signal = dice.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, None])
            if chosen_signal is not None:
                running.send_signal(chosen_signal)
            running.wait()
            ends[str(chosen_signal)] = ends.get(str(chosen_signal), 0) + 1
            for _ in range(100):
                rest = processes_with(mark.encode())
                if not rest and not os.listdir(folder):
                    break
                time.sleep(0.05)
            left["processes"] += len(rest)
            left["folders"] += len(os.listdir(folder))
    left["shared memory"] = len(set(os.listdir("/dev/shm")) - shared)
    print(f"{chosen.count} starts ({ends}); left behind: {left}")
    return 1 if any(left.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
