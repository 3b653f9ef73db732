#!/bin/bash
# Whole programs with the real runtime: what they print beside what they print on the lockstep machine, the four tools of
# compute-sanitizer over those with a defect and their mended versions, and what calls return with right and wrong arguments.
# Then the library that passes calls on: all programs with it and without it in turn, for what they print and how long they
# take, and launches that are kept on the GPU.
#
#   tests/gpu/programs.sh            the program is build/bundle/lanescope (or in $BUNDLE), or build/lanescope
#   tests/gpu/programs.sh passing    the library alone; ROUNDS (7) of each program
#
# Needs nvcc and g++, and compute-sanitizer for the first part, python3 for kept launches. Leaves in $OUT (default out/programs)
# all outputs, sanitizer.csv, api_returns.diff, passing.csv and kept.txt.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUNDLE=${BUNDLE:-$root/build/bundle}
out=${OUT:-$root/out/programs}
lanescope=$root/build/lanescope
[ -x "$BUNDLE/lanescope" ] && lanescope=$BUNDLE/lanescope
[ -x "$lanescope" ] || lanescope=
programs=$root/tests/programs
mkdir -p "$out"/{bin,gpu,simt,sanitizer}
architecture=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | tee "$out/device.txt"

build() { # source, what it is built for besides text
    local name; name=$(basename "$1" .cu)
    local separate=(); [ "$name" = launches ] && separate=(-rdc=true -lcudadevrt)
    [ "$name" = per_thread ] && separate=(--default-stream=per-thread)
    nvcc -std=c++17 -lineinfo -Xcompiler -g1 -cudart shared "${separate[@]}" \
         -gencode=arch=compute_80,code=compute_80 -gencode="arch=compute_$architecture,code=sm_$architecture" \
         -o "$out/bin/$name" "$1" 2>"$out/bin/$name.log" || { cat "$out/bin/$name.log"; return 1; }
}
for source in "$programs"/*.cu; do build "$source" & done
cat >"$out/bin/many.cu" <<'CODE'
// As many launches as a solver's: what each costs more is seen here.
#include <cstdio>
#include <cuda_runtime.h>
__global__ void add(int* value) { *value += 1; }
int main()
{
    int* value;
    cudaMalloc(&value, sizeof(int));
    cudaMemset(value, 0, sizeof(int));
    for (int i = 0; i < 100000; ++i) add<<<1, 1>>>(value);
    int sum = 0;
    cudaMemcpy(&sum, value, sizeof sum, cudaMemcpyDeviceToHost);
    std::printf("%d\n", sum);
    return cudaFree(value);
}
CODE
build "$out/bin/many.cu" &
wait

# --- The library that passes calls on ---

real=$(ldd "$out/bin/basics" | awk '/libcudart/ { print $3 }')
[ -f "$real" ] || real=$(dirname "$(command -v nvcc)")/../lib64/$(ldd "$out/bin/basics" | awk '/libcudart/ { print $1 }')
passing=$(dirname "${lanescope:-/}")/runtime/passing/$(basename "$real")

median() { sort -n | awk '{ all[NR] = $1 } END { print (NR % 2) ? all[(NR + 1) / 2] : (all[NR / 2] + all[NR / 2 + 1]) / 2 }'; }
took() { # microseconds of a command, whose output goes to the file $to
    local begin=$EPOCHREALTIME
    "$@" >"$to" 2>&1
    local end=$EPOCHREALTIME
    echo $((${end/./} - ${begin/./}))
}
compare_passing() { # program, arguments
    local name=${2:-$(basename "$1")} plain=() passed=() to differs="" round
    for ((round = 0; round < ${ROUNDS:-7}; ++round)); do
        to=$out/passing/$name.plain; plain+=("$(took env LANESCOPE_NONE=1 "$@")")
        to=$out/passing/$name.passed; passed+=("$(took env LANESCOPE_REPORT=9 LANESCOPE_CUDART="$real" LD_PRELOAD="$passing" "$@" 9>"$out/passing/$name.jsonl")")
        cmp -s "$out/passing/$name.plain" "$out/passing/$name.passed" || differs=differs
    done
    local without with; without=$(printf '%s\n' "${plain[@]}" | median); with=$(printf '%s\n' "${passed[@]}" | median)
    local listed; listed=$(grep -cE '^{"event":"(launch|copy)"' "$out/passing/$name.jsonl")
    echo "$name,$without,$with,$(awk "BEGIN { printf \"%.3f\", $with / $without }"),$listed,${differs:-same}"
}
test_passing() {
    mkdir -p "$out/passing"
    echo "program,us without,us with,ratio,listed,output" >"$out/passing.csv"
    for file in basics memory streams language launches per_thread; do
        for name in $("$out/bin/$file" --list); do compare_passing "$out/bin/$file" "$name" >>"$out/passing.csv"; done
    done
    compare_passing "$out/bin/api_returns" >>"$out/passing.csv"
    compare_passing "$out/bin/many" >>"$out/passing.csv"
    python3 "$root/tests/programs.py" --lanescope "$lanescope" --programs "$out/bin" --real "$real" \
        basics.cu memory.cu streams.cu language.cu per_thread.cu >"$out/kept.txt" 2>&1
}
passing_table() {
    echo "library: $passing, to $real"
    awk -F, '{ printf "%-24s %12s %12s %8s %8s  %s\n", $1, $2, $3, $4, $5, $6 }' "$out/passing.csv"
    tail -20 "$out/kept.txt" | cut -c1-600
    awk -F, 'NR > 1 { ++programs; same += $6 == "same"; slow += $4 > 1.1; with += $3; without += $2; if ($4 > most) { most = $4; worst = $1 } }
             END { printf "passed on: %d programs, output the same in %d, time with it above 1.1 x in %d (most %.3f: %s), all together %.3f x\n",
                   programs, same, slow, most, worst, with / without }' "$out/passing.csv"
}
if [ -f "$passing" ]; then test_passing; else echo "There is no $passing."; fi
if [ "${1:-}" = passing ]; then passing_table; exit; fi

same=0; differing=()
for file in basics memory streams language launches per_thread; do
    for name in $("$out/bin/$file" --list); do
        timeout 60 "$out/bin/$file" "$name" >"$out/gpu/$name.txt" 2>&1
        if [ -n "$lanescope" ]; then
            "$lanescope" program "$out/bin/$file" -- "$name" >"$out/simt/$name.txt" 2>"$out/simt/$name.report"
        fi
        if cmp -s "$out/gpu/$name.txt" "$out/simt/$name.txt"; then same=$((same + 1)); else differing+=("$name"); fi
    done
done

sanitize() { # defect, tool, "mended" or ""
    local mended=${3:-} extra=() ended sentence
    local text="$out/sanitizer/$1.$2$mended.txt"
    [ "$2" = memcheck ] && extra=(--leak-check full)
    timeout 30 compute-sanitizer --tool "$2" "${extra[@]}" "$out/bin/defects" "$1" $mended >"$text" 2>&1
    ended=$?
    sentence=$(grep -m1 -E "Invalid|Race|Uninitialized|Barrier|Leaked|Program hit|Divergent|Hazard" "$text" | tr -d '=,' | cut -c1-90)
    [ $ended = 124 ] && sentence="(no end within 30 s)"
    [ -z "$sentence" ] || echo "$1${mended:+ mended},$2,$sentence"
}
echo "defect,tool,what it says" >"$out/sanitizer.csv"
for name in $("$out/bin/defects" --list); do
    for tool in memcheck racecheck initcheck synccheck; do
        for mended in "" mended; do sanitize "$name" $tool $mended >"$out/sanitizer/$name.$tool$mended.row" & done
    done
    wait
    cat "$out/sanitizer/$name".*.row >>"$out/sanitizer.csv"
    if [ -n "$lanescope" ]; then
        "$lanescope" program "$out/bin/defects" --json --time-limit 120 -- "$name" >"$out/sanitizer/$name.json" 2>/dev/null
        kinds=$(grep -oE '"kind": *"[a-z_]+"' "$out/sanitizer/$name.json" | cut -d'"' -f4 | sort -u | tr '\n' ' ')
        echo "$name,lanescope,$kinds" >>"$out/sanitizer.csv"
    fi
done

timeout 120 "$out/bin/api_returns" >"$out/gpu/api_returns.txt" 2>&1
if [ -n "$lanescope" ]; then
    "$lanescope" program "$out/bin/api_returns" >"$out/simt/api_returns.txt" 2>"$out/simt/api_returns.report"
fi
diff "$out/gpu/api_returns.txt" "$out/simt/api_returns.txt" >"$out/api_returns.diff"
calls=$(grep -cE '^ *[0-9]+ cuda|^ *[0-9]+ [a-z_]+<<<' "$out/gpu/api_returns.txt")
wrong=$(grep -cE '^<' "$out/api_returns.diff")

echo
echo "programs with the same output on GPU and lockstep machine: $same; others: ${differing[*]:-none}"
echo "calls compared: $calls; lines that differ: $wrong (api_returns.diff)"
awk -F, '{ printf "%-32s %-10s %s\n", $1, $2, $3 }' "$out/sanitizer.csv"
[ -f "$passing" ] && passing_table
