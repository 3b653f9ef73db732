#!/usr/bin/env python3
"""Runs kernels that Triton compiled (tests/gpu/triton_kernels.py) on the simulator and compares their buffers with the GPU's, bit by bit.

    tests/triton.py PROGRAM FOLDER [NAME …]

Prints a row per kernel; exits with 1 if one is refused, has a finding, or differs.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

TYPES = {"torch.float32": "f32", "torch.int32": "i32", "torch.int64": "i64", "torch.int8": "i8", "torch.uint8": "u8"}


def parameters(text):
    """Types of the kernel's parameters, as PTX names them."""
    head = text[text.index(".entry"):]
    return re.findall(r"\.param\s+(?:\.align\s+\d+\s+)?\.(\w+)", head[:head.index(")")])


def count(shape):
    total = 1
    for each in shape:
        total *= each
    return total


def compare(program, folder, name):
    with open(os.path.join(folder, name + ".json")) as file:
        launch = json.load(file)
    path = os.path.join(folder, name + ".ptx")
    with open(path) as file:
        wanted = parameters(file.read())
    command = [program, "emulate", path, "--kernel", launch["kernel"], "--grid", ",".join(map(str, launch["grid"])),
               "--block", str(32 * launch["num_warps"]), "--shared", str(launch["shared"]), "--device", "simt"]
    dumps = {}
    with tempfile.TemporaryDirectory() as out:
        for position, argument in enumerate(launch["args"]):
            if "buffer" in argument:
                number = argument["buffer"]
                data = os.path.join(folder, f"{name}.{number}.in")
                kind = TYPES.get(argument["dtype"], "u16" if os.path.getsize(data) == 2 * count(argument["shape"]) else "u8")
                width = 4 if kind in ("f32", "i32") else 8 if kind == "i64" else 2 if kind == "u16" else 1
                command += ["--arg", f"{kind}[{os.path.getsize(data) // width}]:file:{data}"]
                dumps[number] = os.path.join(out, str(number))
                command += ["--dump", f"{position}:{dumps[number]}"]
            else:
                command += ["--arg", f"{'f32' if isinstance(argument['scalar'], float) else 'i32'}:{argument['scalar']}"]
        scratch = max(launch.get("global_scratch", 0), 16) * count(launch["grid"])
        for _ in wanted[len(launch["args"]):]: # scratch memory of Triton
            command += ["--arg", f"u8[{scratch}]:zero"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            return f"status {done.returncode}: {(done.stderr or done.stdout).strip()[:200]}"
        for number, dump in dumps.items():
            with open(dump, "rb") as file, open(os.path.join(folder, f"{name}.{number}.out"), "rb") as of_gpu:
                mine, theirs = file.read(), of_gpu.read()
            if mine != theirs:
                differ = sum(a != b for a, b in zip(mine, theirs))
                return f"differs: {differ} of {len(theirs)} bytes of buffer {number}"
    return "equal"


def main():
    program, folder = sys.argv[1:3]
    names = sys.argv[3:] or sorted(each[:-5] for each in os.listdir(folder) if each.endswith(".json"))
    failed = 0
    for name in names:
        found = compare(program, folder, name)
        failed += found != "equal"
        print(f"{name:<20} {found}", flush=True)
    print(f"{len(names) - failed} of {len(names)} equal")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
