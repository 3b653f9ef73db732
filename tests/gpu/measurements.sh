#!/bin/bash
# Records the times that the window shows on machines without a GPU: every variant of every lab with
# its peers at both sizes, and the timelines of the streams lab at several numbers of chunks and
# streams. They are added to a copy of assets/measurements.json, in which each row has its own date
# and device; copy the result over that file. Labs that already have rows of this device, driver and
# day come last, so that a second run continues where the first one ran out of time.
#
#   tests/gpu/measurements.sh              the program is taken from build/bundle (or $BUNDLE)
#   LABS="min_plus heat" …                 only these labs, in this order, each with $LIMIT (100) seconds
#   MINUTES=6 …                            starts no further lab after this many minutes
#   FROM=times.json …                      starts from this file instead; FROM= from an empty one
#
# Labs for several devices are recorded if there are at least two GPUs, or if $LABS names them: then
# one GPU simulates them, and their timelines say so.
#
# Leaves measurements.json, LAB.txt and table.txt in $OUT (default out/measurements). Exits with 1
# if a lab failed or a variant has no times.
set +e
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUNDLE=${BUNDLE:-$ROOT/build/bundle}
OUT=${OUT:-$ROOT/out/measurements}
LIMIT=${LIMIT:-100}
MINUTES=${MINUTES:-6}
FROM=${FROM-$ROOT/assets/measurements.json}
FILE=$OUT/measurements.json
mkdir -p "$OUT"
if [ -n "$FROM" ]; then cp "$FROM" "$FILE"; else rm -f "$FILE"; fi

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | tee "$OUT/device.txt"
if [ -z "$LABS" ]; then
    LABS=$(python3 - "$FILE" "$ROOT/compute/labs" "$(head -n 1 "$OUT/device.txt")" "$(date -u +%F)" "$(nvidia-smi -L | wc -l)" <<'PY'
import json, os, sys

file, labs, machine, today, gpus = sys.argv[1:]
recorded = json.load(open(file)) if os.path.exists(file) else {"results": []}
fresh = {one["lab"] for one in recorded["results"]
         if [one.get("device"), one.get("driver"), one.get("date")] == [*machine.split(", "), today]}
all_labs = sorted(one for one in os.listdir(labs) if os.path.exists(os.path.join(labs, one, "lab.json")))
if int(gpus) < 2:
    all_labs = [one for one in all_labs if "devices" not in json.load(open(os.path.join(labs, one, "lab.json")))]
print(*sorted(all_labs, key=lambda one: one in fresh))
PY
)
fi

status=0
for lab in $LABS; do
    begin=$SECONDS
    if [ "$SECONDS" -ge $((60 * MINUTES - 20)) ]; then
        echo "$lab: no time left"
        continue
    fi
    timeout -k 5 "$LIMIT" "$BUNDLE/lanescope" bench "$lab" --record "$FILE" >"$OUT/$lab.txt" 2>&1
    code=$?
    [ $code = 0 ] || status=1
    echo "$lab: status $code after $((SECONDS - begin)) s"
    [ $code = 0 ] || tail -n 3 "$OUT/$lab.txt"
done

python3 - "$FILE" "$ROOT/compute/labs" <<'PY' >"$OUT/table.txt" || status=1
import json, os, sys

recorded = json.load(open(sys.argv[1]))
for roof in recorded.get("roofs", []):
    print(f"{roof['device']}, driver {roof['driver']}, {roof['date']}: copy {roof['copy_gb_per_s']:.0f} GB/s, "
          f"multiply-adds {roof['fma_gflop_per_s']:.0f} GFLOP/s, add-min {roof['add_min_gop_per_s']:.0f} Gop/s")
print(f"{'lab':18} {'variants':>8} {'l2':>4} {'dram':>5} {'peers':>6} {'timelines':>10}  {'of the days':32} without times")
all_there = True
for lab in sorted(os.listdir(sys.argv[2])):
    record = os.path.join(sys.argv[2], lab, "lab.json")
    if not os.path.exists(record):
        continue
    rows = [one for one in recorded["results"] if one["lab"] == lab]
    at = {size: {one["variant"] for one in rows if one["size"] == size and not one["peer"]} for size in ("l2", "dram")}
    variants = [one for one in json.load(open(record))["variants"] if not one.get("fault") and not one.get("wrong")]
    missing = [one["id"] for one in variants if one["id"] not in at["l2"] & at["dram"]]
    all_there &= not missing
    timelines = sum(one["lab"] == lab for one in recorded.get("timelines", []))
    days = ", ".join(sorted({one.get("date", recorded.get("date", "")) for one in rows}))
    print(f"{lab:18} {len(variants):8} {len(at['l2']):4} {len(at['dram']):5} {sum(one['peer'] for one in rows):6} "
          f"{timelines:10}  {days:32} {', '.join(missing)}")
sys.exit(not all_there)
PY
cat "$OUT/table.txt"
exit $status
