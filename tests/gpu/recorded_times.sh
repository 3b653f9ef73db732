#!/bin/bash
# Checks that measured times are recorded before they are printed, so that nothing is lost if
# printing fails because the disk is full.
#
#   tests/gpu/recorded_times.sh            the program is build/bundle/lanescope (or in $BUNDLE)
#
# Exits with 1 if the file is missing or has no times.
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUNDLE=${BUNDLE:-$ROOT/build/bundle}
OUT=${OUT:-$ROOT/out/recorded_times}
mkdir -p "$OUT"
rm -f "$OUT/times.json"
"$BUNDLE/lanescope" bench vector_add --record "$OUT/times.json" > /dev/full 2> "$OUT/errors.txt"
status=$?
python3 - "$OUT/times.json" $status <<'PYTHON' | tee "$OUT/table.txt"
import json, os, sys

file, status = sys.argv[1], int(sys.argv[2])
times = json.load(open(file))["results"] if os.path.exists(file) else []
print(f"exit status {status} (not 0 wanted), {len(times)} times recorded (some wanted)")
sys.exit(status == 0 or not times)
PYTHON
exit "${PIPESTATUS[0]}"
