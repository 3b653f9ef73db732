#!/bin/bash
# Long runs of the fuzzers under the sanitizers: many processes with different seeds, then one row per target.
#
#   tests/fuzz.sh [TARGET=INPUTS …]     e.g. Fuzz.Sessions=1000000; default: every target with 100,000 inputs
#
# The programs are those of the preset sanitize ($BUILD names another folder). Runs JOBS processes at a time (default:
# one per core), each with PART inputs (default 2,000) and its own seed, counted from SEED (default 1). Starts none after
# SECONDS_LIMIT (default: no limit) and stops those that run 30 s longer. Leaves inputs that fail or crash, and logs of
# failed processes, in $OUT (default out/fuzz). Exits with 1 if a process failed or a target is incomplete. If it is
# interrupted, it prints the rows of the targets that have finished.
set -u
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${BUILD:-$ROOT/build/sanitize}
OUT=${OUT:-$ROOT/out/fuzz}
export BUILD OUT
JOBS=${JOBS:-$(nproc)}
PART=${PART:-2000}
SEED=${SEED:-1}
export END=$(($(date +%s) + ${SECONDS_LIMIT:-1000000}))
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0:max_allocation_size_mb=1024}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1}
WORK=$(mktemp -d)
export WORK LANESCOPE_FUZZ_FOLDER=$OUT
mkdir -p "$OUT"

TEXTS=Fuzz.ManyShortTexts
LAUNCHES=Launches.StayInBoundsAndAgreeInAllModes
if [ $# = 0 ]; then
    targets=$("$BUILD/fuzz_tests" --gtest_list_tests --gtest_filter='Fuzz.*' | sed -n 's/^  /Fuzz./p')
    # shellcheck disable=SC2086
    set -- $(printf '%s=100000 ' $targets $TEXTS $LAUNCHES)
fi
export TEXTS LAUNCHES

# part TARGET INPUTS SEED: one process; appends "TARGET INPUTS STATUS SECONDS" to the results.
part() {
    local program=$BUILD/fuzz_tests log=$WORK/$1-$3.log begin=$SECONDS status
    [ "$(date +%s)" -lt "$END" ] || return 0
    case $1 in
    "$TEXTS") program=$BUILD/ptx_tests ;;
    "$LAUNCHES") program=$BUILD/launches_tests ;;
    esac
    LANESCOPE_FUZZ_INPUTS=$2 LANESCOPE_FUZZ_SEED=$3 \
        timeout $((END - $(date +%s) + 30)) "$program" --gtest_filter="$1" >"$log" 2>&1
    status=$?
    [ $status != 124 ] || return 0 # stopped by the limit
    echo "$1 $2 $status $((SECONDS - begin))" >>"$WORK/results"
    [ $status = 0 ] && rm "$log" || cp "$log" "$OUT"
}
export -f part

targets=("$@")
finish() {
    local incomplete=0 each
    printf '%-44s %10s %10s %7s %10s\n' target inputs "of" failed "CPU s"
    for each in "${targets[@]}"; do
        awk -v target="${each%%=*}" -v wanted="${each#*=}" '
            $1 == target { seconds += $4; if ($3 == 0) inputs += $2; else failed++ }
            END { printf "%-44s %10d %10d %7d %10d\n", target, inputs, wanted, failed, seconds; exit inputs < wanted }
        ' "$WORK/results" || incomplete=1
    done
    rm -rf "$WORK"
    exit $incomplete
}
trap finish EXIT
trap exit TERM INT

: >"$WORK/results"
for each in "$@"; do
    left=${each#*=}
    while [ "$left" -gt 0 ]; do
        inputs=$((left < PART ? left : PART))
        echo "${each%%=*} $inputs $SEED"
        left=$((left - inputs))
        SEED=$((SEED + 1))
    done
done | shuf --random-source=<(yes) | xargs -P "$JOBS" -L 1 bash -c 'part "$@"' part
