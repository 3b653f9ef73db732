#!/bin/bash
# Compares the lockstep machine with the GPU bit for bit: every instruction form on seeded random operands (10^8 results
# and more), every matrix product (10^6 tiles per form), and random kernels (up to 12,000), each plain and counted, with
# the machine's counts. Takes nine and a half minutes on 16 cores. Differences are printed, explained by known
# assembler issues where possible (tests/random_kernels/explain.h), and shrunk to a small kernel.
#
#   tests/gpu/differential.sh                the program is taken from build/bundle (or $BUNDLE)
#   SEED=7 tests/gpu/differential.sh         other operands and kernels
#   ONLY=kernels tests/gpu/differential.sh   one of the three parts: forms, products, kernels
#   KERNELS=500 UNTIL=60 tests/gpu/differential.sh   N kernels, none started after this many seconds
#   SIZES=usual tests/gpu/differential.sh    kernels of the usual size; by default seven of eight are small
#   ROUNDS=25 tests/gpu/differential.sh      rounds of the products: 10,000 tiles each, for each of four seeds
#   ONLY=products PRODUCTS=.e4m3.,.e5m2. tests/gpu/differential.sh      those whose names contain one of these
#
# Needs only conformance_tests, which BUNDLE=build/ci takes from the build. OPTIONS are passed to it (--simt: the machine
# instead of the GPU). Leaves in $OUT (default out/differential) a text per process, kernel_SEED.ptx per difference, and
# summary.txt.
set +e
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUNDLE=${BUNDLE:-$ROOT/build/bundle}
OUT=${OUT:-$ROOT/out/differential}
SEED=${SEED:-29}
KERNELS=${KERNELS:-12000}
UNTIL=${UNTIL:-515}
ROUNDS=${ROUNDS:-25}
CORES=$(nproc)
PROGRAM=$BUNDLE/conformance_tests
export CUDA_CACHE_DISABLE=1 # each kernel runs only once
OPTIONS=${OPTIONS:-}
[ "${SIZES:-mixed}" = mixed ] && sizes=--mixed
mkdir -p "$OUT"
rm -f "$OUT"/*.txt
begin=$SECONDS

# Runs the kernels of a range of seeds. If a kernel makes the GPU unusable for a process, the next
# process starts with that kernel, runs only rewritten versions of it, and then continues with the
# others. If a version loses the GPU too, the process after that skips it.
kernels() {
    local at=$2 end=$3 text=$OUT/kernels_$1.txt until=$((begin + UNTIL)) left lost="" tried
    : >"$text"
    while [ "$at" -lt "$end" ]; do
        left=$((until - SECONDS))
        [ "$left" -gt 0 ] || [ -n "$lost" ] || break
        [ "$left" -gt 0 ] || left=0
        # shellcheck disable=SC2086
        timeout $((left + 75)) "$PROGRAM" $OPTIONS ${sizes:-} ${lost:+--lost ${tried:-0}} --kernels "$at" --count $((end - at)) \
            --seconds "$left" --shrinking 35 --out "$OUT" >"$text.part" 2>&1
        cat "$text.part" >>"$text"
        lost=$(sed -n 's/^lost the GPU at seed \([0-9]*\).*/\1/p' "$text.part")
        tried=$(sed -n 's/^lost the GPU at seed .* by explanation //p' "$text.part")
        tried=${tried:+$((tried + 1))}
        rm -f "$text.part"
        [ -n "$lost" ] || break
        at=$lost
    done
}
# differential NAME PART TIMES ROUNDS CASES SEED: appends to NAME_PART.txt; CASES: parts of names.
# shellcheck disable=SC2086
differential() {
    timeout 300 "$PROGRAM" $OPTIONS --differential "$6" --part "$2" "$CORES" --times "$3" --rounds "$4" --only "$5" \
        >>"$OUT/$1_$2.txt" 2>&1
}
forms() {
    differential forms "$1" 256 1 integer/,float/,half/,comparison/,conversion/,approximate/,bits/ "$SEED"
    differential forms "$1" 128 1 flushing/,carry/,octets/,video/ "$SEED"
}
products() {
    for more in 0 1 2 3; do differential products "$1" 1000 "$ROUNDS" "${PRODUCTS:-matrices/mma}" $((SEED + more)); done
}
# Cores do not wait for each other: some forms of products take many times as long as others.
share=$(((KERNELS + CORES - 1) / CORES))
all_of() {
    for what in forms products kernels; do
        [ "${ONLY:-$what}" = $what ] || continue
        if [ $what = kernels ]; then
            kernels "$1" $((SEED * 1000000 + $1 * share)) $((SEED * 1000000 + ($1 + 1) * share))
        else
            $what "$1"
        fi
        echo "$what $((SECONDS - begin))" >>"$OUT/times.txt"
    done
}
for ((i = 0; i < CORES; i++)); do all_of $i & done
wait

{
    echo "== what differs"
    grep -h "^seed [0-9]*, round" "$OUT"/*.txt | cut -c1-160
    grep -hs "^seed [0-9]*: " "$OUT"/kernels_*.txt | grep -v "results of" | cut -c1-400
    for what in forms products; do
        [ "${ONLY:-$what}" = $what ] || continue
        cat "$OUT/$what"_*.txt | awk -v what=$what -v seed="$SEED" '/results of/ {
            results += $3; differ += $8; if ($2 == seed ":") cases += $6 }
            END { printf "== %s, seed %d: %.4g results of %d cases, %d differ\n", what, seed, results, cases, differ }'
    done
    if [ "${ONLY:-kernels}" = kernels ]; then
        echo "== random kernels, seed $SEED: how they ended; where the seconds of $CORES processes went"
        grep -hs "^| " "$OUT"/kernels_*.txt | awk -F ' *[|] *' '
            { if (!($2 in sum)) order[++n] = $2; sum[$2] += $3; if ($2 !~ /^s: /) all += $3; if ($2 ~ /^unexplained/) open += $3 }
            END { for (i = 1; i <= n; i++) if (order[i] !~ /^s: /) printf "| %s | %d |\n", order[i], sum[order[i]]
                  printf "| all | %d |\n| unexplained in all | %d |\n", all, open
                  for (i = 1; i <= n; i++) if (order[i] ~ /^s: /) printf "| %s | %.0f s |\n", substr(order[i], 4), sum[order[i]] }'
    fi
    ends() { # a text: how often it must say so at its end
        [ "$(grep -c "$2" "$1")" -ge "$3" ] || echo "did not end: $1: $(tail -n 1 "$1")"
    }
    for file in "$OUT"/*_[0-9]*.txt; do
        case $file in
        */forms_*) ends "$file" "results of" 2 ;;
        */products_*) ends "$file" "results of" 4 ;;
        */kernels_*) ends "$file" "^seeds " 1 ;;
        esac
    done
    awk '{ sum[$1] += $2; some[$1]++; if ($2 > last[$1]) last[$1] = $2 }
        END { for (what in last) printf "%s: done after %.0f s on average, the last after %d s\n", what, sum[what] / some[what], last[what] }' \
        "$OUT/times.txt"
    echo "$((SECONDS - begin)) s"
} | tee "$OUT/summary.txt"
