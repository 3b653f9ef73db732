#!/bin/bash
# Tests everything that may behave differently for user kernels on a GPU, in one run: every launch
# of kernels.sh on three engines, an endless kernel under --time-limit, generic accesses counted by
# three sources, the precision of coordinates in a texture unit, rotations compared with their
# reference, matrix rows compared with Nsight Compute, and all GPU tests. Takes about four minutes.
#
#   tests/gpu/reach.sh                  the program and the tests are taken from build/bundle (or $BUNDLE)
#   PARTS="kernels limit" …             only these: kernels limit generic coordinates rotate rows tests
#
# Writes logs to $OUT (default out/reach).
set +e
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export BUNDLE=${BUNDLE:-$ROOT/build/bundle}
OUT=${OUT:-$ROOT/out/reach}
RESULTS=$OUT
PARTS=${PARTS:-kernels limit generic coordinates rotate rows tests}
KERNELS=$ROOT/tests/kernels
PTX=$ROOT/build/kernels
NVCC=$(command -v nvcc || ls -1 /usr/local/cuda/bin/nvcc 2>/dev/null)
mkdir -p "$OUT" "$PTX"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | tee "$OUT/device.txt"
emulate() { timeout 60 "$BUNDLE/lanescope" emulate "$@"; }
ptx() { # NAME: compiles tests/kernels/NAME.cu unless that is done
    [ -z "$NVCC" ] || [ "$PTX/$1.ptx" -nt "$KERNELS/$1.cu" ] || "$NVCC" -ptx -lineinfo -arch=compute_75 -o "$PTX/$1.ptx" "$KERNELS/$1.cu"
    echo "$PTX/$1.ptx"
}

part_kernels() { OUT=$RESULTS/kernels "$ROOT/tests/gpu/kernels.sh"; }

part_limit() {
    local begin=$EPOCHREALTIME
    emulate "$(ptx waits_for_ever)" --grid 1 --block 32 --arg 'i32[2]:zero' --device cuda --time-limit 1
    echo "status $? after $(awk "BEGIN { print $EPOCHREALTIME - $begin }") s; the next launch:"
    emulate "$(ptx early_exit)" --grid 3 --block 64 --arg 'f32[150]:ramp' --arg 'f32[150]:zero' --arg 150 --device cuda | head -n 1
}

part_generic() {
    emulate "$(ptx both_spaces)" --grid 2 --block 64 --arg 'f32[128]:random:1' --arg 'f32[128]:zero' --compare
}

# Blends adjacent texels of a ramp at coordinates that are 2^-25 apart: steps in the results show
# the coordinate's last bit.
part_coordinates() {
    local width
    for width in 512 4096 16384 32768; do
        emulate "$(ptx coordinates)" --grid 16 --block 256 --arg "tex2d:ramp[${width}x1]:linear,normalized,clamp" \
            --arg 'f32[4096]:zero' --arg 0.5f --arg 2.98023223876953125e-8f --plain --dump "1:$RESULTS/coordinates_$width.f32"
    done
}

part_rotate() {
    local size
    for size in 384 512 1024; do
        "$BUNDLE/lanescope" run rotate --device cuda --set size=$size --steps 50 --json >"$RESULTS/rotate_$size.json" 2>&1
        echo "rotate $size²: status $?"
        grep -hE '"(variant|correct|max_error|tolerance|message)"' "$RESULTS/rotate_$size.json"
    done
}

part_rows() { ONLY='_rows_' OUT=$RESULTS/rows "$ROOT/tests/gpu/conformance.sh"; }

part_tests() { OUT=$RESULTS PARTS=tests "$ROOT/tests/gpu/first_light.sh"; }

for part in $PARTS; do
    printf '\n== %s (%ss)\n' "$part" "$SECONDS"
    "part_$part" 2>&1 | tee "$OUT/$part.txt"
done
