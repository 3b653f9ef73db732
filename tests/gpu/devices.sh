#!/bin/bash
# Several devices on a machine with GPUs: checks the divided plate at every test size, and measures
# times and timelines of two devices (and of four, if there are that many GPUs). With one GPU the
# devices are simulated, and the table says so. Exits with 1 if a result is wrong, or if, on
# separate GPUs, the overlapped plate is not faster than the one that exchanges through the host.
#
#   tests/gpu/devices.sh        the program is build/bundle/lanescope (or in $BUNDLE), or build/lanescope
#
# Leaves in $OUT (default out/devices) the measurements, and the timelines as pictures that a
# machine without a GPU draws. Times for the window come from `LABS=devices
# tests/gpu/measurements.sh` on a machine with two GPUs.
set -u
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUNDLE=${BUNDLE:-$ROOT/build/bundle}
OUT=${OUT:-$ROOT/out/devices}
PROGRAM=$ROOT/build/lanescope
[ -x "$BUNDLE/lanescope" ] && PROGRAM=$BUNDLE/lanescope
mkdir -p "$OUT"
rm -f "$OUT"/devices_*.json
status=0
nvidia-smi --query-gpu=index,name,driver_version --format=csv,noheader
nvidia-smi topo -p2p r 2>/dev/null | head -n 6

for devices in 1 2 3 4; do
    for size in "--set size=3" "--set size=31 --set height=3" "--set size=1021 --set height=509"; do
        for variant in host peer overlapped; do
            # shellcheck disable=SC2086
            "$PROGRAM" run devices/$variant --device cuda --steps 5 --set devices=$devices $size >"$OUT/run.txt" 2>&1 ||
                { status=1; echo "devices=$devices $size $variant: WRONG"; tail -n 3 "$OUT/run.txt"; }
        done
    done
done

for devices in 2 4; do
    [ $devices = 2 ] || [ "$(nvidia-smi -L | wc -l)" -ge $devices ] || continue
    "$PROGRAM" bench devices --device cuda --problem dram --set devices=$devices --record "$OUT/devices_$devices.json" || status=1
    for variant in host peer overlapped; do
        "$PROGRAM" shot devices/$variant --device simt --set devices=$devices --set size=8192 --view timeline \
            --measurements "$OUT/devices_$devices.json" -o "$OUT/${variant}_$devices.png" || status=1
    done
done

# Draws the picture, from memory shared with OpenGL if both run on one GPU.
for devices in 1 2; do
    "$PROGRAM" shot devices/overlapped --device cuda --set devices=$devices --view field -o "$OUT/field_$devices.png" || status=1
done
cmp -s "$OUT/field_1.png" "$OUT/field_2.png" || echo "field_1.png and field_2.png differ: the title alone may"

python3 - "$OUT"/devices_*.json <<'PYTHON' || status=1
import json
import sys

right = True
for file in sys.argv[1:]:
    total = {}
    for one in json.load(open(file))["timelines"]:
        devices = one["devices"]
        busy = sum(o["end_ms"] - o["begin_ms"] for o in one["operations"] if o["unit"] == "kernel")
        copies = [o["end_ms"] - o["begin_ms"] for o in one["operations"] if o["unit"] not in ("kernel", "wait")]
        total[one["variant"]] = one["total_ms"]
        print(f"{one['variant']:11} {one['played']}: {one['total_ms']:.3f} ms, kernels alone {one['kernel_alone_ms']:.3f} ms, "
              f"a device waits {100 * (1 - busy / devices / one['total_ms']):.1f} %, "
              f"{len(copies)} copies of {1000 * sum(copies) / max(1, len(copies)):.0f} us")
        real = "GPUs" in one["played"]
    if real:
        right &= total["overlapped"] < total["host"]
print("as wanted" if right else "NOT AS WANTED")
sys.exit(not right)
PYTHON
exit $status
