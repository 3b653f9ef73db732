#!/usr/bin/env python3
"""Times the sums of blocks of 256 elements: `lanescope.trace`, which counts and checks, beside Numba's own simulator.

    .deps/numba/bin/python3 tests/programs/python/block_sum.py [ELEMENTS] [--rounds N] [--simulator SECONDS]
        [--lanescope build/ci/lanescope]

ELEMENTS is 1048576 unless given. Numba's simulator needs about 20 minutes for so many; --simulator takes its time
from an earlier run. The first trace compiles native code, so the best of the rounds is one with warm code."""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

import numba
import numpy as np
from numba import cuda

ROOT = pathlib.Path(__file__).resolve().parents[3]
THREADS = 256


@cuda.jit
def block_sum(values, sums):
    partial = cuda.shared.array(THREADS, numba.int32)
    lane = cuda.threadIdx.x
    i = cuda.grid(1)
    partial[lane] = values[i] if i < values.size else 0
    cuda.syncthreads()
    offset = THREADS // 2
    while offset > 0:
        if lane < offset:
            partial[lane] += partial[lane + offset]
        cuda.syncthreads()
        offset //= 2
    if lane == 0:
        sums[cuda.blockIdx.x] = partial[0]


def run(launch, elements):
    """Seconds that one launch takes, and its result."""
    data = np.random.default_rng(1).integers(-1000, 1000, elements, np.int32)
    sums = np.zeros(-(-elements // THREADS), np.int32)
    start = time.perf_counter()
    launch(len(sums), data, sums)
    elapsed = time.perf_counter() - start
    padded = np.zeros(len(sums) * THREADS, np.int32)
    padded[:elements] = data
    if not np.array_equal(sums, padded.reshape(-1, THREADS).sum(1)):
        sys.exit("The sums are wrong.")
    return elapsed


def simulate(elements):
    print(run(lambda blocks, data, sums: block_sum[blocks, THREADS](data, sums), elements))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("elements", nargs="?", type=int, default=1 << 20)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--simulator", type=float, help="seconds that Numba's simulator took, instead of running it")
    options.add_argument("--simulate", action="store_true", help=argparse.SUPPRESS)
    options.add_argument("--lanescope", default=ROOT / "build/ci/lanescope")
    chosen = options.parse_args()
    if chosen.simulate:
        return simulate(chosen.elements)
    sys.path.insert(0, str(ROOT / "app/packaging/python"))
    sys.path.insert(0, str(ROOT / "tests"))
    from programs import find_nvcc
    sys.path.pop(0)  # its triton.py is not Triton
    os.environ.setdefault("CUDA_HOME", os.path.dirname(os.path.dirname(os.path.realpath(find_nvcc()))))
    os.environ.setdefault("LANESCOPE_PROGRAM", os.path.abspath(chosen.lanescope))
    import lanescope
    times = [run(lambda blocks, data, sums: lanescope.trace(block_sum, blocks, THREADS, data, sums), chosen.elements)
             for _ in range(chosen.rounds)]
    print("trace: " + ", ".join(f"{each:.2f}" for each in times) +
          f" s; median {statistics.median(times):.2f}, best {min(times):.2f}", flush=True)
    seconds = chosen.simulator
    if seconds is None:
        seconds = float(subprocess.run([sys.executable, __file__, str(chosen.elements), "--simulate"], check=True,
                                       capture_output=True, text=True,
                                       env=dict(os.environ, NUMBA_ENABLE_CUDASIM="1")).stdout)
    print(f"Numba's simulator: {seconds:.1f} s; {seconds / statistics.median(times):.0f} times the median, "
          f"{seconds / min(times):.0f} times the best")
    return 0


if __name__ == "__main__":
    sys.exit(main())
