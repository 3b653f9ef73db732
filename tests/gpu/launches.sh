#!/bin/bash
# Kernels that launch kernels on a GPU: their tests, and the cost of a launch from the device.
# Prints a table last.
#
#   tests/gpu/launches.sh          runs build/bundle (or the folder in $BUNDLE) and writes to $OUT (default out/launches)
#
# The bundle contains everything needed, including NVIDIA's device runtime (lib/libcudadevrt.a).
set -u
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUNDLE=${BUNDLE:-$ROOT/build/bundle}
OUT=${OUT:-$ROOT/out/launches}
TABLE=$OUT/table.txt
mkdir -p "$OUT"
: >"$TABLE"
row() { printf '%-44s %s\n' "$1" "$2" >>"$TABLE"; }

ls -l "$BUNDLE/lib/libcudadevrt.a" || row "lib/libcudadevrt.a" "MISSING"
# Runs each suite in a separate process, because a fault makes the GPU unusable for the tests after
# it.
for suite in 'DeviceLaunches.*' 'Every/LaunchingLab.*' 'Every/LabOnGpu.*dynamic_parallelism*:Every/LabOnGpu.*launch_order*'; do
    log=$OUT/$(printf '%s' "$suite" | tr -c 'A-Za-z0-9' '_').log
    timeout 200 "$BUNDLE/gpu_tests" --gtest_filter="$suite" >"$log" 2>&1
    status=$?
    row "$suite" "$(grep -c '^\[       OK' "$log") passed, $(grep -c '^\[  FAILED  \].*(' "$log") failed, $(grep -c '^\[  SKIPPED \].*(' "$log") skipped, status $status"
    grep -E 'too_many|Failure|FAILED' "$log" | head -20
done
for lab in dynamic_parallelism launch_order; do
    "$BUNDLE/lanescope" run "$lab" --device cuda >"$OUT/run_$lab.txt" 2>&1
    row "run $lab" "status $?"
    cat "$OUT/run_$lab.txt"
done
for size in "size=1024 smallest=32 levels=3 limit=512" "size=4096 smallest=32 levels=4 limit=1024"; do
    settings=()
    for one in $size; do settings+=(--set "$one"); done
    "$BUNDLE/lanescope" run dynamic_parallelism --device cuda --steps 30 "${settings[@]}" --json >"$OUT/run.json" 2>&1
    python3 - "$OUT/run.json" "$size" <<'PYTHON' >>"$TABLE"
import json, sys
print(sys.argv[2])
for run in json.load(open(sys.argv[1]))["runs"]:
    print(f"  {run['variant']:<20} {'right' if run['correct'] else 'WRONG':<6} {run['median_ms']} ms, "
          f"{run['device_launches_per_step']} launches, {run['warp_instructions_per_step']} instructions")
PYTHON
done
cat "$TABLE"
