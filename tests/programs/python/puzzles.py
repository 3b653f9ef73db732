"""Fourteen small kernels in the style of Numba puzzles, each as it should be and with one mistake.

    puzzles.py              all as they should be
    puzzles.py NAME         one of them with its mistake, whose line ends with "# NAME: KIND"
"""
import sys

import numba
import numpy as np
from numba import cuda

BLOCK = 32
TWO_WARPS = 64
PUZZLES = {}


def puzzle(function):
    PUZZLES[function.__name__] = function
    return function


def filled(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


@puzzle
def add_ten(wrong):
    @cuda.jit
    def right(out, a):
        i = cuda.threadIdx.x
        out[i] = a[i] + 10

    @cuda.jit
    def mistaken(out, a):
        i = cuda.threadIdx.x
        out[i] = a[i + 1] + 10  # add_ten: out_of_bounds

    a, out = filled(BLOCK), cuda.device_array(BLOCK, np.float32)
    (mistaken if wrong else right)[1, BLOCK](out, cuda.to_device(a))
    return out, a + 10


@puzzle
def zipped(wrong):
    @cuda.jit
    def right(out, a, b):
        i = cuda.threadIdx.x
        out[i] = a[i] + b[i]

    @cuda.jit
    def mistaken(out, a, b):
        i = cuda.threadIdx.x
        out[i] = a[i] + b[2 * i]  # zipped: out_of_bounds

    a, b, out = filled(BLOCK), filled(BLOCK) * 3, cuda.device_array(BLOCK, np.float32)
    (mistaken if wrong else right)[1, BLOCK](out, cuda.to_device(a), cuda.to_device(b))
    return out, a + b


@puzzle
def guarded(wrong):
    @cuda.jit
    def right(out, a, size):
        i = cuda.threadIdx.x
        if i < size:
            out[i] = a[i] + 10

    @cuda.jit
    def mistaken(out, a, size):
        i = cuda.threadIdx.x
        if i <= size:
            out[i] = a[i % size] + 10  # guarded: out_of_bounds

    a, out = filled(20), cuda.device_array(20, np.float32)
    (mistaken if wrong else right)[1, BLOCK](out, cuda.to_device(a), 20)
    return out, a + 10


@puzzle
def plane(wrong):
    @cuda.jit
    def right(out, a, size):
        i, j = cuda.grid(2)
        if i < size and j < size:
            out[i, j] = a[i, j] + 10

    @cuda.jit
    def mistaken(out, a, size):
        i, j = cuda.grid(2)
        if i < size or j < size:
            value = a[i, j]  # plane: out_of_bounds
            out[i, j] = value + 10

    a, out = filled(6, 6), cuda.device_array((6, 6), np.float32)
    (mistaken if wrong else right)[1, (8, 8)](out, cuda.to_device(a), 6)
    return out, a + 10


@puzzle
def broadcast(wrong):
    @cuda.jit
    def right(out, a, b, size):
        i, j = cuda.grid(2)
        if i < size and j < size:
            out[i, j] = a[i, 0] + b[0, j]

    @cuda.jit
    def mistaken(out, a, b, size):
        i, j = cuda.grid(2)
        if i < size and j < size:
            out[i, j] = a[0, i] + b[j, size - 1]  # broadcast: out_of_bounds

    a, b, out = filled(6, 1), filled(1, 6), cuda.device_array((6, 6), np.float32)
    (mistaken if wrong else right)[1, (8, 8)](out, cuda.to_device(a), cuda.to_device(b), 6)
    return out, a + b


@puzzle
def blocks(wrong):
    @cuda.jit
    def right(out, a, size):
        i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        if i < size:
            out[i] = a[i] + 10

    @cuda.jit
    def mistaken(out, a, size):
        i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        out[i] = a[min(i, size - 1)] + 10  # blocks: out_of_bounds

    a, out = filled(100), cuda.device_array(100, np.float32)
    (mistaken if wrong else right)[4, BLOCK](out, cuda.to_device(a), 100)
    return out, a + 10


@puzzle
def blocks_of_a_plane(wrong):
    @cuda.jit
    def right(out, a):
        i, j = cuda.grid(2)
        if i < out.shape[0] and j < out.shape[1]:
            out[i, j] = a[i, j] + 10

    @cuda.jit
    def mistaken(out, a):
        i, j = cuda.grid(2)
        if i < out.shape[1] and j < out.shape[0]:
            out[i, j] = 10  # blocks_of_a_plane: out_of_bounds

    a, out = filled(9, 20), cuda.device_array((9, 20), np.float32)
    (mistaken if wrong else right)[(2, 3), (8, 8)](out, cuda.to_device(a))
    return out, a + 10


@puzzle
def shared(wrong):
    @cuda.jit
    def right(out, a):
        tile = cuda.shared.array(BLOCK, numba.float32)
        i = cuda.threadIdx.x
        tile[i] = a[i]
        cuda.syncthreads()
        out[i] = tile[BLOCK - 1 - i]

    @cuda.jit
    def mistaken(out, a):
        tile = cuda.shared.array(TWO_WARPS, numba.float32)
        i = cuda.threadIdx.x
        tile[i] = a[i]  # shared: race
        out[i] = tile[TWO_WARPS - 1 - i]

    size = TWO_WARPS if wrong else BLOCK
    a, out = filled(size), cuda.device_array(size, np.float32)
    (mistaken if wrong else right)[1, size](out, cuda.to_device(a))
    return out, a[::-1]


@puzzle
def pooling(wrong):
    @cuda.jit
    def right(out, a):
        tile = cuda.shared.array(TWO_WARPS, numba.float32)
        i = cuda.threadIdx.x
        tile[i] = a[i]
        cuda.syncthreads()
        total = tile[i]
        if i > 0:
            total += tile[i - 1]
        out[i] = total

    @cuda.jit
    def mistaken(out, a):
        tile = cuda.shared.array(TWO_WARPS, numba.float32)
        i = cuda.threadIdx.x
        tile[i] = a[i]
        total = tile[i]
        if i > 0:
            total += tile[i - 1]  # pooling: race
        out[i] = total

    a, out = filled(TWO_WARPS), cuda.device_array(TWO_WARPS, np.float32)
    (mistaken if wrong else right)[1, TWO_WARPS](out, cuda.to_device(a))
    return out, a + np.concatenate(([0], a[:-1])).astype(np.float32)


@puzzle
def dot_product(wrong):
    @cuda.jit
    def right(out, a, b):
        products = cuda.shared.array(TWO_WARPS, numba.float32)
        i = cuda.threadIdx.x
        products[i] = a[i] * b[i]
        cuda.syncthreads()
        if i == 0:
            total = numba.float32(0)
            for k in range(TWO_WARPS):
                total += products[k]
            out[0] = total

    @cuda.jit
    def mistaken(out, a, b):
        i = cuda.threadIdx.x
        out[0] += a[i] * b[i]  # dot_product: race

    a, b = filled(TWO_WARPS), filled(TWO_WARPS)
    out = cuda.to_device(np.zeros(1, np.float32))
    (mistaken if wrong else right)[1, TWO_WARPS](out, cuda.to_device(a), cuda.to_device(b))
    return out, [np.dot(a, b)]


@puzzle
def convolution(wrong):
    @cuda.jit
    def right(out, a, weights):
        i = cuda.grid(1)
        if i < out.size:
            total = numba.float32(0)
            for k in range(weights.size):
                if i + k < a.size:
                    total += a[i + k] * weights[k]
            out[i] = total

    @cuda.jit
    def mistaken(out, a, weights):
        i = cuda.grid(1)
        if i < out.size:
            total = numba.float32(0)
            for k in range(weights.size):
                total += a[i + k] * weights[k]  # convolution: out_of_bounds
            out[i] = total

    a, weights, out = filled(100), filled(4), cuda.device_array(100, np.float32)
    (mistaken if wrong else right)[4, BLOCK](out, cuda.to_device(a), cuda.to_device(weights))
    padded = np.concatenate((a, np.zeros(3, np.float32)))
    return out, [np.dot(padded[i:i + 4], weights) for i in range(100)]


@puzzle
def prefix_sum(wrong):
    @cuda.jit
    def right(out, a):
        tile = cuda.shared.array(TWO_WARPS, numba.float32)
        i = cuda.threadIdx.x
        tile[i] = a[i]
        cuda.syncthreads()
        offset = 1
        while offset < TWO_WARPS:
            before = tile[i - offset] if i >= offset else numba.float32(0)
            cuda.syncthreads()
            tile[i] += before
            cuda.syncthreads()
            offset *= 2
        out[i] = tile[i]

    @cuda.jit
    def mistaken(out, a):
        tile = cuda.shared.array(TWO_WARPS, numba.float32)
        i = cuda.threadIdx.x
        tile[i] = a[i]
        offset = 1
        while offset < TWO_WARPS:
            cuda.syncthreads()
            if i >= offset:
                tile[i] += tile[i - offset]  # prefix_sum: race
            offset *= 2
        cuda.syncthreads()
        out[i] = tile[i]

    a, out = filled(TWO_WARPS), cuda.device_array(TWO_WARPS, np.float32)
    (mistaken if wrong else right)[1, TWO_WARPS](out, cuda.to_device(a))
    return out, np.cumsum(a)


@puzzle
def axis_sum(wrong):
    @cuda.jit
    def right(out, a):
        row = cuda.blockIdx.x
        partial = cuda.shared.array(TWO_WARPS, numba.float32)
        i = cuda.threadIdx.x
        partial[i] = a[row, i]
        cuda.syncthreads()
        half = BLOCK
        while half > 0:
            if i < half:
                partial[i] += partial[i + half]
            cuda.syncthreads()
            half //= 2
        if i == 0:
            out[row] = partial[0]

    @cuda.jit
    def mistaken(out, a):
        row = cuda.blockIdx.x
        partial = cuda.shared.array(TWO_WARPS, numba.float32)
        i = cuda.threadIdx.x
        if i < TWO_WARPS - 1:
            partial[i] = a[row, i]
        cuda.syncthreads()
        half = BLOCK
        while half > 0:
            if i < half:
                partial[i] += partial[i + half]
            cuda.syncthreads()
            half //= 2
        if i == 0:
            out[row] = partial[0]  # axis_sum: undefined_result

    a, out = filled(4, TWO_WARPS), cuda.device_array(4, np.float32)
    (mistaken if wrong else right)[4, TWO_WARPS](out, cuda.to_device(a))
    return out, a.sum(axis=1)


@puzzle
def product(wrong):
    @cuda.jit
    def right(out, a, b, size):
        left = cuda.shared.array((8, 8), numba.float32)
        top = cuda.shared.array((8, 8), numba.float32)
        i, j = cuda.grid(2)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        total = numba.float32(0)
        for begin in range(0, size, 8):
            left[x, y] = a[i, begin + y] if i < size and begin + y < size else 0
            top[x, y] = b[begin + x, j] if begin + x < size and j < size else 0
            cuda.syncthreads()
            for k in range(8):
                total += left[x, k] * top[k, y]
            cuda.syncthreads()
        if i < size and j < size:
            out[i, j] = total

    @cuda.jit
    def mistaken(out, a, b, size):
        left = cuda.shared.array((8, 8), numba.float32)
        top = cuda.shared.array((8, 8), numba.float32)
        i, j = cuda.grid(2)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        total = numba.float32(0)
        for begin in range(0, size, 8):
            left[x, y] = a[i, begin + y] if i < size and begin + y < size else 0
            top[x, y] = b[begin + x, j] if begin + x < size and j < size else 0
            for k in range(8):
                total += left[x, k] * top[k, y]  # product: race
            cuda.syncthreads()
        if i < size and j < size:
            out[i, j] = total

    a, b, out = filled(20, 20), filled(20, 20).T.copy(), cuda.device_array((20, 20), np.float32)
    (mistaken if wrong else right)[(3, 3), (8, 8)](out, cuda.to_device(a), cuda.to_device(b), 20)
    return out, a @ b


if len(sys.argv) > 1:
    PUZZLES[sys.argv[1]](True)[0].copy_to_host()
else:
    for name, function in PUZZLES.items():
        out, wanted = function(False)
        print(name, "right" if np.allclose(out.copy_to_host(), wanted) else "WRONG")
