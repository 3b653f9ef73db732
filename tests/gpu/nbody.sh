#!/bin/bash
# Times the kernels of the lab N-body at 65,536 bodies against the GPU's multiply-adds in the same run, and against a kernel
# like that of NVIDIA's sample. Needs nvcc and a GPU, not the program. Takes about half a minute, most of it for nvcc.
#
#   tests/gpu/nbody.sh
#
# Prints the table, and leaves it as table.txt in $OUT (default out/nbody).
set -e
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
OUT=${OUT:-$ROOT/out/nbody}
NVCC=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
mkdir -p "$OUT"
"$NVCC" -O3 -arch=native -std=c++20 -I"$ROOT" -o "$OUT/nbody" "$ROOT/tests/bench/nbody.cu"
"$OUT/nbody" | tee "$OUT/table.txt"
exit "${PIPESTATUS[0]}"
