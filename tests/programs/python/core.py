"""Kernels in CUDA C++ that cuda.core compiles, each as it should be and with one mistake (WRONG is defined).

    core.py                 all as they should be
    core.py NAME …          these with their mistakes, whose lines end with "// NAME: KIND"
"""
import os
import sys

import numpy as np

import core_sources
import cuda.bindings.driver as driver
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

N = 1000
EXERCISES = {}


def exercise(function):
    EXERCISES[function.__name__] = function
    return function


def compiled(source, name, code, wrong):
    options = ProgramOptions(arch=f"sm_{Device().arch}", define_macro="WRONG" if wrong else None)
    return Program(source, code_type="c++", options=options).compile(code, name_expressions=(name,)).get_kernel(name)


def checked(answer):
    status, *results = answer
    if status != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(status.name)
    return results


class Array:
    """A NumPy array and its copy on the device."""

    def __init__(self, device, values):
        self.values, self.stream = values, device.create_stream()
        self.buffer = device.allocate(values.nbytes, stream=self.stream)
        self.stream.sync()
        checked(driver.cuMemcpyHtoD(int(self.buffer.handle), values.ctypes.data, values.nbytes))

    def launch(self, kernel, grid, block, *arguments, shared=0):
        launch(self.stream, LaunchConfig(grid=grid, block=block, shmem_size=shared), kernel, self.buffer, *arguments)

    def result(self):
        self.stream.sync()
        result = np.empty_like(self.values)
        checked(driver.cuMemcpyDtoH(result.ctypes.data, int(self.buffer.handle), result.nbytes))
        return result


SCALE = r"""
template <class T> __global__ void scale(T* values, T by, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef WRONG
    if (i <= n) values[i] *= by;  // scale: out_of_bounds
#else
    if (i < n) values[i] *= by;
#endif
}
"""


@exercise
def scale(device, wrong):
    values = Array(device, np.ones(N, np.float32))
    values.launch(compiled(SCALE, "scale<float>", "cubin", wrong), 4, 256, np.float32(3), np.int32(N))
    return values.result(), 3


@exercise
def power(device, wrong):
    """A format string: the lines with braces are not those that are compiled."""
    exponent = 3
    source = f"""
extern "C" __global__ void power(float* values, int n)
{{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float result = 1;
    for (int k = 0; k < {exponent}; ++k) result *= values[i];
#ifdef WRONG
    values[0] = result;  // power: race
#else
    values[i] = result;
#endif
}}
"""
    values = Array(device, np.full(N, 2, np.float32))
    values.launch(compiled(source, "power", "ptx", wrong), 4, 256, np.int32(N))
    return values.result(), 8


@exercise
def reverse(device, wrong):
    values = Array(device, np.arange(128, dtype=np.float32))
    values.launch(compiled(core_sources.REVERSE, "reverse", "cubin", wrong), 1, 128)
    return values.result(), np.arange(128)[::-1]


HEADER = r"""
struct Sum {
    float total;
    int count;
};
__device__ void add(Sum* sum, float value)
{
#ifdef WRONG
    sum->total += value;  // mean: race
#else
    atomicAdd(&sum->total, value);
#endif
    atomicAdd(&sum->count, 1);
}
"""


@exercise
def mean(device, wrong):
    """A text that is put together from two."""
    kernel = r"""
extern "C" __global__ void mean(float* values, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) add(reinterpret_cast<Sum*>(values + n), values[i]);
}
"""
    values = Array(device, np.append(np.arange(N), [0, 0]).astype(np.float32))
    values.launch(compiled(HEADER + kernel, "mean", "cubin", wrong), 4, 256, np.int32(N))
    result = values.result()
    return [result[N], result[N + 1:].view(np.int32)[0]], [np.arange(N).sum(), N]


@exercise
def one_line(device, wrong):
    values = Array(device, np.zeros(32, np.int32))
    source = 'extern "C" __global__ void one_line(int* values, int n) { values[threadIdx.x + n] = 1; }'  # one_line: out_of_bounds
    values.launch(compiled(source, "one_line", "cubin", wrong), 1, 32, np.int32(1 if wrong else 0))
    return values.result(), 1


@exercise
def dynamic_shared_memory(device, wrong):
    source = r"""
extern "C" __global__ void shift(int* values)
{
    extern __shared__ int own[];
    const int t = threadIdx.x;
    own[t] = values[t];
    __syncthreads();
    values[t] = own[(t + 1) % blockDim.x];
#ifdef WRONG
    if (t == 0) values[1] = own[blockDim.x];  // dynamic_shared_memory: out_of_bounds
#endif
}
"""
    values = Array(device, np.arange(64, dtype=np.int32))
    values.launch(compiled(source, "shift", "ptx", wrong), 1, 64, shared=64 * 4)
    return values.result(), np.roll(np.arange(64), -1)


def run(name, wrong):
    device = Device()
    device.set_current()
    try:
        got, wanted = EXERCISES[name](device, wrong)
        print(name, "right" if np.allclose(got, wanted) else "WRONG")
    except Exception as error:
        print(name, type(error).__name__)


if len(sys.argv) == 1:
    for each in EXERCISES:
        run(each, False)
for each in sys.argv[1:]:
    sys.stdout.flush()
    if os.fork() == 0: # some mistakes end the context
        run(each, True)
        break
    os.wait()
