#!/bin/bash
# Runs whole programs with the real runtime and driver, and compares their output with that on the
# lockstep machine, the findings of compute-sanitizer's four tools on programs with a defect and on
# their fixed versions, and the return values of valid and invalid calls. Then the forwarding
# library: all programs with and without it, alternating, comparing output and time; and launches
# that are kept on the GPU.
#
#   tests/gpu/programs.sh            all parts; the program is build/bundle/lanescope (or in $BUNDLE), or build/lanescope
#   tests/gpu/programs.sh driver     programs of the driver API only: their output, the return values of its calls
#   tests/gpu/programs.sh graphics   programs that share memory with OpenGL: their output, with and without the library
#   tests/gpu/programs.sh sanitizer  compute-sanitizer only, 16 at a time (JOBS), within 300 s (LIMIT), 25 s each (EACH)
#   tests/gpu/programs.sh passing    the library only; ROUNDS (7) of each program
#
# Needs nvcc and g++; compute-sanitizer (or $SANITIZER) for its part, NVRTC for programs of the
# driver API, python3 for kept launches. Leaves in $OUT (default out/programs) all outputs,
# sanitizer.csv, *_returns.diff, passing.csv and kept.txt.
set -u
part=${1:-all}
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

# Prints linker options for the toolkit's driver stub and for NVRTC.
driver_libraries() {
    local home folder; home=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
    for folder in "$home"/lib64 "$home"/lib "$home"/targets/x86_64-linux/lib; do
        [ -f "$folder/stubs/libcuda.so" ] && echo "-L$folder/stubs"
        [ -f "$folder/libnvrtc.so" ] && echo "-L$folder -Xlinker -rpath=$folder"
    done
    echo "-lcuda -lnvrtc"
}
build() { # source
    local name; name=$(basename "$1" .cu)
    [ "$out/bin/$name" -nt "$1" ] && return # a part before this one has built it
    local more=(); [ "$name" = launches ] && more=(-rdc=true -lcudadevrt)
    [ "$name" = per_thread ] && more=(--default-stream=per-thread)
    # shellcheck disable=SC2207
    [[ "$name" = driver* ]] && more=($(driver_libraries))
    [[ "$name" = *graphics ]] && more+=(-lEGL -lGL)
    nvcc -std=c++17 -lineinfo -Xcompiler -g1 -cudart shared \
         -gencode=arch=compute_80,code=compute_80 -gencode="arch=compute_$architecture,code=sm_$architecture" \
         -o "$out/bin/$name" "$1" "${more[@]}" 2>"$out/bin/$name.log" || { cat "$out/bin/$name.log"; return 1; }
}
case $part in
    driver) sources=("$programs"/driver*.cu) ;;
    graphics) sources=("$programs"/*graphics.cu) ;;
    sanitizer) sources=("$programs"/*defects.cu) ;;
    *) sources=("$programs"/*.cu) ;;
esac
for source in "${sources[@]}"; do build "$source" & done
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
[[ "$part" = all || "$part" = passing ]] && build "$out/bin/many.cu" &
wait

# --- compute-sanitizer ---

export SANITIZER=${SANITIZER:-$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | head -1)}
export LIMIT=${LIMIT:-300} EACH=${EACH:-25} out lanescope began
# sanitize FILE PROGRAM TOOL mended|defect: writes a row with the tool's first finding, if any. A
# program that does not end is killed with its whole process group; what the tool has printed by
# then counts.
sanitize() {
    local text="$out/sanitizer/$2.$3.$4.txt" arguments=("$2") extra=() ended sentence=""
    [ "$4" = mended ] && arguments+=(mended)
    [ "$3" = memcheck ] && extra=(--leak-check full)
    if [ $(($(date +%s) - began)) -ge "$LIMIT" ]; then
        echo "$2,$3,$4,(not run: $LIMIT s were over)" >"$out/sanitizer/$2.$3.$4.row"
        return
    fi
    timeout --signal=TERM --kill-after=3 "$EACH" \
        "$SANITIZER" --tool "$3" "${extra[@]}" "$out/bin/$1" "${arguments[@]}" >"$text" 2>&1 </dev/null
    ended=$?
    if grep -qE "(ERROR|LEAK|RACECHECK) SUMMARY: [1-9]" "$text" || { [ $ended -ge 124 ] && grep -qE "^=+ (Invalid|Error|Warning|Barrier|Uninit|Leaked)" "$text"; }; then
        sentence=$(grep -m1 -E "^=+ +(Invalid|Misaligned|Error|Warning|Barrier|Uninitialized|Leaked|Program hit|Divergent|Race|Potential|Host|Address)" "$text" | tr -d '=,' | sed 's/^ *//' | cut -c1-70)
        sentence=${sentence:-found}
    fi
    [ $ended -ge 124 ] && sentence="${sentence:+$sentence; }(no end within $EACH s)"
    echo "$2,$3,$4,$sentence" >"$out/sanitizer/$2.$3.$4.row"
}
# Writes a row with the kinds of findings that the lockstep machine reports, or none.
find_ours() { # file, program, "ours", "mended" or "defect"
    local text="$out/sanitizer/$2.ours.$4.json" arguments=("$2") kinds
    [ "$4" = mended ] && arguments+=(mended)
    timeout --kill-after=3 60 "$lanescope" program "$out/bin/$1" --json --time-limit 50 -- "${arguments[@]}" >"$text" 2>/dev/null </dev/null
    kinds=$(grep -oE '"kind": *"[a-z_]+"' "$text" | cut -d'"' -f4 | sort -u | tr '\n' ' ')
    echo "$2,ours,$4,$kinds" >"$out/sanitizer/$2.ours.$4.row"
}
sanitizer_job() { if [ "$3" = ours ]; then find_ours "$@"; else sanitize "$@"; fi; }
export -f sanitize find_ours sanitizer_job
test_sanitizer() {
    began=$(date +%s); export began
    rm -f "$out"/sanitizer/*.row
    local file name tool version
    for file in defects driver_defects; do
        [ -x "$out/bin/$file" ] || continue
        for name in $("$out/bin/$file" --list); do
            for version in defect mended; do
                for tool in memcheck racecheck initcheck synccheck; do
                    [ -x "$SANITIZER" ] && echo "$file $name $tool $version"
                done
                [ -n "$lanescope" ] && echo "$file $name ours $version"
            done
        done
    done >"$out/sanitizer/jobs.txt"
    [ -x "$SANITIZER" ] || echo "There is no compute-sanitizer."
    xargs -P "${JOBS:-16}" -L 1 bash -c 'sanitizer_job "$@"' _ <"$out/sanitizer/jobs.txt"
    { echo "program,tool,version,what it says"; sort "$out"/sanitizer/*.row; } >"$out/sanitizer.csv"
    echo "compute-sanitizer and the lockstep machine: $(wc -l <"$out/sanitizer/jobs.txt") runs in $(($(date +%s) - began)) s"
}
sanitizer_table() {
    awk -F, 'NR > 1 { said[$1, $2, $3] = $4; programs[$1] }
        function mark(program, tool,    text) {
            text = said[program, tool, "defect"]
            return text == "" ? "-" : text ~ /^\(no end/ ? "no end" : text ~ /^\(not/ ? "not run" : "found"
        }
        END {
            split("memcheck racecheck initcheck synccheck", tools, " ")
            printf "%-26s %-9s %-9s %-9s %-9s  %-32s %s\n", "program", tools[1], tools[2], tools[3], tools[4], "lockstep machine", "said of the mended one"
            sorted = "sort"
            for (program in programs) {
                line = sprintf("%-26s", program); theirs = 0; mended = ""
                for (i = 1; i <= 4; ++i) {
                    line = line sprintf(" %-9s", mark(program, tools[i]))
                    if (said[program, tools[i], "defect"] != "" && said[program, tools[i], "defect"] !~ /^\(/) theirs = 1
                    if (said[program, tools[i], "mended"] != "") mended = mended tools[i] ": " said[program, tools[i], "mended"] "; "
                }
                ours = said[program, "ours", "defect"]
                if (said[program, "ours", "mended"] != "") mended = mended "lockstep machine: " said[program, "ours", "mended"]
                print line sprintf("  %-32s %s", ours == "" ? "-" : ours, mended) | sorted
                all += 1; found_theirs += theirs; found_ours += ours != ""
                if (theirs && ours == "") missed = missed " " program
                if (!theirs && ours != "") more = more " " program
                if (mended != "") noisy = noisy " " program
            }
            close(sorted)
            printf "%d programs with a defect: found by a tool of compute-sanitizer %d, by the lockstep machine %d\n", all, found_theirs, found_ours
            printf "found there and not here:%s\nfound here and not there:%s\nmended ones of which something is said:%s\n", missed == "" ? " none" : missed, more == "" ? " none" : more, noisy == "" ? " none" : noisy
        }' "$out/sanitizer.csv"
}
if [ "$part" = sanitizer ]; then test_sanitizer; sanitizer_table; exit; fi

# In *graphics, correct programs that share memory with OpenGL have gl_ in their names.
right_programs() { # file
    if [[ "$1" = *graphics ]]; then "$out/bin/$1" --list | grep gl_; else "$out/bin/$1" --list; fi
}

# --- The forwarding library ---

one=$out/bin/driver
[ "$part" = graphics ] && one=$out/bin/graphics
real=$(ldd "$one" | awk '/libcudart/ { print $3 }')
[ -f "$real" ] || real=$(dirname "$(command -v nvcc)")/../lib64/$(ldd "$one" | awk '/libcudart/ { print $1 }')
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
        if ! cmp -s "$out/passing/$name.plain" "$out/passing/$name.passed"; then
            differs=differs
            diff "$out/passing/$name.plain" "$out/passing/$name.passed" >"$out/passing/$name.diff"
        fi
    done
    local without with; without=$(printf '%s\n' "${plain[@]}" | median); with=$(printf '%s\n' "${passed[@]}" | median)
    local listed; listed=$(grep -cE '^{"event":"(launch|copy)"' "$out/passing/$name.jsonl")
    echo "$name,$without,$with,$(awk "BEGIN { printf \"%.3f\", $with / $without }"),$listed,${differs:-same}"
}
test_passing() {
    mkdir -p "$out/passing"
    rm -f "$out"/passing/*.diff
    echo "program,us without,us with,ratio,listed,output" >"$out/passing.csv"
    local files=(basics memory streams language launches per_thread driver graphics driver_graphics)
    [ "$part" = graphics ] && files=(graphics driver_graphics)
    for file in "${files[@]}"; do
        for name in $(right_programs "$file"); do compare_passing "$out/bin/$file" "$name" >>"$out/passing.csv"; done
    done
    [ "$part" = graphics ] && return
    compare_passing "$out/bin/api_returns" >>"$out/passing.csv"
    compare_passing "$out/bin/driver_returns" >>"$out/passing.csv"
    compare_passing "$out/bin/many" >>"$out/passing.csv"
    python3 "$root/tests/programs.py" --lanescope "$lanescope" --programs "$out/bin" --real "$real" \
        basics.cu memory.cu streams.cu language.cu per_thread.cu >"$out/kept.txt" 2>&1
}
passing_table() {
    echo "library: $passing, to $real"
    awk -F, '{ printf "%-24s %12s %12s %8s %8s  %s\n", $1, $2, $3, $4, $5, $6 }' "$out/passing.csv"
    tail -20 "$out/kept.txt" | cut -c1-600
    for file in "$out"/passing/*.diff; do
        [ -f "$file" ] && echo "$(basename "$file" .diff): alone (<) and passed on (>)" && head -40 "$file"
    done
    awk -F, 'NR > 1 { ++programs; same += $6 == "same"; slow += $4 > 1.1; with += $3; without += $2; if ($4 > most) { most = $4; worst = $1 } }
             END { printf "passed on: %d programs, output the same in %d, time with it above 1.1 x in %d (most %.3f: %s), all together %.3f x\n",
                   programs, same, slow, most, worst, with / without }' "$out/passing.csv"
}
test_and_print_passing() {
    if [ -f "$passing" ]; then test_passing; passing_table; else echo "There is no $passing."; fi
}
if [ "$part" = passing ]; then test_and_print_passing; exit; fi

# --- Output of programs, and return values of calls ---

same=0; differing=()
files=(basics memory streams language launches per_thread driver graphics driver_graphics)
[ "$part" = driver ] && files=(driver)
[ "$part" = graphics ] && files=(graphics driver_graphics)
for file in "${files[@]}"; do
    for name in $(right_programs "$file"); do
        timeout 60 "$out/bin/$file" "$name" >"$out/gpu/$name.txt" 2>&1
        if [ -n "$lanescope" ]; then
            "$lanescope" program "$out/bin/$file" -- "$name" >"$out/simt/$name.txt" 2>"$out/simt/$name.report"
        fi
        if cmp -s "$out/gpu/$name.txt" "$out/simt/$name.txt"; then same=$((same + 1)); else differing+=("$name"); fi
    done
done
print_outputs() {
    for name in "${differing[@]}"; do
        echo "$name: GPU (<) and lockstep machine (>)"; diff "$out/gpu/$name.txt" "$out/simt/$name.txt" | head -20
    done
    echo "programs with the same output on GPU and lockstep machine: $same; others: ${differing[*]:-none}"
}
if [ "$part" = graphics ]; then test_and_print_passing; print_outputs; exit; fi
compare_returns() { # api_returns or driver_returns; with the recorded text where there is no program to run it
    timeout 120 "$out/bin/$1" >"$out/gpu/$1.txt" 2>&1
    cp "$programs/expected/$1.txt" "$out/simt/$1.txt"
    [ -n "$lanescope" ] && "$lanescope" program "$out/bin/$1" >"$out/simt/$1.txt" 2>"$out/simt/$1.report"
    diff "$out/gpu/$1.txt" "$out/simt/$1.txt" >"$out/$1.diff"
    echo "$1: calls compared: $(grep -c ' -> ' "$out/gpu/$1.txt"); lines that differ: $(grep -cE '^<' "$out/$1.diff"), GPU (<) and lockstep machine (>):"
    head -40 "$out/$1.diff"
}
returns=(api_returns driver_returns)
[ "$part" = driver ] && returns=(driver_returns)
for file in "${returns[@]}"; do compare_returns "$file"; done >"$out/returns.txt"
if [ "$part" = all ]; then
    test_sanitizer
    [ -f "$passing" ] && test_passing
fi

echo
cat "$out/returns.txt"
print_outputs
[ "$part" = all ] && sanitizer_table
[ "$part" = all ] && [ -f "$passing" ] && passing_table
exit 0
