#!/bin/bash
# The lockstep machine and the GPU against each other, bit for bit: every instruction form and matrix product on operands
# drawn by a seed (10^8 results and more), and random kernels (10,000), each counted, plain and on the machine, count for
# count. Within eight minutes on 16 cores; what differs is printed, and shrunk to a small kernel.
#
#   tests/gpu/differential.sh                the program is taken from build/bundle (or $BUNDLE)
#   SEED=7 tests/gpu/differential.sh         other operands and kernels
#   KERNELS=500 ONLY=kernels tests/gpu/differential.sh     kernels alone, so many; ONLY=forms the forms alone
#
# Leaves in $OUT (default out/differential): a text for each process, kernel_SEED.ptx for what differs, and summary.txt.
set +e
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUNDLE=${BUNDLE:-$ROOT/build/bundle}
OUT=${OUT:-$ROOT/out/differential}
SEED=${SEED:-29}
KERNELS=${KERNELS:-10400}
CORES=$(nproc)
PROGRAM=$BUNDLE/conformance_tests
export CUDA_CACHE_DISABLE=1 # kernels that nobody runs a second time
mkdir -p "$OUT"
begin=$SECONDS

# The kernels from a seed to another: a process that loses the GPU to a kernel is followed by one that begins behind it.
kernels() {
    local at=$2 end=$3 text=$OUT/kernels_$1.txt until=$((SECONDS + 420)) lost
    : >"$text"
    while [ "$at" -lt "$end" ] && [ $((until - SECONDS)) -gt 0 ]; do
        timeout $((until - SECONDS + 50)) "$PROGRAM" --kernels "$at" --count $((end - at)) \
            --seconds $((until - SECONDS)) --out "$OUT" >"$text.part" 2>&1
        cat "$text.part" >>"$text"
        lost=$(sed -n 's/^lost the GPU at seed //p' "$text.part")
        rm -f "$text.part"
        [ -n "$lost" ] || break
        at=$((lost + 1))
    done
}
form() { timeout 460 "$PROGRAM" --differential "$SEED" "${@:2}" >"$OUT/$1.txt" 2>&1; }
if [ "${ONLY:-forms}" = forms ]; then
    form matrices --times 1000 --rounds 100 --only matrices/mma &
    (for group in integer float half; do form "$group" --times 256 --only "$group/"; done) &
    (for group in comparison conversion approximate bits; do form "$group" --times 256 --only "$group/"; done) &
    (for group in flushing carry octets video; do form "$group" --times 128 --only "$group/"; done) &
fi
if [ "${ONLY:-kernels}" = kernels ]; then
    processes=$((CORES > 6 ? CORES - 3 : CORES))
    share=$(((KERNELS + processes - 1) / processes))
    for ((i = 0; i < processes; i++)); do
        kernels $i $((SEED * 1000000 + i * share)) $((SEED * 1000000 + (i + 1) * share)) &
    done
fi
wait

{
    echo "== what differs"
    grep -h "^seed [0-9]*, round" "$OUT"/*.txt | cut -c1-160
    grep -h "^seed [0-9]*: " "$OUT"/kernels_*.txt | grep -v "results of" | cut -c1-240
    echo "== instruction forms and products, seed $SEED"
    for file in "$OUT"/*.txt; do
        case $file in */kernels_* | */summary.txt) continue ;; esac
        printf '%-12s %s\n' "$(basename "$file" .txt)" "$(tail -n 1 "$file")"
    done
    grep -h "results of" "$OUT"/*.txt | awk '{ results += $3; cases += $6; differ += $8 }
        END { printf "in all        %.4g results of %d cases, %d cases differ\n", results, cases, differ }'
    echo "== random kernels"
    grep -h "^seeds " "$OUT"/kernels_*.txt | sed 's/.*: //' | awk '{
        for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+$/) sum[++n] += $i; n = 0 }
        END { printf "%d kernels: %d equal in every bit and count, %d with lanes that met elsewhere, %d with other counts, " \
                     "%d with other bits when probed, %d with other bits, %d ended in an error\n",
                     sum[1], sum[2], sum[3], sum[4], sum[5], sum[6], sum[7] }'
    echo "$((SECONDS - begin)) s"
} | tee "$OUT/summary.txt"
