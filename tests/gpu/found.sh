#!/bin/bash
# Runs the programs of the manual's page "Found in public code" on a GPU, alone and under compute-sanitizer.
#
#   tests/gpu/found.sh [RUNS]        RUNS (default 20) plain runs of each
#
# Needs nvcc and compute-sanitizer. Prints one row per program: each printed line with its count, and the numbers of
# errors that memcheck, racecheck, initcheck and synccheck report. Leaves the logs in $OUT (default out/found).
set -u
runs=${1:-20}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export out=${OUT:-$root/out/found}
mkdir -p "$out/bin"
architecture=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | tee "$out/device.txt"
export architecture
names=$(for source in "$root"/tests/programs/found/*.cu; do basename "$source" .cu; done)
build() { nvcc -arch="sm_$architecture" -lineinfo -o "$out/bin/$1" "$2/tests/programs/found/$1.cu"; }
check() { timeout 60 compute-sanitizer --tool "$2" "$out/bin/$1" >"$out/$1.$2.log" 2>&1; }
export -f build check
for name in $names; do echo "$name $root"; done | xargs -P 16 -L 1 bash -c 'build "$@"' build
for name in $names; do
    for tool in memcheck racecheck initcheck synccheck; do echo "$name $tool"; done
done | xargs -P 8 -L 1 bash -c 'check "$@"' check
for name in $names; do
    for _ in $(seq "$runs"); do timeout 20 "$out/bin/$name"; done >"$out/$name.txt" 2>&1
    printf '%-20s' "$name"
    sort "$out/$name.txt" | uniq -c | awk '{count = $1; $1 = ""; printf "%s (%d×)", $0, count}'
    for tool in memcheck racecheck initcheck synccheck; do
        printf '  %s %s' "$tool" "$(grep -oE '(ERROR|RACECHECK) SUMMARY: [0-9]+' "$out/$name.$tool.log" | grep -oE '[0-9]+$' | head -1)"
    done
    echo
done
