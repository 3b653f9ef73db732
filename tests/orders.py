#!/usr/bin/env python3
"""Runs kernels in other orders of their threads, and lists those whose result changes.

  tests/orders.py FOLDER [--orders N] [--first SEED] [--lanescope FILE]

FOLDER holds specs.jsonl, one launch a line (as for tests/gpu/foreign.sh); tests/kernels/orders is one. A spec may say
whether its result "changes", and the "arch" to compile for. Without that, two kinds of kernels may change: those that add
floating-point numbers atomically, since a sum is rounded in the order of arrival, and those that use the old value of an
integer atomic, since threads take places in that order. Status 1 if any other kernel changes, or if one that should change
does not.
"""
import argparse
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TAKES_PLACES = re.compile(r"\batom\.[\w.:]*(?:add|inc|exch)\.[usb](?:32|64)\b")
FLOAT_ATOMIC = re.compile(r"\b(?:atom|red)\.[\w.:]*add\.(?:noftz\.)?(?:f16|bf16|f32|f64)")


def in_folder(argument, folder):
    kind, colon, path = argument.partition(":file:")
    return f"{kind}:file:{os.path.join(folder, path.replace('DATA/', 'data/', 1))}" if colon else argument


def command(lanescope, folder, spec, orders, first=1):
    words = [lanescope, "emulate", os.path.join(folder, spec["file"]), "--kernel", spec["kernel"], "--grid", spec["grid"],
             "--block", spec["block"], "--orders", str(orders), "--order", str(first), "--json"]
    if spec.get("arch"):
        words += ["--arch", spec["arch"]]
    if spec.get("shared"):
        words += ["--shared", str(spec["shared"])]
    for argument in spec["args"]:
        words += ["--arg", in_folder(argument, folder)]
    return words


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder")
    options.add_argument("--orders", type=int, default=64)
    options.add_argument("--first", type=int, default=1)
    options.add_argument("--lanescope", default=os.path.join(ROOT, "build", "ci", "lanescope"))
    chosen = options.parse_args()
    unexpected = changed = total = 0
    with open(os.path.join(chosen.folder, "specs.jsonl"), encoding="utf-8") as specs:
        for spec in map(json.loads, specs):
            words = command(chosen.lanescope, chosen.folder, spec, chosen.orders, chosen.first)
            done = subprocess.run(words, capture_output=True, text=True)
            total += 1
            if done.returncode not in (0, 1):
                unexpected += 1
                print(f"{spec['kernel']}: status {done.returncode}: {done.stderr.strip()}")
                continue
            report = json.loads(done.stdout)["orders"]
            if not report["different"]:
                if spec.get("changes"):
                    unexpected += 1
                    print(f"{spec['kernel']}: the same in all {report['tried']} orders, which is not expected")
                continue
            changed += 1
            reason = "as expected" if spec.get("changes") else ""
            if "changes" not in spec:
                with open(os.path.join(chosen.folder, spec["file"]), encoding="utf-8") as text:
                    ptx = text.read()
                reason = ("adds floats atomically" if FLOAT_ATOMIC.search(ptx) else
                          "takes places by atomics" if TAKES_PLACES.search(ptx) else "")
            unexpected += not reason
            print(f"{spec['kernel']}: {len(report['different'])} of {report['tried']} orders"
                  f"{', ' + reason if reason else ''}: {report['first_difference']}")
    print(f"{total} launches, {chosen.orders} orders each: {changed} change, {unexpected} not as expected")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
