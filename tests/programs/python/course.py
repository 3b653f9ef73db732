"""Twenty kernels as a course in Numba has them, each as it should be and with one mistake.

    course.py               all as they should be
    course.py NAME …        these with their mistakes, whose lines end with "# NAME: KIND"

`wrong` is a constant while Numba compiles a kernel. Each mistake has a process of its own, because some end the context.
"""
import os
import sys

import numba
import numpy as np
from numba import cuda
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32

N = 1000
WARPS = 4
THREADS = 32 * WARPS
EXERCISES = {}


def exercise(function):
    EXERCISES[function.__name__] = function
    return function


def numbers(*shape):
    return (np.arange(np.prod(shape)) % 17).astype(np.float32).reshape(shape)


@exercise
def grid_stride(wrong):
    @cuda.jit
    def saxpy(a, x, y):
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
            if wrong:
                y[i] = a * x[i + 1] + y[i]  # grid_stride: out_of_bounds
            else:
                y[i] = a * x[i] + y[i]

    x, y = numbers(N), cuda.to_device(np.ones(N, np.float32))
    saxpy[3, 64](np.float32(2), cuda.to_device(x), y)
    return y.copy_to_host(), 2 * x + 1


@exercise
def histogram(wrong):
    @cuda.jit
    def count(values, bins):
        i = cuda.grid(1)
        if i < values.size:
            if wrong:
                bins[values[i]] += 1  # histogram: race
            else:
                cuda.atomic.add(bins, values[i], 1)

    values, bins = numbers(N).astype(np.int32), cuda.to_device(np.zeros(17, np.int32))
    count[8, THREADS](cuda.to_device(values), bins)
    return bins.copy_to_host(), np.bincount(values)


@exercise
def histogram_in_shared_memory(wrong):
    @cuda.jit
    def count(values, bins):
        own = cuda.shared.array(17, numba.int32)
        t, i = cuda.threadIdx.x, cuda.grid(1)
        if t < 17 and not (wrong and t == 16):
            own[t] = 0
        cuda.syncthreads()
        if i < values.size:
            cuda.atomic.add(own, values[i], 1)  # histogram_in_shared_memory: uninitialised
        cuda.syncthreads()
        if t < 17:
            cuda.atomic.add(bins, t, own[t])

    values, bins = numbers(N).astype(np.int32), cuda.to_device(np.zeros(17, np.int32))
    count[8, THREADS](cuda.to_device(values), bins)
    return bins.copy_to_host(), np.bincount(values)


@exercise
def transpose(wrong):
    @cuda.jit
    def turn(a, out):
        tile = cuda.shared.array((16, 17), numba.float32)
        x, y = cuda.grid(2)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        if y < a.shape[0] and x < a.shape[1]:
            tile[ty, tx] = a[y, x]
        if not wrong:
            cuda.syncthreads()
        x = cuda.blockIdx.y * 16 + tx
        y = cuda.blockIdx.x * 16 + ty
        if y < out.shape[0] and x < out.shape[1]:
            out[y, x] = tile[tx, ty]  # transpose: race

    a, out = numbers(40, 50), cuda.device_array((50, 40), np.float32)
    turn[(4, 3), (16, 16)](cuda.to_device(a), out)
    return out.copy_to_host(), a.T


@exercise
def warp_sum(wrong):
    @cuda.jit
    def add(values, out):
        i = cuda.grid(1)
        total = values[i]
        offset = 16
        while offset > 0:
            if wrong:
                if cuda.laneid < 16:
                    total += cuda.shfl_down_sync(0xffffffff, total, offset)  # warp_sum: warp_sync
            else:
                total += cuda.shfl_down_sync(0xffffffff, total, offset)
            offset //= 2
        if cuda.laneid == 0:
            cuda.atomic.add(out, 0, total)

    values, out = numbers(THREADS), cuda.to_device(np.zeros(1, np.float32))
    add[1, THREADS](cuda.to_device(values), out)
    return out.copy_to_host(), [values.sum()]


@exercise
def block_sum(wrong):
    @cuda.jit
    def add(values, out):
        sums = cuda.shared.array(WARPS, numba.float32)
        t = cuda.threadIdx.x
        if t < WARPS:
            sums[t] = 0
        cuda.syncthreads()
        total = values[cuda.grid(1)]
        for offset in (16, 8, 4, 2, 1):
            total += cuda.shfl_down_sync(0xffffffff, total, offset)
        if t % 32 == 0:
            sums[t // 32] = total
        if not wrong:
            cuda.syncthreads()
        if t == 0:
            total = numba.float32(0)
            for warp in range(WARPS):
                total += sums[warp]  # block_sum: race
            out[cuda.blockIdx.x] = total

    values, out = numbers(4, THREADS), cuda.device_array(4, np.float32)
    add[4, THREADS](cuda.to_device(values.ravel()), out)
    return out.copy_to_host(), values.sum(axis=1)


@exercise
def votes(wrong):
    @cuda.jit
    def count(values, out):
        i = cuda.grid(1)
        lanes = cuda.ballot_sync(0xffffffff, values[i] > 8)
        if cuda.laneid == 0:
            if wrong:
                out[i] = cuda.popc(lanes)  # votes: out_of_bounds
            else:
                out[i // 32] = cuda.popc(lanes)

    values, out = numbers(THREADS), cuda.device_array(WARPS, np.int32)
    count[1, THREADS](cuda.to_device(values), out)
    return out.copy_to_host(), (values.reshape(WARPS, 32) > 8).sum(axis=1)


@exercise
def reduction_object(wrong):
    add = cuda.reduce(lambda a, b: a + b)
    values = numbers(N)
    total = add(cuda.to_device(values))
    if wrong:
        host = cuda.pinned_array(N, np.float32)
        cuda.to_device(values).copy_to_host(host, stream=cuda.stream())
        total = host.sum()  # reduction_object: host_race
    return total, values.sum()


@exercise
def elementwise(wrong):
    @numba.vectorize(["float32(float32, float32)"], target="cuda")
    def distance(a, b):
        return (a * a + b * b) ** numba.float32(0.5)

    a, b = numbers(N), numbers(N)[::-1].copy()
    if wrong:
        host = cuda.pinned_array(N, np.float32)
        distance(cuda.to_device(a), cuda.to_device(b)).copy_to_host(host, stream=cuda.stream())
        return float(host[0]), 0  # elementwise: host_race
    return distance(a, b), np.hypot(a, b)


@exercise
def rows(wrong):
    @numba.guvectorize(["void(float32[:], float32[:])"], "(n)->(n)", target="cuda")
    def running_sum(row, out):
        total = numba.float32(0)
        for i in range(row.size):
            if wrong:
                total += row[i + 64]  # rows: out_of_bounds
            else:
                total += row[i]
            out[i] = total

    a = numbers(20, 30)
    return running_sum(a), np.cumsum(a, axis=1)


@cuda.jit(device=True)
def escape_time(z, most):
    c = z
    for i in range(most):
        if z.real * z.real + z.imag * z.imag > 4:
            return i
        z = z * z + c
    return most


@exercise
def mandelbrot(wrong):
    @cuda.jit
    def draw(picture):
        y, x = cuda.grid(2)
        if wrong:
            if x <= picture.shape[1] and y <= picture.shape[0]:
                picture[y, x] = 1  # mandelbrot: out_of_bounds
        elif x < picture.shape[1] and y < picture.shape[0]:
            picture[y, x] = escape_time(complex(x / 20 - 2, y / 20 - 1), 50)

    picture = cuda.device_array((40, 60), np.int32)
    draw[(6, 8), (8, 8)](picture)
    return picture.copy_to_host(), [[escape_time.py_func(complex(x / 20 - 2, y / 20 - 1), 50) for x in range(60)]
                                    for y in range(40)]


@exercise
def life(wrong):
    @cuda.jit
    def step(now, later):
        y, x = cuda.grid(2)
        height, width = now.shape
        if y < height and x < width:
            alive = 0
            for dy in range(-1, 2):
                for dx in range(-1, 2):
                    if dy != 0 or dx != 0:
                        alive += now[(y + dy) % height, (x + dx) % width]
            value = 1 if alive == 3 or (alive == 2 and now[y, x] == 1) else 0
            if wrong:
                now[y, x] = value  # life: race
            else:
                later[y, x] = value

    now = (numbers(24, 24) % 3 == 0).astype(np.int8)
    later = cuda.to_device(now)
    step[(3, 3), (8, 8)](cuda.to_device(now), later)
    around = sum(np.roll(now, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1)) - now
    return later.copy_to_host(), (around == 3) | ((around == 2) & (now == 1))


@exercise
def heat(wrong):
    @cuda.jit
    def step(now, later):
        i = cuda.grid(1)
        if wrong:
            if i < now.size:
                later[i] = (now[i - 1] + now[i + 1]) / 2  # heat: out_of_bounds
        elif 0 < i < now.size - 1:
            later[i] = (now[i - 1] + now[i + 1]) / 2

    now, later = cuda.to_device(numbers(N)), cuda.to_device(numbers(N))
    wanted = numbers(N)
    for _ in range(4):
        step[8, THREADS](now, later)
        now, later = later, now
        wanted[1:-1] = (wanted[:-2] + wanted[2:]) / 2
    return now.copy_to_host(), wanted


@exercise
def sorting(wrong):
    @cuda.jit
    def sort(values):
        own = cuda.shared.array(THREADS, numba.float32)
        t = cuda.threadIdx.x
        own[t] = values[t]
        cuda.syncthreads()
        size = 2
        while size <= THREADS:
            step = size // 2
            while step > 0:
                other = t ^ step
                if other > t and (own[t] > own[other]) == (t & size == 0):  # sorting: race
                    own[t], own[other] = own[other], own[t]
                if not wrong or step > 64:
                    cuda.syncthreads()
                step //= 2
            size *= 2
        values[t] = own[t]

    start = np.sin(numbers(THREADS))
    values = cuda.to_device(start)
    sort[1, THREADS](values)
    return values.copy_to_host(), np.sort(start)


@exercise
def compaction(wrong):
    @cuda.jit
    def keep(values, out, count):
        i = cuda.grid(1)
        if i < values.size and values[i] > 8:
            place = cuda.atomic.add(count, 0, 1)
            out[place] = values[i]  # compaction: out_of_bounds

    values = numbers(N)
    wanted = np.sort(values[values > 8])
    out, count = cuda.device_array(wanted.size // (2 if wrong else 1), np.float32), cuda.to_device(np.zeros(1, np.int32))
    keep[8, THREADS](cuda.to_device(values), out, count)
    return np.sort(out.copy_to_host()), wanted


@exercise
def local_array(wrong):
    @cuda.jit
    def median(values, out):
        i = cuda.grid(1)
        if 2 <= i < values.size - 2:
            own = cuda.local.array(5, numba.float32)
            for k in range(5):
                if wrong:
                    own[k + i] = values[i + k - 2]  # local_array: out_of_bounds
                else:
                    own[k] = values[i + k - 2]
            for first in range(3):
                for k in range(first + 1, 5):
                    if own[k] < own[first]:
                        own[first], own[k] = own[k], own[first]
            out[i] = own[2]

    values = np.sin(numbers(N) * 3)
    out = cuda.to_device(np.zeros(N, np.float32))
    median[8, THREADS](cuda.to_device(values), out)
    wanted = np.zeros(N, np.float32)
    wanted[2:-2] = np.median([values[k:N - 4 + k] for k in range(5)], axis=0)
    return out.copy_to_host(), wanted


@exercise
def records(wrong):
    point = np.dtype([("x", np.float32), ("y", np.float32), ("hits", np.int32)], align=True)

    @cuda.jit
    def move(points):
        i = cuda.grid(1)
        if i < points.size:
            points[i].x += points[i].y
            if wrong:
                points[0].hits += 1  # records: race
            else:
                points[i].hits += 1

    points = np.zeros(N, point)
    points["x"], points["y"] = numbers(N), 2
    device = cuda.to_device(points)
    move[8, THREADS](device)
    moved = device.copy_to_host()
    return np.stack((moved["x"], moved["hits"])), np.stack((numbers(N) + 2, np.ones(N)))


@exercise
def constants(wrong):
    weights = np.array([0.25, 0.5, 0.25], np.float32)

    @cuda.jit
    def smooth(values, out):
        own = cuda.const.array_like(weights)
        i = cuda.grid(1)
        last = values.size if wrong else values.size - 1
        if 0 < i < last:
            total = numba.float32(0)
            for k in range(3):
                total += values[i + k - 1] * own[k]  # constants: out_of_bounds
            out[i] = total

    values, out = numbers(N), cuda.to_device(np.zeros(N, np.float32))
    smooth[8, THREADS](cuda.to_device(values), out)
    wanted = np.zeros(N, np.float32)
    wanted[1:-1] = np.convolve(values, weights, "valid")
    return out.copy_to_host(), wanted


@exercise
def dynamic_shared_memory(wrong):
    @cuda.jit
    def reverse(values):
        own = cuda.shared.array(0, numba.float32)
        t = cuda.threadIdx.x
        own[t] = values[t]  # dynamic_shared_memory: out_of_bounds
        cuda.syncthreads()
        values[t] = own[cuda.blockDim.x - 1 - t]

    values = cuda.to_device(numbers(THREADS))
    reverse[1, THREADS, 0, 4 * (THREADS // (2 if wrong else 1))](values)
    return values.copy_to_host(), numbers(THREADS)[::-1]


@exercise
def random_points(wrong):
    @cuda.jit
    def estimate(states, hits):
        i = cuda.grid(1)
        inside = 0
        for _ in range(50):
            x = xoroshiro128p_uniform_float32(states, i)
            y = xoroshiro128p_uniform_float32(states, i)
            inside += x * x + y * y < 1
        if wrong:
            hits[0] += inside  # random_points: race
        else:
            cuda.atomic.add(hits, 0, inside)

    hits = cuda.to_device(np.zeros(1, np.int32))
    estimate[2, THREADS](create_xoroshiro128p_states(2 * THREADS, seed=1), hits)
    return round(float(hits.copy_to_host()[0]) / (2 * THREADS * 50) * 4, 1), 3.1


@exercise
def whole_grid(wrong):
    @cuda.jit
    def step_twice(values):
        grid = cuda.cg.this_grid()
        i = cuda.grid(1)
        mine = values[i]  # whole_grid: race
        if not wrong:
            grid.sync()
        values[(i + THREADS) % values.size] = mine + 1
        grid.sync()
        values[i] *= 2

    values = cuda.to_device(numbers(4 * THREADS))
    step_twice[4, THREADS](values)
    return values.copy_to_host(), 2 * (np.roll(numbers(4 * THREADS), THREADS) + 1)


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
