#!/bin/bash
# Overhead of probes on a GPU: the time of a probed launch divided by that of a plain one, for all
# kinds of variants, in several processes; optionally alternating with a second program for
# comparison.
#
#   tests/gpu/probes.sh                 the program is build/bundle/probe_bench (or in $BUNDLE)
#   BEFORE=FOLDER tests/gpu/probes.sh   runs FOLDER/probe_bench before each run of the program
#
# Leaves NAME_I.json of each run in $OUT (default out/probes), and table.txt with the median and the
# extremes of the ratios.
set -u
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUNDLE=${BUNDLE:-$ROOT/build/bundle}
OUT=${OUT:-$ROOT/out/probes}
FILTER=${FILTER:-'heat/(naive|shared_tile|temporal)|transpose/(naive|tile)|matmul/naive|histogram|divergence|reduction'}
mkdir -p "$OUT"
for i in 1 2 3 4 5; do
    for side in before now; do
        folder=$BUNDLE
        [ $side = before ] && folder=${BEFORE:-}
        [ -n "$folder" ] || continue
        "$folder/probe_bench" --benchmark_filter="$FILTER" --benchmark_out="$OUT/${side}_$i.json" \
            --benchmark_out_format=json > /dev/null || exit 1
    done
done
python3 - "$OUT" <<'PYTHON' | tee "$OUT/table.txt"
import collections, glob, json, statistics, sys

ratios = collections.defaultdict(lambda: collections.defaultdict(list))
plain = collections.defaultdict(list)
for side in "before", "now":
    for path in sorted(glob.glob(f"{sys.argv[1]}/{side}_*.json")):
        for run in json.load(open(path))["benchmarks"]:
            if "ratio" not in run: continue
            name = run["name"].split("/iterations")[0]
            ratios[name][side].append(run["ratio"])
            plain[name].append(run["plain_us"])
print(f"{'variant':<34}{'plain us':>9}  probed over plain: median (least, most)")
for name, sides in ratios.items():
    print(f"{name:<34}{statistics.median(plain[name]):>9.1f}  " + "; ".join(
        f"{side} {statistics.median(all):.2f} ({min(all):.2f}, {max(all):.2f})" for side, all in sides.items()))
PYTHON
