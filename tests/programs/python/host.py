"""Mistakes in Python host code, one per name: each is at the line that ends with "# NAME: KIND".

    host.py NAME            what the function of that name does
    host.py                 the names of those without a mistake, which print "right"
"""
import sys

import numpy as np
from numba import cuda

import cuda.bindings.driver as driver
import cuda.bindings.runtime as runtime
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

N = 256
EVERYTHING = {}


def program(function):
    EVERYTHING[function.__name__] = function
    return function


def checked(answer):
    status, *results = answer
    assert status == type(status)(0), status
    return results[0] if results else None


@cuda.jit
def double(values):
    i = cuda.grid(1)
    if i < values.size:
        values[i] *= 2


def upload(values):
    address = checked(driver.cuMemAlloc(values.nbytes))
    driver.cuMemcpyHtoD(address, values.ctypes.data, values.nbytes)
    return address


@program
def copy_too_long():
    cuda.current_context()
    values = np.zeros(N, np.float32)
    address = checked(driver.cuMemAlloc(values.nbytes - 4))
    driver.cuMemcpyHtoD(address, values.ctypes.data, values.nbytes)  # copy_too_long: out_of_bounds


@program
def copy_from_freed():
    cuda.current_context()
    values = np.zeros(N, np.float32)
    address = upload(values)
    driver.cuMemFree(address)
    driver.cuMemcpyDtoH(values.ctypes.data, address, values.nbytes)  # copy_from_freed: copy_direction


@program
def freed_twice():
    cuda.current_context()
    address = upload(np.zeros(N, np.float32))
    driver.cuMemFree(address)
    driver.cuMemFree(address)  # freed_twice: double_free


@program
def block_too_large():
    values = cuda.to_device(np.ones(N, np.float32))
    double[1, 2048](values)  # block_too_large: launch


@program
def core_block_too_large():
    device = Device()
    device.set_current()
    source = 'extern "C" __global__ void nothing() {}'
    built = Program(source, code_type="c++", options=ProgramOptions(arch=f"sm_{device.arch}"))
    kernel = built.compile("cubin").get_kernel("nothing")
    launch(device.create_stream(), LaunchConfig(grid=1, block=2048), kernel)  # core_block_too_large: launch


@program
def read_while_copying():
    values, host = cuda.to_device(np.ones(N, np.float32)), cuda.pinned_array(N, np.float32)
    stream = cuda.stream()
    values.copy_to_host(host, stream=stream)
    print(host[0])  # read_while_copying: host_race


@program
def managed_while_running():
    values = cuda.managed_array(N, np.float32)
    values[:] = 1
    double[8, 32](values)
    print(values[0])  # managed_while_running: host_race


@program
def runtime_copy_too_long():
    values = np.zeros(N, np.float32)
    address = checked(runtime.cudaMalloc(values.nbytes - 4))
    runtime.cudaMemcpy(address, values.ctypes.data, values.nbytes,  # runtime_copy_too_long: out_of_bounds
                       runtime.cudaMemcpyKind.cudaMemcpyHostToDevice)


@program
def pinned_filled():
    """The host waits for a fill of pinned memory."""
    host = cuda.pinned_array(N, np.uint8)
    checked(driver.cuMemsetD8(host.ctypes.data, 7, N))
    assert (host == 7).all()
    checked(runtime.cudaMemset(host.ctypes.data, 9, N))
    assert (host == 9).all()


@program
def pinned_filled_beside():
    """It does not for a fill that is asynchronous by its name."""
    host = cuda.pinned_array(N, np.uint8)
    stream = cuda.stream()
    checked(driver.cuMemsetD8Async(host.ctypes.data, 7, N, stream.handle))
    print(host[0])  # pinned_filled_beside: host_race


@program
def with_runtime():
    """Everything that a program needs, through the bindings of the runtime."""
    values = np.arange(N, dtype=np.float32)
    address = checked(runtime.cudaMalloc(values.nbytes))
    to_device, to_host = (runtime.cudaMemcpyKind(1), runtime.cudaMemcpyKind(2))
    checked(runtime.cudaMemcpy(address, values.ctypes.data, values.nbytes, to_device))
    stream, event = checked(runtime.cudaStreamCreate()), checked(runtime.cudaEventCreate())
    checked(runtime.cudaMemsetAsync(address, 0, 4 * (N // 2), stream))
    checked(runtime.cudaEventRecord(event, stream))
    checked(runtime.cudaEventSynchronize(event))
    assert checked(runtime.cudaGetDeviceCount()) == 1
    properties = checked(runtime.cudaGetDeviceProperties(0))
    assert properties.multiProcessorCount > 0 and properties.warpSize == 32
    result = np.empty_like(values)
    checked(runtime.cudaMemcpy(result.ctypes.data, address, values.nbytes, to_host))
    assert not result[:N // 2].any() and (result[N // 2:] == values[N // 2:]).all()
    assert runtime.cudaMemcpy(0, 0, 4, to_host)[0] == runtime.cudaError_t.cudaErrorInvalidValue
    checked(runtime.cudaEventDestroy(event))
    checked(runtime.cudaStreamDestroy(stream))
    checked(runtime.cudaFree(address))


if len(sys.argv) > 1:
    EVERYTHING[sys.argv[1]]()
else:
    for right in (pinned_filled, with_runtime):
        right()
        print(right.__name__, "right")
