#!/usr/bin/env python3
"""Writes kernels that Triton compiles for this GPU, with their buffers before and after one launch.

    tests/gpu/triton_kernels.py FOLDER        needs PyTorch, Triton and a GPU of capability 9.0

Leaves NAME.ptx, NAME.json (launch and arguments) and NAME.I.in, NAME.I.out for each buffer I. tests/triton.py runs them
on the simulator and compares bits.
"""
import json
import os
import sys

import torch
import triton
import triton.language as tl

FOLDER = sys.argv[1]
DEVICE = "cuda"


@triton.jit
def k_add(x, y, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)


@triton.jit
def k_matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, TRANSPOSED: tl.constexpr,
             ACC: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * K + rk[None, :]
    pb = b + rn[None, :] * K + rk[:, None] if TRANSPOSED else b + rk[:, None] * N + rn[None, :]
    acc = tl.zeros((BM, BN), dtype=ACC)
    for k in range(0, K, BK):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc, out_dtype=ACC)
        pa += BK
        pb += BK if TRANSPOSED else BK * N
    tl.store(c + rm[:, None] * N + rn[None, :], acc.to(c.dtype.element_ty))


@triton.jit
def k_attention(q, k, v, o, scale, T, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    head = tl.program_id(1)
    base = head * T * D
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rd = tl.arange(0, D)
    query = tl.load(q + base + rm[:, None] * D + rd[None, :])
    top = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    end = (tl.program_id(0) + 1) * BM if CAUSAL else T
    for n in range(0, end, BN):
        rn = n + tl.arange(0, BN)
        keys = tl.load(k + base + rn[None, :] * D + rd[:, None])
        s = tl.dot(query, keys) * scale
        if CAUSAL:
            s = tl.where(rm[:, None] >= rn[None, :], s, -float("inf"))
        new = tl.maximum(top, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        alpha = tl.exp2(top - new)
        total = total * alpha + tl.sum(p, 1)
        values = tl.load(v + base + rn[:, None] * D + rd[None, :])
        acc = acc * alpha[:, None] + tl.dot(p.to(values.dtype), values)
        top = new
    tl.store(o + base + rm[:, None] * D + rd[None, :], (acc / total[:, None]).to(o.dtype.element_ty))


@triton.jit
def k_matmul_tma(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    da = tl.make_tensor_descriptor(a, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    db = tl.make_tensor_descriptor(b, shape=[N, K], strides=[K, 1], block_shape=[BN, BK])
    dc = tl.make_tensor_descriptor(c, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    m = tl.program_id(0) * BM
    n = tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(da.load([m, k]), db.load([n, k]).T, acc)
    dc.store([m, n], acc.to(tl.float16))


@triton.jit
def k_copy_tma(a, c, M, N, BM: tl.constexpr, BN: tl.constexpr):
    da = tl.make_tensor_descriptor(a, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    dc = tl.make_tensor_descriptor(c, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    m = tl.program_id(0) * BM
    n = tl.program_id(1) * BN
    dc.store([m, n], da.load([m, n]) * 2)


@triton.jit
def k_scan(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + tl.program_id(0) * B + i, tl.cumsum(tl.load(x + tl.program_id(0) * B + i), 0))


@triton.jit
def k_sort(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.sort(tl.load(x + i)))


@triton.jit
def k_histogram(x, out, n, B: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    h = tl.histogram(tl.load(x + i), BINS)
    tl.atomic_add(out + tl.arange(0, BINS), h)


@triton.jit
def k_dropout(x, out, n, seed, p, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    keep = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(keep, tl.load(x + i) / (1 - p), 0.0))


@triton.jit
def k_gelu(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i).to(tl.float32)
    tl.store(out + i, (0.5 * v * (1 + tl.erf(v * 0.70710678))).to(out.dtype.element_ty))


@triton.jit
def k_cross_entropy(logits, labels, loss, N, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    x = tl.load(logits + row * N + i, mask=i < N, other=-float("inf")).to(tl.float32)
    top = tl.max(x, 0)
    total = tl.log(tl.sum(tl.exp(x - top), 0)) + top
    tl.store(loss + row, total - tl.load(logits + row * N + tl.load(labels + row)).to(tl.float32))


def save(name, kernel, grid, args, constants, **options):
    buffers = [a for a in args if torch.is_tensor(a)]
    for i, each in enumerate(buffers):
        each.contiguous().view(torch.uint8).cpu().numpy().tofile(os.path.join(FOLDER, f"{name}.{i}.in"))
    compiled = kernel[grid](*args, **constants, **options)
    torch.cuda.synchronize()
    for i, each in enumerate(buffers):
        each.contiguous().view(torch.uint8).cpu().numpy().tofile(os.path.join(FOLDER, f"{name}.{i}.out"))
    record, number = [], 0
    for a in args:
        if torch.is_tensor(a):
            record.append({"buffer": number, "dtype": str(a.dtype), "shape": list(a.shape)})
            number += 1
        else:
            record.append({"scalar": a})
    meta = compiled.metadata
    with open(os.path.join(FOLDER, f"{name}.json"), "w") as file:
        json.dump({"name": name, "grid": (list(grid) + [1, 1])[:3], "num_warps": meta.num_warps, "shared": meta.shared,
                   "kernel": compiled.name if hasattr(compiled, "name") else meta.name,
                   "global_scratch": getattr(meta, "global_scratch_size", 0),
                   "cluster": list(getattr(meta, "cluster_dims", [1, 1, 1])), "constants": {k: str(v) for k, v in constants.items()},
                   "args": record}, file, indent=1)
    with open(os.path.join(FOLDER, f"{name}.ptx"), "w") as file:
        file.write(compiled.asm["ptx"])


def main():
    os.makedirs(FOLDER, exist_ok=True)
    torch.manual_seed(7)
    triton.set_allocator(lambda size, align, stream: torch.empty(size, device=DEVICE, dtype=torch.int8))

    def normal(*shape, dtype=torch.float16):
        return (torch.randn(*shape, device=DEVICE) / 4).to(dtype)

    def product(name, dtype, out, m=256, n=256, k=256, bm=64, bn=64, bk=32, transposed=False, acc=tl.float32, **options):
        if dtype == torch.int8:
            a, b = (torch.randint(-128, 128, (m, k), device=DEVICE, dtype=dtype) for _ in range(2))
        else:
            a = normal(m, k, dtype=dtype)
            b = normal(*((n, k) if transposed else (k, n)), dtype=dtype)
        c = torch.zeros(m, n, device=DEVICE, dtype=out)
        save(name, k_matmul, (m // bm, n // bn), [a, b, c, m, n, k],
             {"BM": bm, "BN": bn, "BK": bk, "TRANSPOSED": transposed, "ACC": acc}, **options)

    def attention(name, dtype, causal, d=64, t=256, **options):
        q, k, v = (normal(2, t, d, dtype=dtype) for _ in range(3))
        save(name, k_attention, (t // 64, 2), [q, k, v, torch.zeros_like(q), 0.18, t],
             {"D": d, "BM": 64, "BN": 64, "CAUSAL": causal}, **options)

    f32 = lambda *shape: torch.randn(*shape, device=DEVICE)
    cases = {
        "add": lambda: save("add", k_add, (10,), [f32(10000), f32(10000), f32(10000), 10000], {"B": 1024}),
        "matmul_bf16": lambda: product("matmul_bf16", torch.bfloat16, torch.float32),
        "matmul_f16_big": lambda: product("matmul_f16_big", torch.float16, torch.float16, bm=128, bn=128, bk=64, num_warps=8,
                                          num_stages=3),
        "matmul_f16_t": lambda: product("matmul_f16_t", torch.float16, torch.float32, bm=64, bn=128, bk=64, transposed=True),
        "matmul_f16_acc": lambda: product("matmul_f16_acc", torch.float16, torch.float16, acc=tl.float16),
        "matmul_tf32": lambda: product("matmul_tf32", torch.float32, torch.float32),
        "matmul_fp8": lambda: product("matmul_fp8", torch.float8_e4m3fn, torch.float32, bk=64, transposed=True),
        "matmul_fp8_e5": lambda: product("matmul_fp8_e5", torch.float8_e5m2, torch.float32, bk=128, transposed=True),
        "matmul_int8": lambda: product("matmul_int8", torch.int8, torch.int32, bk=64, transposed=True, acc=tl.int32),
        "matmul_f16_two": lambda: product("matmul_f16_two", torch.float16, torch.float32, bm=128, bn=64, bk=32, num_warps=4),
        "attention": lambda: attention("attention", torch.float16, False),
        "attention_causal": lambda: attention("attention_causal", torch.bfloat16, True),
        "attention_128": lambda: attention("attention_128", torch.float16, True, d=128, num_warps=4, num_stages=2),
        "copy_tma": lambda: save("copy_tma", k_copy_tma, (4, 4), [f32(256, 256), torch.zeros(256, 256, device=DEVICE), 256, 256],
                                 {"BM": 64, "BN": 64}),
        "matmul_tma": lambda: save("matmul_tma", k_matmul_tma, (4, 4),
                                   [normal(256, 256), normal(256, 256), normal(256, 256), 256, 256, 256],
                                   {"BM": 64, "BN": 64, "BK": 64}),
        "matmul_tma_big": lambda: save("matmul_tma_big", k_matmul_tma, (2, 2),
                                       [normal(256, 512), normal(256, 512), normal(256, 256), 256, 256, 512],
                                       {"BM": 128, "BN": 128, "BK": 64}, num_warps=8, num_stages=3),
        "scan": lambda: save("scan", k_scan, (4,), [f32(4096), f32(4096), 4096], {"B": 1024}),
        "sort": lambda: save("sort", k_sort, (4,), [f32(2048), f32(2048), 2048], {"B": 512}),
        "histogram": lambda: save("histogram", k_histogram, (4,), [torch.randint(0, 64, (4096,), device=DEVICE, dtype=torch.int32),
                                                                   torch.zeros(64, device=DEVICE, dtype=torch.int32), 4096],
                                  {"B": 1024, "BINS": 64}),
        "dropout": lambda: save("dropout", k_dropout, (4,), [f32(4096), f32(4096), 4096, 123, 0.3], {"B": 1024}),
        "gelu": lambda: save("gelu", k_gelu, (4,), [normal(4096), normal(4096), 4096], {"B": 1024}),
        "cross_entropy": lambda: save("cross_entropy", k_cross_entropy, (16,),
                                      [normal(16, 1000), torch.randint(0, 1000, (16,), device=DEVICE), f32(16), 1000],
                                      {"B": 1024}),
    }
    failed = 0
    for name, case in cases.items():
        try:
            case()
            print(f"{name}: saved")
        except Exception as error: # the other kernels are still worth having
            failed += 1
            print(f"{name}: {type(error).__name__}: {str(error)[:300]}")
    print(f"triton {triton.__version__}, {torch.cuda.get_device_name()}: {len(cases) - failed} of {len(cases)} saved")
    return failed > 0


sys.exit(main())
