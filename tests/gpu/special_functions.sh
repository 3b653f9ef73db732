#!/bin/bash
# Approximate instructions for every input on a GPU against the lockstep machine; models for those that it does not play bit
# for bit (tanh, 16-bit and f64 forms, products of 8-bit numbers) and recordings of them. Within three minutes.
#
#   tests/gpu/special_functions.sh              sin and cos of all 2^32 inputs; the tests are taken from build/bundle (or $BUNDLE)
#   FUNCTIONS="rcp lg2" tests/gpu/special_functions.sh      other functions of f32: rcp sqrt rsqrt sin cos lg2 ex2
#   ALL=1 tests/gpu/special_functions.sh        all seven, and divisions: seven minutes
#
# Leaves in $OUT (default out/special_functions): the recordings (*.bin, words of 32 bits) and results.txt.
set +e
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUNDLE=${BUNDLE:-$ROOT/build/bundle}
export OUT=${OUT:-$ROOT/out/special_functions}
mkdir -p "$OUT"
: >"$OUT/results.txt"
[ -z "${ALL:-}" ] && export FUNCTIONS=${FUNCTIONS:-sin cos}
tests="RecordsWhatIsNotPlayedYet HalfFormsAgainstTheirModels WideFormsAgainstTheirModels OctetProductsAgainstTheirModels"
tests+=" EqualTheHardwareForEveryInput"
[ -n "${ALL:-}" ] && tests+=" QuotientsAreProductsWithReciprocals DivideAsTheHardwareDoes"
for test in $tests; do
    timeout 200 "$BUNDLE/gpu_tests" --gtest_filter="SpecialFunctions.$test" >>"$OUT/results.txt" 2>&1
done
grep -E "differ|equal|off by|Failure|FAILED|OK|what" "$OUT/results.txt"
