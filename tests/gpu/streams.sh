#!/bin/bash
# Streams on a GPU: compares 16 chunks from pinned memory with the ideal, and with the same chunks
# from pageable memory; checks both results and records their timelines. Exits with 1 if pinned
# memory reaches less than 0.93 of the ideal, or if pageable memory overlaps.
#
#   tests/gpu/streams.sh        the program is build/bundle/lanescope (or in $BUNDLE), or build/lanescope
#
# Leaves in $OUT (default out/streams) the measurements, and the timelines as pictures that a
# machine without a GPU draws.
set -u
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUNDLE=${BUNDLE:-$ROOT/build/bundle}
OUT=${OUT:-$ROOT/out/streams}
PROGRAM=$ROOT/build/lanescope
[ -x "$BUNDLE/lanescope" ] && PROGRAM=$BUNDLE/lanescope
mkdir -p "$OUT"
rm -f "$OUT/streams.json"
status=0
SIZE=(--set size=67108864 --set chunks=16 --set streams=4)

# First checks the result at a size that no chunk count divides.
"$PROGRAM" run streams --device cuda --steps 3 --set size=1048577 --set chunks=16 --set streams=4 || status=1
"$PROGRAM" bench streams --device cuda --problem dram "${SIZE[@]}" --record "$OUT/streams.json" || status=1
"$PROGRAM" bench faults --device cuda --problem dram --record "$OUT/streams.json" || status=1

python3 - "$OUT/streams.json" <<'PYTHON' || status=1
import json
import sys

right = True
for one in json.load(open(sys.argv[1]))["timelines"]:
    alone = [one[f"{unit}_alone_ms"] for unit in ("to_device", "kernel", "to_host")]
    ideal, serial, total = max(alone), sum(alone), one["total_ms"]
    calls = max(operation["call_end_ms"] for operation in one["operations"])
    print(f"{one['lab']}/{one['variant']}: {total:.3f} ms; alone {', '.join(f'{ms:.3f}' for ms in alone)}; "
          f"{ideal / total:.3f} of the ideal; the calls took {calls:.3f} ms")
    if one["lab"] == "faults":
        waits = one["variant"] == "cpu_clock_fixed"
        # A blocking call returns when its work is done, shortly before the timeline's last mark.
        right &= (calls >= 0.9 * total) if waits else (calls < 0.2 * total)
    else:
        overlap = (serial - total) / (serial - ideal)
        print(f"    overlap {100 * overlap:.0f} %")
        right &= ideal / total >= 0.93 if one["variant"] == "pinned" else overlap < 0.25
print("as wanted" if right else "NOT AS WANTED")
sys.exit(not right)
PYTHON

for lab in streams/pinned streams/pageable faults/cpu_clock faults/cpu_clock_fixed; do
    "$PROGRAM" shot "$lab" --device simt --measurements "$OUT/streams.json" -o "$OUT/${lab//\//_}.png" || status=1
done
exit $status
