#!/bin/bash
# Records the times that the window shows where there is no GPU: every variant of every lab with its peers at both sizes, and
# the timelines of the streams at several numbers of chunks and streams. Copy the result over assets/measurements.json.
#
#   tests/gpu/measurements.sh              the program is taken from build/bundle (or $BUNDLE)
#   LABS="min_plus heat" …                 only these labs, each with $LIMIT (100) seconds
#   MINUTES=9 …                            no further lab begins after so many minutes
#   FROM=assets/measurements.json …        adds to a file of the same device and day
#
# Leaves measurements.json, LAB.txt and table.txt in $OUT (default out/measurements).
set +e
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUNDLE=${BUNDLE:-$ROOT/build/bundle}
OUT=${OUT:-$ROOT/out/measurements}
LABS=${LABS:-min_plus streams faults occupancy hierarchy shuffle memory_spaces coalescing divergence histogram bytes_in_flight compaction vector_add transpose rotate rod heat reduction scan matmul}
LIMIT=${LIMIT:-100}
MINUTES=${MINUTES:-9}
FILE=$OUT/measurements.json
mkdir -p "$OUT"
[ -n "$FROM" ] && cp "$FROM" "$FILE"

bench() { timeout -k 5 "$LIMIT" "$BUNDLE/lanescope" bench "$@" --record "$FILE"; }

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | tee "$OUT/device.txt"
for lab in $LABS; do
    begin=$SECONDS
    if [ "$SECONDS" -ge $((60 * MINUTES - 20)) ]; then
        echo "$lab: no time left"
        continue
    fi
    # The lab's own sizes come last: of one lab and size, the file keeps the times that were written last.
    if [ "$lab" = streams ]; then
        for chunks in 1 4 16 64; do
            for streams in 1 2 4; do
                [ "$chunks" = 1 ] && [ "$streams" != 1 ] && continue
                bench streams --problem dram --samples 5 --set "chunks=$chunks" --set "streams=$streams" \
                    >"$OUT/streams_${chunks}_$streams.txt" 2>&1 || tail -n 3 "$OUT/streams_${chunks}_$streams.txt"
            done
        done
    fi
    bench "$lab" >"$OUT/$lab.txt" 2>&1
    echo "$lab: status $? after $((SECONDS - begin)) s"
done

python3 - "$FILE" "$ROOT/compute/labs" <<'PY' | tee "$OUT/table.txt"
import json, os, sys

recorded = json.load(open(sys.argv[1]))
print(f"{recorded['device']}, driver {recorded['driver']}, {recorded['date']}; copy {recorded['copy_gb_per_s']:.0f} GB/s")
print(f"{'lab':18} {'variants':>8} {'l2':>4} {'dram':>5} {'peers':>6} {'timelines':>10}  without times")
for lab in sorted(os.listdir(sys.argv[2])):
    record = os.path.join(sys.argv[2], lab, "lab.json")
    if not os.path.exists(record):
        continue
    rows = [one for one in recorded["results"] if one["lab"] == lab]
    at = {size: {one["variant"] for one in rows if one["size"] == size and not one["peer"]} for size in ("l2", "dram")}
    variants = [one for one in json.load(open(record))["variants"] if not one.get("fault") and not one.get("wrong")]
    missing = [one["id"] for one in variants if one["id"] not in at["l2"] & at["dram"]]
    timelines = sum(one["lab"] == lab for one in recorded.get("timelines", []))
    print(f"{lab:18} {len(variants):8} {len(at['l2']):4} {len(at['dram']):5} {sum(one['peer'] for one in rows):6} "
          f"{timelines:10}  {', '.join(missing)}")
PY
