"""Kernels as students hand them in, each as it should be and with one mistake.

    homework.py             all as they should be
    homework.py NAME …      these with their mistakes, whose lines end with "# NAME: KIND"
"""
import cmath
import math
import os
import sys

import numba
import numpy as np
from numba import cuda

import cuda.bindings.driver as driver
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

N = 1000
THREADS = 128
EXERCISES = {}


def exercise(function):
    EXERCISES[function.__name__] = function
    return function


def numbers(*shape):
    return (np.arange(np.prod(shape)) * 7 % 23).astype(np.float32).reshape(shape)


def device():
    result = Device()
    result.set_current()
    return result


def compiled(source, name):
    program = Program(source, code_type="c++", options=ProgramOptions(arch=f"sm_{device().arch}"))
    return program.compile("cubin", name_expressions=(name,)).get_kernel(name)


def address(array):
    return array.__cuda_array_interface__["data"][0]


@exercise
def slices(wrong):
    """Every second element of an array, without a copy."""
    @cuda.jit
    def shift(values, size):
        i = cuda.grid(1)
        if i < size:
            values[i] += 10  # slices: out_of_bounds

    values = cuda.to_device(numbers(N))
    shift[8, THREADS](values[1::2], N if wrong else N // 2)
    wanted = numbers(N)
    wanted[1::2] += 10
    return values.copy_to_host(), wanted


@exercise
def columns(wrong):
    """Sums of the columns of an array in Fortran's order."""
    @cuda.jit
    def add(a, sums):
        own = cuda.shared.array(64, numba.float32)
        t, column = cuda.threadIdx.x, cuda.blockIdx.x
        own[t] = a[t, column] if t < a.shape[0] else 0
        half = 32
        while half > 0:
            cuda.syncthreads()
            if t < half:
                own[t] += own[t + half]
            half //= 2
        if t == 0:
            if wrong:
                sums[column + 1] = own[0]  # columns: out_of_bounds
            else:
                sums[column] = own[0]

    a, sums = np.asfortranarray(numbers(50, 30)), cuda.device_array(30, np.float32)
    add[30, 64](cuda.to_device(a), sums)
    return sums.copy_to_host(), a.sum(axis=0)


@exercise
def accumulate_uninitialised(wrong):
    @cuda.jit
    def add(values, sums):
        i = cuda.grid(1)
        if i < values.size:
            cuda.atomic.add(sums, i % 10, values[i])  # accumulate_uninitialised: uninitialised

    sums = cuda.device_array(10, np.float32)
    if not wrong:
        sums.copy_to_device(np.zeros(10, np.float32))
    add[8, THREADS](cuda.to_device(numbers(N)), sums)
    return sums.copy_to_host(), numbers(100, 10).sum(axis=0)


@exercise
def lock(wrong):
    """Threads of several blocks take turns."""
    @cuda.jit
    def deposit(mutex, account):
        if cuda.threadIdx.x == 0:
            if not wrong:
                while cuda.atomic.cas(mutex, 0, 0, 1) != 0:
                    pass
                cuda.threadfence()
            account[0] += 5  # lock: race
            account[1] += 1
            if not wrong:
                cuda.threadfence()
                cuda.atomic.exch(mutex, 0, 0)

    mutex, account = cuda.to_device(np.zeros(1, np.int32)), cuda.to_device(np.zeros(2, np.int32))
    deposit[20, 32](mutex, account)
    return account.copy_to_host(), [100, 20]


@exercise
def last_block(wrong):
    """The block that finishes last adds all partial sums."""
    @cuda.jit
    def add(values, partial, count, total):
        last = cuda.shared.array(1, numba.boolean)
        own = cuda.shared.array(THREADS, numba.float32)
        t, i = cuda.threadIdx.x, cuda.grid(1)
        own[t] = values[i] if i < values.size else 0
        half = THREADS // 2
        while half > 0:
            cuda.syncthreads()
            if t < half:
                own[t] += own[t + half]
            half //= 2
        if t == 0:
            partial[cuda.blockIdx.x] = own[0]
            if not wrong:
                cuda.threadfence()
            last[0] = cuda.atomic.add(count, 0, 1) == cuda.gridDim.x - 1
        cuda.syncthreads()
        if last[0] and t == 0:
            cuda.threadfence()
            result = numba.float32(0)
            for k in range(cuda.gridDim.x):
                result += partial[k]  # last_block: race
            total[0] = result

    partial, count, total = (cuda.device_array(8, np.float32), cuda.to_device(np.zeros(1, np.int32)),
                             cuda.device_array(1, np.float32))
    add[8, THREADS](cuda.to_device(numbers(N)), partial, count, total)
    return total.copy_to_host(), [numbers(N).sum()]


@exercise
def butterfly(wrong):
    @cuda.jit
    def add(values, out):
        i = cuda.grid(1)
        total = values[i]
        mask = 0xffff if wrong else 0xffffffff
        for bit in range(5):
            total += cuda.shfl_xor_sync(mask, total, 1 << bit)  # butterfly: warp_sync
        out[i] = total

    values, out = numbers(THREADS), cuda.device_array(THREADS, np.float32)
    add[1, THREADS](cuda.to_device(values), out)
    return out.copy_to_host(), np.repeat(values.reshape(-1, 32).sum(axis=1), 32)


@exercise
def nested_records(wrong):
    particle = np.dtype([("kind", np.int8), ("position", np.float64, (3,)), ("mass", np.float32)], align=True)

    @cuda.jit
    def scale(particles):
        i = cuda.grid(1)
        if i < particles.size:
            for k in range(5 if wrong else 3):
                particles[i].position[k] *= particles[i].mass  # nested_records: out_of_bounds

    particles = np.zeros(N, particle)
    particles["position"], particles["mass"] = numbers(N, 3), 2
    device = cuda.to_device(particles)
    scale[8, THREADS](device)
    return device.copy_to_host()["position"], 2 * numbers(N, 3)


@exercise
def mapped(wrong):
    """The host reads memory that the kernel writes."""
    @cuda.jit
    def fill(out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = i * i

    out = cuda.mapped_array(N, np.int32)
    fill[8, THREADS](out)
    if not wrong:
        cuda.synchronize()
    return [out.sum()], [(np.arange(N) ** 2).sum()]  # mapped: host_race


@exercise
def two_streams(wrong):
    @cuda.jit
    def double(values, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = 2 * values[i]

    first, second, done = cuda.stream(), cuda.stream(), cuda.event()
    values = cuda.to_device(numbers(N))
    between, out = cuda.device_array(N, np.float32), cuda.device_array(N, np.float32)
    double[8, THREADS, first](values, between)
    if not wrong:
        done.record(first)
        done.wait(second)
    double[8, THREADS, second](between, out)  # two_streams: unordered
    second.synchronize()
    return out.copy_to_host(), 4 * numbers(N)


@exercise
def pinned_pipeline(wrong):
    """Chunks through one pinned buffer; the host must not fill it before its copy is done."""
    @cuda.jit
    def square(values):
        i = cuda.grid(1)
        if i < values.size:
            values[i] *= values[i]

    stream, staging = cuda.stream(), cuda.pinned_array(THREADS, np.float32)
    chunks = [cuda.device_array(THREADS, np.float32) for _ in range(3)]
    for k, chunk in enumerate(chunks):
        staging[:] = k + 1  # pinned_pipeline: host_race
        chunk.copy_to_device(staging, stream=stream)
        square[1, THREADS, stream](chunk)
        if not wrong:
            stream.synchronize()
    stream.synchronize()
    return [chunk.copy_to_host()[5] for chunk in chunks], [1, 4, 9]


@exercise
def barrier_in_branch(wrong):
    @cuda.jit
    def shift(values):
        own = cuda.shared.array(THREADS, numba.float32)
        t = cuda.threadIdx.x
        own[t] = values[t]
        if wrong:
            if t < 100:
                cuda.syncthreads()  # barrier_in_branch: partial_barrier
                values[t] = own[t + 1]
        else:
            cuda.syncthreads()
            if t < 100:
                values[t] = own[t + 1]

    values = cuda.to_device(numbers(THREADS))
    shift[1, THREADS](values)
    return values.copy_to_host()[:100], numbers(THREADS)[1:101]


@exercise
def tile_too_small(wrong):
    columns = 8 if wrong else 16

    @cuda.jit
    def flip(a, out):
        tile = cuda.shared.array((16, columns), numba.float32)
        x, y = cuda.grid(2)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        tile[ty, tx] = a[y, x]  # tile_too_small: race
        cuda.syncthreads()
        out[y, x] = tile[ty, 15 - tx]

    a, out = numbers(32, 48), cuda.device_array((32, 48), np.float32)
    flip[(3, 2), (16, 16)](cuda.to_device(a), out)
    return out.copy_to_host(), a.reshape(32, 3, 16)[:, :, ::-1].reshape(32, 48)


@exercise
def sparse_rows(wrong):
    """A sparse matrix by a vector; row i reaches from offsets[i] to offsets[i + 1]."""
    @cuda.jit
    def multiply(offsets, columns, values, x, out):
        row = cuda.grid(1)
        if row < (offsets.size if wrong else out.size):
            total = 0.0
            for k in range(offsets[row], offsets[row + 1]):  # sparse_rows: out_of_bounds
                total += values[k] * x[columns[k]]
            out[row] = total

    dense = numbers(90, 70).astype(np.float64) * (numbers(90, 70) > 15)
    rows, columns = np.nonzero(dense)
    offsets = np.searchsorted(rows, np.arange(91)).astype(np.int32)
    x, out = np.arange(70.0), cuda.device_array(90)
    columns = columns.astype(np.int32)
    given = [cuda.to_device(array) for array in (offsets, columns, dense[rows, columns], x)]
    multiply[1, 128](*given, out)
    return out.copy_to_host(), dense @ x


@exercise
def colours(wrong):
    """Bytes of a picture with three channels."""
    @cuda.jit
    def grey(picture, out):
        y, x = cuda.grid(2)
        if y < out.shape[0] and x < out.shape[1]:
            channel = 3 if wrong else 2
            total = numba.uint32(0)
            total += picture[y, x, 0]
            total += picture[y, x, 1]
            total += picture[y, x, channel]  # colours: out_of_bounds
            out[y, x] = total // 3

    picture, out = (numbers(30, 50, 3) * 11).astype(np.uint8), cuda.device_array((30, 50), np.uint8)
    grey[(4, 7), (8, 8)](cuda.to_device(picture), out)
    return out.copy_to_host(), picture.sum(axis=2, dtype=np.uint32) // 3


@exercise
def best_of_rows(wrong):
    """The largest value of each row and where it is, by atomics on elements of a plane."""
    @cuda.jit
    def largest(a, best):
        y, x = cuda.grid(2)
        if y < a.shape[0] and x < a.shape[1]:
            if wrong:
                if a[y, x] > best[y, 0]:
                    best[y, 0] = a[y, x]  # best_of_rows: race
            else:
                cuda.atomic.max(best, (y, 0), a[y, x])

    a, best = numbers(20, 33), cuda.to_device(np.zeros((20, 2), np.float32))
    largest[(3, 5), (8, 8)](cuda.to_device(a), best)
    return best.copy_to_host()[:, 0], a.max(axis=1)


@exercise
def special_functions(wrong):
    @cuda.jit
    def compute(x, out):
        i = cuda.grid(1)
        if i < x.size:
            v = x[i]
            out[0, i] = math.sin(v) * math.exp(-v) + math.log1p(v)
            out[1, i] = math.pow(v, 1.5) + math.atan2(v, 2.0) + math.erf(v)
            out[2, i] = math.lgamma(v + 1) + math.tanh(v) + math.hypot(v, 1.0)
            out[3, i] = abs(cmath.exp(complex(0, v)) * complex(v, 1)) + math.fmod(v, 0.3)
            if wrong:
                out[4, i] = 0  # special_functions: out_of_bounds

    x, out = np.linspace(0.1, 3, 200), cuda.device_array((4, 200))
    compute[2, THREADS](cuda.to_device(x), out)
    erf, lgamma = [math.erf(v) for v in x], [math.lgamma(v + 1) for v in x]
    return out.copy_to_host(), [np.sin(x) * np.exp(-x) + np.log1p(x), x ** 1.5 + np.arctan2(x, 2) + erf,
                                lgamma + np.tanh(x) + np.hypot(x, 1), np.hypot(x, 1) + np.fmod(x, 0.3)]


@exercise
def freed(wrong):
    """A view of another package's array, which must be alive while a kernel uses it."""
    @cuda.jit
    def double(values):
        i = cuda.grid(1)
        if i < values.size:
            values[i] *= 2  # freed: out_of_bounds

    owner = cuda.to_device(numbers(N))
    view = cuda.from_cuda_array_interface(owner.__cuda_array_interface__)
    if wrong:
        del owner
        cuda.current_context().memory_manager.deallocations.clear()
    double[8, THREADS](view)
    return view.copy_to_host(), 2 * numbers(N)


@exercise
def signals(wrong):
    """Block 1 waits for block 0's data."""
    @cuda.jit
    def relay(data, flag, out):
        t = cuda.threadIdx.x
        if cuda.blockIdx.x == 0:
            data[t] = 3 * t
            if not wrong:
                cuda.threadfence()
            cuda.syncthreads()
            if t == 0:
                cuda.atomic.exch(flag, 0, 1)
        else:
            if t == 0:
                while cuda.atomic.add(flag, 0, 0) == 0:
                    pass
                if not wrong:
                    cuda.threadfence()
            if not wrong:
                cuda.syncthreads()
            out[t] = data[t]  # signals: race

    data, out = cuda.device_array(64, np.int32), cuda.device_array(64, np.int32)
    flag = cuda.to_device(np.zeros(1, np.int32))
    relay[2, 64](data, flag, out)
    return out.copy_to_host(), 3 * np.arange(64)


@exercise
def wrong_shape(wrong):
    """The third dimension of a block."""
    @cuda.jit
    def index(out):
        x, y, z = cuda.grid(3)
        if x < out.shape[2] and y < out.shape[1] and z < out.shape[0]:
            if wrong:
                out[x, y, z] = 1  # wrong_shape: out_of_bounds
            else:
                out[z, y, x] = x + 10 * y + 100 * z

    out = cuda.to_device(np.zeros((4, 6, 10), np.int32))
    index[(3, 2, 2), (4, 4, 2)](out)
    z, y, x = np.mgrid[0:4, 0:6, 0:10]
    return out.copy_to_host(), x + 10 * y + 100 * z


@exercise
def chained_scan(wrong):
    """A prefix sum over several blocks: three launches."""
    @cuda.jit
    def scan(values, sums):
        own = cuda.shared.array(THREADS, numba.int64)
        t, i = cuda.threadIdx.x, cuda.grid(1)
        own[t] = values[i] if i < values.size else 0
        offset = 1
        while offset < THREADS:
            cuda.syncthreads()
            before = own[t - offset] if t >= offset else 0
            if not wrong:
                cuda.syncthreads()
            own[t] += before  # chained_scan: race
            offset *= 2
        if i < values.size:
            values[i] = own[t]
        if t == THREADS - 1:
            sums[cuda.blockIdx.x] = own[t]

    @cuda.jit
    def add(values, sums):
        i = cuda.grid(1)
        if i < values.size and cuda.blockIdx.x > 0:
            values[i] += sums[cuda.blockIdx.x - 1]

    values = cuda.to_device(numbers(N).astype(np.int64))
    sums, rest = cuda.device_array(8, np.int64), cuda.device_array(1, np.int64)
    scan[8, THREADS](values, sums)
    scan[1, THREADS](sums, rest)
    add[8, THREADS](values, sums)
    return values.copy_to_host(), np.cumsum(numbers(N))


@exercise
def core_wrong_type(wrong):
    """The array has elements of 4 bytes; the kernel reads them as 8."""
    source = f"""
using T = {"double" if wrong else "float"};
extern "C" __global__ void halve(T* values, int n)
{{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        values[i] /= 2;  // core_wrong_type: out_of_bounds
}}
"""
    values = cuda.to_device(numbers(N))
    stream = device().create_stream()
    launch(stream, LaunchConfig(grid=3, block=64), compiled(source, "halve"),
           address(values), np.int32(N))
    stream.sync()
    return values.copy_to_host(), numbers(N) / 2


@exercise
def core_template(wrong):
    """A template for two types, and a table in constant memory."""
    source = r"""
__constant__ int table[8] = {1, 2, 4, 8, 16, 32, 64, 128};

template <class T> __global__ void weigh(const T* in, T* out, int n, int mask)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * T(table[i & mask]);  // core_template: out_of_bounds
}
"""
    stream, results = device().create_stream(), []
    for name, dtype in ("int", np.int32), ("double", np.float64):
        out = cuda.device_array(N, dtype)
        given = cuda.to_device(numbers(N).astype(dtype))
        launch(stream, LaunchConfig(grid=8, block=THREADS), compiled(source, f"weigh<{name}>"), address(given),
               address(out), np.int32(N), np.int32(15 if wrong else 7))
        stream.sync()
        results.append(out.copy_to_host())
    return results, [numbers(N) * (1 << np.arange(N) % 8)] * 2


@exercise
def core_closed_buffer(wrong):
    source = r"""
extern "C" __global__ void triple(float* values, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= 3;  // core_closed_buffer: out_of_bounds
}
"""
    stream, kernel = device().create_stream(), compiled(source, "triple")
    buffer, values = device().allocate(4 * N, stream=stream), numbers(N)
    stream.sync()
    pointer = int(buffer.handle)
    driver.cuMemcpyHtoD(pointer, values.ctypes.data, values.nbytes)
    if wrong:
        buffer.close(stream)
    launch(stream, LaunchConfig(grid=8, block=THREADS), kernel, pointer, np.int32(N))
    stream.sync()
    driver.cuMemcpyDtoH(values.ctypes.data, pointer, values.nbytes)
    return values, 3 * numbers(N)


@exercise
def core_events(wrong):
    """A producer and a consumer in streams of their own."""
    source = r"""
extern "C" __global__ void produce(int* items, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) items[i] = i;
}
extern "C" __global__ void consume(const int* items, int n, int* total)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(total, items[i]);
}
"""
    producer, consumer = device().create_stream(), device().create_stream()
    items, total = cuda.device_array(N, np.int32), cuda.to_device(np.zeros(1, np.int32))
    launch(producer, LaunchConfig(grid=1, block=64), compiled(source, "produce"), address(items), np.int32(N))
    if not wrong:
        consumer.wait(producer.record())
    config, kernel = LaunchConfig(grid=1, block=64), compiled(source, "consume")
    launch(consumer, config, kernel, address(items), np.int32(N), address(total))  # core_events: unordered
    consumer.sync()
    return total.copy_to_host(), [N * (N - 1) // 2]


def run(name, wrong):
    try:
        got, wanted = EXERCISES[name](wrong)
        print(name, "right" if np.allclose(got, wanted, rtol=1e-4) else "WRONG")
    except Exception as error:
        print(name, type(error).__name__, error)


if len(sys.argv) == 1:
    for each in EXERCISES:
        run(each, False)
for each in sys.argv[1:]:
    sys.stdout.flush()
    if os.fork() == 0:
        run(each, True)
        break
    os.wait()
