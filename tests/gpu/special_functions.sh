#!/bin/bash
# Approximate instructions for every input on a GPU against the lockstep machine, and recordings of those that it does not
# play bit for bit. About three minutes.
#
#   tests/gpu/special_functions.sh      the tests are taken from build/bundle (or $BUNDLE)
#
# Leaves in $OUT (default out/special_functions): the recordings (*.bin, words of 32 bits) and results.txt.
set +e
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUNDLE=${BUNDLE:-$ROOT/build/bundle}
export OUT=${OUT:-$ROOT/out/special_functions}
mkdir -p "$OUT"
for test in RecordsWhatIsNotPlayedYet QuotientsAreProductsWithReciprocals EqualTheHardwareForEveryInput DivideAsTheHardwareDoes; do
    timeout 200 "$BUNDLE/gpu_tests" --gtest_filter="SpecialFunctions.$test" >>"$OUT/results.txt" 2>&1
done
grep -E "differ|Failure|FAILED|OK|what" "$OUT/results.txt"
