#!/bin/bash
# Runs under the thread sanitizer: the tests of run, window and document, the window with real keys
# and mouse, and the window with a thousand random events.
#
#   tests/thread_sanitizer.sh [build|unit|keys|random …]     default all four; build makes build/tsan with the preset tsan
#   TESTS='Runner.*' KEYS='Window.*' tests/thread_sanitizer.sh unit keys        other tests than the default ones
#
# The part `keys` uses build/ci/ui_tests as it is, with the program of build/tsan ($BUILD names
# another such build, which has its own ui_tests). Compiles JOBS files at a time (default: one per
# core); a test program may take LIMIT (900) seconds. Each process leaves its reports in $OUT
# (default out/thread_sanitizer); the last lines count them and name the locations. Tests that fail
# by timeout are not races, and are listed separately. Exits with 1 if there is a report, or if no
# test passed.
set -u
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
OUT=${OUT:-$ROOT/out/thread_sanitizer}
BUILD=${BUILD:-$ROOT/build/tsan}
KEYS=${KEYS:-Window.*:Document.*:Code.*:Keyboard.*:Stepping.*:Program.*:Plots.*:Lecture.*:Saving.S*:Recording.MatchesScreen}
mkdir -p "$OUT"
[ $# -gt 0 ] || set -- build unit keys random
export TSAN_OPTIONS="suppressions=$ROOT/tests/tsan.supp ignore_noninstrumented_modules=1 log_path=$OUT/report"
export LANESCOPE_PROGRAM=$BUILD/lanescope
failed=0

reports() { cat "$OUT"/report.* 2>/dev/null | grep "$@"; } # OPTIONS PATTERN

tests() { # NAME PROGRAM FILTER
    (cd "$OUT" && timeout "${LIMIT:-900}" "$2" --gtest_filter="$3" >"$OUT/$1.txt" 2>&1)
    local status=$? passed
    passed=$(grep -c '^\[       OK' "$OUT/$1.txt")
    echo "$1: status $status, $passed passed, $(reports -c 'WARNING: ThreadSanitizer') reports so far"
    grep '^\[  FAILED  \].* (' "$OUT/$1.txt"
    [ "$passed" -gt 0 ] || failed=1
}

rm -f "$OUT"/report.*
for part in "$@"; do
    case $part in
    build)
        cmake -S "$ROOT" --preset tsan >"$OUT/build.txt" 2>&1 &&
            cmake --build "$BUILD" -j "${JOBS:-$(nproc)}" --target lanescope run_tests window_tests document_tests \
                >>"$OUT/build.txt" 2>&1 || { tail -n 20 "$OUT/build.txt"; exit 1; }
        ;;
    unit) for area in run document window; do tests $area "$BUILD/${area}_tests" "${TESTS:-*}"; done ;;
    keys) tests keys "$BUILD/../ci/ui_tests" "$KEYS" ;;
    random) tests random "$BUILD/../ci/ui_tests" 'Random.*' ;;
    *) echo "Parts are build, unit, keys, random."; exit 2 ;;
    esac
done
count=$(reports -c 'WARNING: ThreadSanitizer')
reports 'SUMMARY: ThreadSanitizer' | sort | uniq -c | sort -rn | head -n 20
echo "thread sanitizer: $count reports"
[ "$count" = 0 ] && [ $failed = 0 ]
