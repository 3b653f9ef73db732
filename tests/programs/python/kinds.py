"""Ways to compile a kernel in Python, one per name: each prints its result, or ends as its name says."""
import ctypes
import os
import sys

import numpy as np
from numba import cuda

import cuda.bindings.driver as driver
import cuda.bindings.nvrtc as nvrtc
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

N = 1000


def saxpy(a, x, y, out):
    i = cuda_grid(1)
    if i < out.size:
        out[i] = a * x[i] + y[i]


cuda_grid = cuda.grid


def run_numba(kernel):
    x, y = np.arange(N, dtype=np.float32), np.ones(N, np.float32)
    out = cuda.device_array(N, np.float32)
    kernel[40, 32](np.float32(2), cuda.to_device(x), cuda.to_device(y), out)
    assert np.array_equal(out.copy_to_host(), 2 * x + y)
    print("saxpy", out.copy_to_host()[-1])


def default():
    run_numba(cuda.jit(saxpy))


def optimised():
    run_numba(cuda.jit(lto=True)(saxpy))


def debug():
    run_numba(cuda.jit(debug=True, opt=False)(saxpy))


def cached():
    run_numba(cuda.jit("void(float32, float32[::1], float32[::1], float32[::1])", cache=True)(saxpy))


def empty_tuples():
    """A type that Numba cannot describe to a debugger."""
    @cuda.jit
    def length(out, values):
        out[0] = len(values)

    out = cuda.device_array(1, np.int64)
    length[1, 1](out, ((), ()))
    print("length", out.copy_to_host()[0])


def linked():
    """A device function in CUDA C++, linked with a kernel in Python."""
    double = cuda.declare_device("doubled", "int32(int32)", link=cuda.CUSource(
        'extern "C" __device__ int doubled(int* out, int x) { *out = 2 * x; return 0; }'))

    @cuda.jit
    def kernel(out):
        out[cuda.threadIdx.x] = double(cuda.threadIdx.x)

    out = cuda.device_array(32, np.int32)
    kernel[1, 32](out)
    print("doubled", out.copy_to_host()[-1])


TEMPLATE = r"""
template <class T> __global__ void scale(T* values, T by, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) values[i] *= by;  // cpp: out_of_bounds
}
"""


def run_core(size):
    device = Device()
    device.set_current()
    stream = device.create_stream()
    program = Program(TEMPLATE, code_type="c++", options=ProgramOptions(arch=f"sm_{device.arch}"))
    kernel = program.compile("cubin", name_expressions=("scale<float>",)).get_kernel("scale<float>")
    values = cuda.to_device(np.ones(size, np.float32))
    launch(stream, LaunchConfig(grid=4, block=256), kernel, values.__cuda_array_interface__["data"][0],
           np.float32(3), np.int32(999))
    stream.sync()
    print("scale", values.copy_to_host()[-1])


def core():
    run_core(1000)


def core_with_mistake():
    run_core(999)


def compiler_error():
    status, program = nvrtc.nvrtcCreateProgram(b"__global__ void wrong() { x = 1; }", b"wrong.cu", 0, [], [])
    status, = nvrtc.nvrtcCompileProgram(program, 1, [b"--gpu-architecture=sm_90"])
    size = nvrtc.nvrtcGetProgramLogSize(program)[1]
    log = b" " * size
    nvrtc.nvrtcGetProgramLog(program, log)
    print(status.name, 'identifier "x" is undefined' in log.decode())


def by_name():
    """A function of the driver by the newest of its names, as Numba's older target looks it up."""
    cuda.current_context()
    driver = ctypes.CDLL("libcuda.so")
    function = getattr(driver, "cuCtxGetDevice_v2", None) or driver.cuCtxGetDevice
    device = ctypes.c_int(-1)
    print(function(ctypes.byref(device)), device.value)


WAITS = b"""
.version 7.5
.target sm_75
.address_size 64
.visible .entry _Z5waitsB2v1PVi(.param .u64 flag)
{
    .reg .pred %p;
    .reg .b32 %r;
    .reg .b64 %a;
    ld.param.u64 %a, [flag];
again:
    ld.volatile.global.u32 %r, [%a];
    setp.eq.u32 %p, %r, 0;
    @%p bra again;
    st.global.u32 [%a+4096], %r;
    ret;
}
\0"""


def at_end():
    """A kernel waits for the host until the process ends, and only then makes its mistake."""
    driver.cuInit(0)
    driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
    kernel = driver.cuModuleGetFunction(driver.cuModuleLoadData(WAITS)[1], b"_Z5waitsB2v1PVi")[1]
    address = int(driver.cuMemHostAlloc(4, 0)[1])
    flag = ctypes.c_int.from_address(address)
    flag.value = 0
    driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, ((address,), (ctypes.c_void_p,)), 0)  # at_end: out_of_bounds
    flag.value = 1
    print("queued")


def exception():
    default()
    raise ValueError("as written in the script")


def status():
    default()
    sys.exit(3)


def arguments():
    print(sys.argv[2:], __name__, os.path.basename(sys.argv[0]))


globals()[sys.argv[1]]()
