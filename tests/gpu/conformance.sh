#!/bin/bash
# Records the GPU's reference results for the lockstep machine: the outputs of every conformance
# case, and the counts of every pattern kernel with Nsight Compute. Takes under four minutes.
#
#   tests/gpu/conformance.sh [conformance_tests]     the program is taken from build/bundle (or $BUNDLE) or build/ci/
#   ONLY=REGEX tests/gpu/conformance.sh              counts these pattern kernels only, and records no outputs
#
# Leaves in $OUT (default out/conformance): recorded/ (to be copied to tests/conformance/recorded/),
# compare.txt (both engines side by side) and ncu.log. Counters may need administrator rights.
set +e
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUNDLE=${BUNDLE:-$ROOT/build/bundle}
OUT=${OUT:-$ROOT/out/conformance}
PROGRAM=$1
for candidate in "$BUNDLE/conformance_tests" "$ROOT/build/ci/conformance_tests"; do
    [ -z "$PROGRAM" ] && [ -x "$candidate" ] && PROGRAM=$candidate
done
if [ -z "$PROGRAM" ] || [ ! -x "$PROGRAM" ]; then
    echo "There is no program conformance_tests. Build it, or give its path." >&2
    exit 3
fi
mkdir -p "$OUT/recorded"

if [ -z "${ONLY:-}" ]; then
    echo "== outputs"
    timeout 60 "$PROGRAM" --record "$OUT/recorded" 2>&1 | tail -n 40
    echo "== both engines"
    timeout 60 "$PROGRAM" --compare-gpu >"$OUT/compare.txt" 2>&1
    tail -n 1 "$OUT/compare.txt"
fi

NCU=$(command -v ncu || ls -1 /usr/local/cuda*/bin/ncu /opt/nvidia/nsight-compute/*/ncu 2>/dev/null | tail -n 1)
if [ -z "$NCU" ]; then
    echo "Nsight Compute is not on this machine: no counts were recorded." >&2
    exit 4
fi
T=l1tex__t
G=pipe_lsu_mem_global_op
METRICS=memory_l1_wavefronts_shared,memory_l1_wavefronts_shared_ideal
METRICS+=,memory_l2_theoretical_sectors_global,memory_l2_theoretical_sectors_global_ideal
METRICS+=,${T}_output_wavefronts_${G}_ld.sum
for op in ld st atom red; do
    METRICS+=,${T}_requests_${G}_$op.sum,${T}_sectors_${G}_$op.sum
done
for op in ld st atom; do
    METRICS+=,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_$op.sum
done
echo "== counts ($NCU)"
timeout -s INT 110 "$NCU" --clock-control none --cache-control none --csv --page raw --print-units base \
    --kernel-name "regex:${ONLY:-.}" --metrics "$METRICS" "$PROGRAM" --patterns >"$OUT/ncu.log" 2>&1
# Extracts the kernel names and the metrics' sums from the raw page, and drops the row of units.
grep '^"' "$OUT/ncu.log" | awk -F '","' '
    NR == 1 { for (i = 1; i <= NF; ++i) if ($i == "Kernel Name" || $i ~ /^l1tex__.*[.]sum$/ || $i ~ /^memory_/) keep[++count] = i }
    NR != 2 { for (k = 1; k <= count; ++k) { field = $(keep[k]); gsub(/[",]/, "", field); printf "%s%s", (k > 1 ? "," : ""), field } print "" }
' >"$OUT/recorded/counts.csv"
echo "$(($(wc -l <"$OUT/recorded/counts.csv") - 1)) kernels counted, $SECONDS s in all"
