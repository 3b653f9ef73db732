"""Ten Numba kernels whose memory traffic differs, launched once each. tests/gpu/python_kernels.sh counts them.

    python_kernels.py               prints a line with the result of each
"""
import numba
import numpy as np
from numba import cuda

TILE = 16
PADDED = TILE + 1
BINS = 64
# As Lanescope compiles kernels, so that both measure the same code.
jit = cuda.jit(lineinfo=True, lto=False)


@jit
def saxpy(a, x, y):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        y[i] = a * x[i] + y[i]


@jit
def every_third(values, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = values[3 * i] + 1


@jit
def column_major(a, out):
    """The array is in Fortran's order, the result in C's."""
    x, y = cuda.grid(2)
    if y < a.shape[0] and x < a.shape[1]:
        out[y, x] = 2 * a[y, x]


@jit
def transpose(a, out):
    """Columns of the tile share a bank."""
    tile = cuda.shared.array((TILE, TILE), numba.float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    tile[ty, tx] = a[y, x]
    cuda.syncthreads()
    out[cuda.blockIdx.x * TILE + ty, cuda.blockIdx.y * TILE + tx] = tile[tx, ty]


@jit
def transpose_padded(a, out):
    tile = cuda.shared.array((TILE, PADDED), numba.float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    tile[ty, tx] = a[y, x]
    cuda.syncthreads()
    out[cuda.blockIdx.x * TILE + ty, cuda.blockIdx.y * TILE + tx] = tile[tx, ty]


@jit
def product(a, b, out):
    left = cuda.shared.array((TILE, TILE), numba.float32)
    right = cuda.shared.array((TILE, TILE), numba.float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = numba.float32(0)
    for k in range(0, a.shape[1], TILE):
        left[ty, tx] = a[y, k + tx]
        right[ty, tx] = b[k + ty, x]
        cuda.syncthreads()
        for i in range(TILE):
            total += left[ty, i] * right[i, tx]
        cuda.syncthreads()
    out[y, x] = total


@jit
def histogram(values, bins):
    own = cuda.shared.array(BINS, numba.int32)
    t = cuda.threadIdx.x
    if t < BINS:
        own[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(own, values[i], 1)
    cuda.syncthreads()
    if t < BINS:
        cuda.atomic.add(bins, t, own[t])


@jit
def block_sum(values, sums):
    own = cuda.shared.array(256, numba.float64)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    own[t] = values[i] if i < values.size else 0
    cuda.syncthreads()
    half = 128
    while half > 0:
        if t < half:
            own[t] += own[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = own[0]


@jit
def warp_sum(values, sums):
    i = cuda.grid(1)
    total = values[i] if i < values.size else 0
    offset = 16
    while offset > 0:
        total += cuda.shfl_down_sync(0xffffffff, total, offset)
        offset //= 2
    if cuda.laneid == 0:
        sums[i // 32] = total


@jit
def move(points):
    """An array of structures of 16 bytes."""
    i = cuda.grid(1)
    if i < points.size:
        points[i].x += points[i].vx
        points[i].y += points[i].vy


def numbers(*shape, dtype=np.float32):
    return (np.arange(np.prod(shape)) * 7 % 61).astype(dtype).reshape(shape)


def run_all():
    """Name, result on the device and NumPy's result of each kernel, in the order of their launches."""
    x, y = numbers(100_003), cuda.to_device(numbers(100_003))
    saxpy[40, 128](np.float32(2), cuda.to_device(x), y)
    yield "saxpy", y, 3 * x

    out = cuda.to_device(np.zeros(10_000, np.float32))
    every_third[40, 256](cuda.to_device(numbers(30_000)), out)
    yield "every_third", out, numbers(30_000)[::3] + 1

    a, out = np.asfortranarray(numbers(150, 200)), cuda.to_device(np.zeros((150, 200), np.float32))
    column_major[(13, 10), (16, 16)](cuda.to_device(a), out)
    yield "column_major", out, 2 * a

    a = numbers(128, 192)
    for turn in transpose, transpose_padded:
        out = cuda.to_device(np.zeros((192, 128), np.float32))
        turn[(12, 8), (TILE, TILE)](cuda.to_device(a), out)
        yield turn.py_func.__name__, out, a.T

    a, b, out = numbers(64, 96), numbers(96, 80), cuda.to_device(np.zeros((64, 80), np.float32))
    product[(5, 4), (TILE, TILE)](cuda.to_device(a), cuda.to_device(b), out)
    yield "product", out, a @ b

    values, bins = numbers(50_000, dtype=np.int32), cuda.to_device(np.zeros(BINS, np.int32))
    histogram[20, 128](cuda.to_device(values), bins)
    yield "histogram", bins, np.bincount(values, minlength=BINS)

    values, sums = numbers(20_000, dtype=np.float64), cuda.to_device(np.zeros(79))
    block_sum[79, 256](cuda.to_device(values), sums)
    yield "block_sum", sums, np.append(values, np.zeros(79 * 256 - 20_000)).reshape(79, 256).sum(axis=1)

    values, sums = numbers(20_000, dtype=np.int32), cuda.to_device(np.zeros(632, np.int32))
    warp_sum[79, 256](cuda.to_device(values), sums)
    yield "warp_sum", sums, np.append(values, np.zeros(632 * 32 - 20_000)).reshape(632, 32).sum(axis=1)

    points = np.zeros(5_000, np.dtype([("x", "f4"), ("y", "f4"), ("vx", "f4"), ("vy", "f4")], align=True))
    points["x"], points["vx"], points["vy"] = numbers(5_000), 2, 3
    device = cuda.to_device(points)
    move[40, 128](device)
    points["x"] += 2
    points["y"] += 3
    yield "move", device, points


for name, device, wanted in run_all():
    got = device.copy_to_host()
    print(name, "right" if np.array_equal(got, wanted) else "WRONG", got.ravel()[1])
