#!/bin/bash
# The lockstep machine and the GPU against each other, bit for bit: every instruction form and matrix product on operands
# drawn by a seed (10^8 results and more), and random kernels (10,000), each counted, plain and on the machine, count for
# count. Within nine minutes on 16 cores; what differs is printed, explained by what is known of the assembler where that is
# so (tests/random_kernels/explain.h), and shrunk to a small kernel.
#
#   tests/gpu/differential.sh                the program is taken from build/bundle (or $BUNDLE)
#   SEED=7 tests/gpu/differential.sh         other operands and kernels
#   ONLY=kernels tests/gpu/differential.sh   kernels alone, on all cores; ONLY=forms the forms alone
#   KERNELS=500 SECONDS_FOR=60 tests/gpu/differential.sh   so many kernels, those that are begun within so many seconds
#   SIZES=usual tests/gpu/differential.sh    as the kernels were before: seven of eight are small unless it is said
#
# conformance_tests is all that it runs: BUNDLE=build takes it from the build. OPTIONS are handed to it for the kernels
# (--simt: the machine in place of the GPU).
# Leaves in $OUT (default out/differential): a text for each process, kernel_SEED.ptx for what differs, and summary.txt.
set +e
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUNDLE=${BUNDLE:-$ROOT/build/bundle}
OUT=${OUT:-$ROOT/out/differential}
SEED=${SEED:-29}
KERNELS=${KERNELS:-10400}
SECONDS_FOR=${SECONDS_FOR:-460}
CORES=$(nproc)
PROGRAM=$BUNDLE/conformance_tests
export CUDA_CACHE_DISABLE=1 # kernels that nobody runs a second time
[ "${SIZES:-mixed}" = mixed ] && OPTIONS="--mixed ${OPTIONS:-}"
mkdir -p "$OUT"
begin=$SECONDS

# The kernels from a seed to another. A process that loses the GPU to a kernel is followed by one that begins with it, runs it
# in other words alone, and goes on behind it.
kernels() {
    local at=$2 end=$3 text=$OUT/kernels_$1.txt until=$((SECONDS + SECONDS_FOR)) left lost="" before
    : >"$text"
    while [ "$at" -lt "$end" ]; do
        left=$((until - SECONDS))
        [ "$left" -gt 0 ] || [ -n "$lost" ] || break
        [ "$left" -gt 0 ] || left=0
        before=$lost
        # shellcheck disable=SC2086
        timeout $((left + 75)) "$PROGRAM" $OPTIONS ${lost:+--lost} --kernels "$at" --count $((end - at)) \
            --seconds "$left" --shrinking 45 --out "$OUT" >"$text.part" 2>&1
        cat "$text.part" >>"$text"
        lost=$(sed -n 's/^lost the GPU at seed //p' "$text.part")
        rm -f "$text.part"
        [ -n "$lost" ] || break
        at=$lost
        if [ "$lost" = "$before" ]; then # lost again, and counted
            at=$((lost + 1))
            lost=""
        fi
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
    processes=$CORES
    [ -z "${ONLY:-}" ] && [ "$CORES" -gt 6 ] && processes=$((CORES - 3))
    share=$(((KERNELS + processes - 1) / processes))
    for ((i = 0; i < processes; i++)); do
        kernels $i $((SEED * 1000000 + i * share)) $((SEED * 1000000 + (i + 1) * share)) &
    done
fi
wait

{
    echo "== what differs"
    grep -h "^seed [0-9]*, round" "$OUT"/*.txt | cut -c1-160
    grep -h "^seed [0-9]*: " "$OUT"/kernels_*.txt | grep -v "results of" | cut -c1-400
    if [ "${ONLY:-forms}" = forms ]; then
        echo "== instruction forms and products, seed $SEED"
        for file in "$OUT"/*.txt; do
            case $file in */kernels_* | */summary.txt) continue ;; esac
            printf '%-12s %s\n' "$(basename "$file" .txt)" "$(tail -n 1 "$file")"
        done
        grep -h "results of" "$OUT"/*.txt | awk '{ results += $3; cases += $6; differ += $8 }
            END { printf "in all        %.4g results of %d cases, %d cases differ\n", results, cases, differ }'
    fi
    if [ "${ONLY:-kernels}" = kernels ]; then
        echo "== random kernels, seed $SEED: how they ended; where the seconds of $processes processes went"
        grep -h "^| " "$OUT"/kernels_*.txt | awk -F ' *[|] *' '
            { if (!($2 in sum)) order[++n] = $2; sum[$2] += $3; if ($2 !~ /^s: /) all += $3; if ($2 ~ /^unexplained/) open += $3 }
            END { for (i = 1; i <= n; i++) if (order[i] !~ /^s: /) printf "| %s | %d |\n", order[i], sum[order[i]]
                  printf "| all | %d |\n| unexplained in all | %d |\n", all, open
                  for (i = 1; i <= n; i++) if (order[i] ~ /^s: /) printf "| %s | %.0f s |\n", substr(order[i], 4), sum[order[i]] }'
    fi
    echo "$((SECONDS - begin)) s"
} | tee "$OUT/summary.txt"
