#!/bin/bash
# Approximate instructions for every input on a GPU compared with the lockstep machine: 16-bit and
# f64 forms, and the selected f32 functions. Takes up to a minute.
#
#   tests/gpu/special_functions.sh              tanh of all 2^32 inputs; the tests are taken from build/bundle (or $BUNDLE)
#   FUNCTIONS="rcp lg2" tests/gpu/special_functions.sh      other functions of f32: rcp sqrt rsqrt sin cos lg2 ex2 tanh
#   ALL=1 tests/gpu/special_functions.sh        all of them, and divisions: seven minutes
#
# Leaves results.txt in $OUT (default out/special_functions).
set +e
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUNDLE=${BUNDLE:-$ROOT/build/bundle}
export OUT=${OUT:-$ROOT/out/special_functions}
mkdir -p "$OUT"
: >"$OUT/results.txt"
[ -z "${ALL:-}" ] && export FUNCTIONS=${FUNCTIONS:-tanh}
tests="HalfFormsMatchHardware WideFormsMatchHardware MatchHardwareForEveryInput"
[ -n "${ALL:-}" ] && tests+=" QuotientsAreProductsWithReciprocals DivisionMatchesHardware"
for test in $tests; do
    timeout 200 "$BUNDLE/gpu_tests" --gtest_filter="SpecialFunctions.$test" >>"$OUT/results.txt" 2>&1
done
grep -E "differ|Failure|FAILED|OK" "$OUT/results.txt"
