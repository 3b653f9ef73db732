#!/bin/bash
# Times the fastest kernels of the lab Tensor cores against cuBLAS in bf16, all in one run.
#
#   tests/gpu/tensor_cores.sh [SIZE [ROUNDS]]      default 8192 60; needs nvcc, cuBLAS and a GPU of capability 9.0
#
# cuBLAS is $CUBLAS, or the newest that PyTorch's packages or the toolkit have. Leaves the table in $OUT (default
# out/tensor_cores)/table.txt and prints it last. Exits with 1 if a result is wrong.
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
OUT=${OUT:-$ROOT/out/tensor_cores}
mkdir -p "$OUT"
if [ -z "${CUBLAS:-}" ]; then
    PACKAGES=$(python3 -c 'import site, sys; print(" ".join(site.getsitepackages() + [site.getusersitepackages()]))')
    # shellcheck disable=SC2086
    CUBLAS=$(find $PACKAGES /usr/local/cuda*/ /usr/lib/x86_64-linux-gnu -name 'libcublas.so.1[2-9]' 2>/dev/null | head -1)
fi
if [ -z "$CUBLAS" ]; then
    echo "no cuBLAS found: set CUBLAS to the path of libcublas.so.13" >&2
    exit 2
fi
echo "cuBLAS: $CUBLAS"
nvcc -gencode arch=compute_90a,code=sm_90a -std=c++20 -O3 -I "$ROOT" -o "$OUT/tensor_cores" "$ROOT/tests/bench/tensor_cores.cu" -ldl ||
    exit 2
LD_LIBRARY_PATH=$(dirname "$CUBLAS"):${LD_LIBRARY_PATH:-} "$OUT/tensor_cores" "$CUBLAS" "$@" | tee "$OUT/table.txt"
exit "${PIPESTATUS[0]}"
