#!/bin/bash
# Every instruction form and matrix product on operands drawn by a seed, on the lockstep machine and the GPU, bit for bit:
# 10^8 results of instructions, and 10^6 tiles of each product. About five minutes; what differs is printed with its operands.
#
#   tests/gpu/differential.sh           the program is taken from build/bundle (or $BUNDLE)
#   SEED=7 tests/gpu/differential.sh    other operands
#
# Leaves in $OUT (default out/differential): instructions.txt and matrices.txt.
set +e
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUNDLE=${BUNDLE:-$ROOT/build/bundle}
OUT=${OUT:-$ROOT/out/differential}
SEED=${SEED:-29}
mkdir -p "$OUT"
run() { timeout "$1" "$BUNDLE/conformance_tests" --differential "$SEED" "${@:3}" >"$OUT/$2.txt" 2>&1; grep -c "^seed.*round" "$OUT/$2.txt"; tail -n 1 "$OUT/$2.txt"; }
run 240 matrices --times 1000 --rounds 100 --only matrices/mma
for group in integer carry bits float approximate half comparison conversion flushing; do
    run 100 "$group" --times 256 --only "$group/"
done
grep -h "^seed.*round" "$OUT"/*.txt | cut -c1-150
