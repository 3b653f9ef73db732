#!/usr/bin/env python3
"""The Python module with the program for Windows under Wine: results, counts, findings, steps and pictures of a Numba
kernel must equal those with the program for this machine. Python itself is this machine's.

    .deps/numba/bin/python3 tests/windows/python_module.py      LANESCOPE_PROGRAM, LANESCOPE_EXECUTABLE: see run.sh
"""
import os
import pathlib
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "app/packaging/python"), str(ROOT / "tests")]

from programs import find_nvcc

os.environ.pop("CUDA_PATH", None)  # that of the program for Windows; kernels come to it as PTX
os.environ.setdefault("CUDA_HOME", os.path.dirname(os.path.dirname(os.path.realpath(find_nvcc()))))
import lanescope
import numpy as np
from numba import cuda

HERE = os.environ["LANESCOPE_PROGRAM"]
LAUNCH = (12, 20), (8, 8)
LINE = 1 + pathlib.Path(__file__).read_text(encoding="utf-8").split("\n").index("                total += image[y + dy, x + dx]")


@cuda.jit
def blur(image, out):
    y, x = cuda.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        total = 0.0
        for dy in range(3):
            for dx in range(3):
                total += image[y + dy, x + dx]
        out[y, x] = total / 9


def waves(height, width):
    y, x = np.mgrid[0:height, 0:width]
    return (np.sin(x / 9) * np.cos(y / 7)).astype(np.float32)


def everything(program):
    """What the module returns with this program, as plain values by name."""
    os.environ["LANESCOPE_PROGRAM"] = program
    out = np.zeros((96, 160), np.float32)
    image = waves(98, 162)
    traced = lanescope.trace(blur, *LAUNCH, image, out)
    found = lanescope.trace(blur, *LAUNCH, waves(96, 160), np.zeros_like(out), findings="return").findings
    compared = lanescope.compare(blur, blur, *LAUNCH, image, out)
    return {"result": out.tobytes(), "counts": traced.raw["totals"], "sites": traced.raw["sites"],
            "shown": repr(traced), "findings": found, "compared": repr(compared),
            "steps": str(lanescope.step(blur, *LAUNCH, image, out, commands=f"to {LINE}; where; vars")),
            "why": str(lanescope.why(blur, *LAUNCH, image, out, array="out", index=(3, 5))),
            "picture": lanescope.shot(blur, *LAUNCH, image, out, size="320x180", device="simt").data[:8]}


here, windows = everything(HERE), everything(str(ROOT / "tests/windows/program.sh"))
differ = [name for name in here if here[name] != windows[name]]
for name in differ:
    print(f"{name} differs:\n{str(here[name])[:600]}\n--- Windows:\n{str(windows[name])[:600]}")
assert here["findings"][0]["kind"] == "out_of_bounds" and here["findings"][0]["line"] == LINE, here["findings"]
sys.exit(1 if differ else print("the module with the program for Windows: equal") or 0)
