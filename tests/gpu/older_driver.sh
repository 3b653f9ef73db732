#!/bin/bash
# Tests the code path for older drivers on a GPU with any driver: LANESCOPE_CUDA=driver selects it.
# The GPU tests must pass, except for those that need the CUDA runtime (peers from CUB, hardware
# counters, the runtime's occupancy). Then compares the frames of both paths byte for byte, and
# whether memory is shared. Not run on a GPU yet.
#
#   tests/gpu/older_driver.sh           runs build/bundle (or the folder in $BUNDLE); prints pass or FAIL
#   NO_FAULTS=1 …                       skips tests that make the GPU fail
set -u
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUNDLE=${BUNDLE:-$ROOT/build/bundle}
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
failed=0
check() { # TITLE COMMAND…
    local title=$1
    shift
    if "$@" >"$WORK/log" 2>&1; then
        echo "pass  $title"
    else
        echo "FAIL  $title"
        tail -n 20 "$WORK/log"
        failed=1
    fi
}
says() { # WORDS COMMAND…: the way of an older driver prints these words
    local words=$1
    shift
    LANESCOPE_CUDA=driver "$@" | tee "$WORK/said" | grep -qF -- "$words" || { cat "$WORK/said"; return 1; }
}

program=$BUNDLE/lanescope
check "doctor says which way is taken" says "called without it" "$program" doctor
check "doctor: zero copy" says '"path": "cuda_mapped"' "$program" doctor --json
without='*Occupancy*:*Peers*:*Cub*:*Counter*:*Hardware*:Timed.*:Roofs.*'
tests() { # on four processes at a time
    local shard shards=() status=0
    for shard in 0 1 2 3; do
        GTEST_TOTAL_SHARDS=4 GTEST_SHARD_INDEX=$shard LANESCOPE_CUDA=driver "$BUNDLE/gpu_tests" --gtest_brief=1 \
            --gtest_filter="-$without:Faulting.*" &
        shards[shard]=$!
    done
    for shard in 0 1 2 3; do wait "${shards[shard]}" || status=1; done
    return $status
}
check "tests of the GPU" tests
for target in heat/naive rotate/texture_linear matmul/tile_32; do
    "$program" shot $target --device cuda -o "$WORK/runtime.png" >/dev/null
    LANESCOPE_CUDA=driver "$program" shot $target --device cuda -o "$WORK/driver.png" >/dev/null
    check "$target: the same picture" cmp "$WORK/runtime.png" "$WORK/driver.png"
done
check "counts by probes" says 262,144 "$program" trace transpose/tile --device cuda
# Faults come last: after them OpenGL draws nothing on some machines until they are restarted.
[ -n "${NO_FAULTS:-}" ] ||
    check "faults" env LANESCOPE_CUDA=driver "$BUNDLE/gpu_tests" --gtest_brief=1 --gtest_filter='Faulting.*'
exit $failed
