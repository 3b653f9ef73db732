"""Five Triton kernels with launches and NumPy's results: vector add, softmax, product, layer norm, attention."""
import numpy as np
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    left = tl.load(x + i, mask=inside)
    right = tl.load(y + i, mask=inside)
    tl.store(out + i, left + right, mask=inside)


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0) * columns
    i = tl.arange(0, BLOCK)
    value = tl.load(x + row + i, mask=i < columns, other=-float("inf"))
    power = tl.exp(value - tl.max(value, axis=0))
    tl.store(out + row + i, power / tl.sum(power, axis=0), mask=i < columns)


@triton.jit
def layer_norm(x, weight, bias, out, columns, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0) * columns
    i = tl.arange(0, BLOCK)
    inside = i < columns
    value = tl.load(x + row + i, mask=inside, other=0.0)
    apart = tl.where(inside, value - tl.sum(value, axis=0) / columns, 0.0)
    scale = 1 / tl.sqrt(tl.sum(apart * apart, axis=0) / columns + epsilon)
    scaled = apart * scale * tl.load(weight + i, mask=inside) + tl.load(bias + i, mask=inside)
    tl.store(out + row + i, scaled, mask=inside)


@triton.jit
def product(a, b, out, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    column = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        left = tl.load(a + row[:, None] * K + k + inner[None, :])
        right = tl.load(b + (k + inner[:, None]) * N + column[None, :])
        total = tl.dot(left, right, total)
    tl.store(out + row[:, None] * N + column[None, :], total)


@triton.jit
def attention(q, k, v, out, scale, T, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    depth = tl.arange(0, D)
    query = tl.load(q + row[:, None] * D + depth[None, :])
    top = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    mixed = tl.zeros((BM, D), tl.float32)
    for n in range(0, T, BN):
        column = n + tl.arange(0, BN)
        score = tl.dot(query, tl.load(k + column[None, :] * D + depth[:, None])) * scale
        higher = tl.maximum(top, tl.max(score, axis=1))
        power = tl.exp(score - higher[:, None])
        shrink = tl.exp(top - higher)
        values = tl.load(v + column[:, None] * D + depth[None, :])
        mixed = mixed * shrink[:, None] + tl.dot(power.to(values.dtype), values)
        total = total * shrink + tl.sum(power, axis=1)
        top = higher
    tl.store(out + row[:, None] * D + depth[None, :], mixed / total[:, None])


def launches():
    """(kernel, grid, arguments, constants, wanted, tolerance); the argument named out is the result."""
    random = np.random.default_rng(63)

    def normal(*shape, dtype=np.float32):
        return random.standard_normal(shape).astype(dtype)

    def powers(values):
        power = np.exp(values - values.max(axis=1, keepdims=True))
        return power / power.sum(axis=1, keepdims=True)

    x, y = normal(1000), normal(1000)
    yield add, (8,), [x, y, np.zeros_like(x), 1000], {"BLOCK": 128}, x + y, 0
    x = normal(50, 100)
    yield softmax, (50,), [x, np.zeros_like(x), 100], {"BLOCK": 128}, powers(x), 1e-6
    weight, bias = normal(100), normal(100)
    right = (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5) * weight + bias
    yield layer_norm, (50,), [x, weight, bias, np.zeros_like(x), 100, 1e-5], {"BLOCK": 128}, right, 1e-5
    a, b = normal(64, 96, dtype=np.float16), normal(96, 64, dtype=np.float16)
    yield (product, (2, 2), [a, b, np.zeros((64, 64), np.float32), 64, 96], {"BM": 32, "BN": 32, "BK": 32},
           a.astype(np.float32) @ b.astype(np.float32), 1e-4)
    q, k, v = (normal(64, 32, dtype=np.float16) for _ in range(3))
    right = powers(q.astype(np.float32) @ k.astype(np.float32).T * 0.2) @ v.astype(np.float32)
    yield (attention, (2,), [q, k, v, np.zeros((64, 32), np.float32), 0.2, 64], {"D": 32, "BM": 32, "BN": 32}, right,
           2e-3)
