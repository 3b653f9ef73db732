"""Runs a Numba script's launches with lanescope.trace instead of a driver: arrays stay NumPy's.

    traced.py SCRIPT [ARGUMENT …]

Prints a line per launch with findings: its first finding's line, kind and message. Exits with 5 if there was one.
"""
import runpy
import sys

import lanescope
import numpy as np
from numba import cuda

found = []


class HostArray:
    """A NumPy array with the device array's method that scripts call."""

    def __init__(self, array):
        self.array = np.array(array)

    def copy_to_host(self):
        return self.array


class Kernel:
    def __init__(self, function, options):
        self.dispatcher = real_jit(**options)(function)

    def __getitem__(self, launch):
        def start(*arguments):
            arguments = [each.array if isinstance(each, HostArray) else each for each in arguments]
            result = lanescope.trace(self.dispatcher, *launch[:2], *arguments, findings="return")
            found.extend(result.findings[:1])
        return start


def jit(function=None, **options):
    if options.get("device"):
        return real_jit(function, **options)
    return Kernel(function, options) if function else lambda function: Kernel(function, options)


real_jit, cuda.jit = cuda.jit, jit
cuda.to_device = HostArray
cuda.device_array = lambda shape, dtype: HostArray(np.zeros(shape, dtype))
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
for finding in found:
    print(finding["line"], finding["kind"], finding["message"])
sys.exit(5 if found else 0)
