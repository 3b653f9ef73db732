#!/bin/bash
# Compares each lab's fastest variants with the rooflines and with NVIDIA's libraries: one `bench` per lab at
# representative sizes, every result checked, libraries in the same run; then a table of targets and
# measurements. Takes about seven minutes.
#
#   tests/gpu/ladders.sh                the program is taken from build/bundle (or $BUNDLE)
#   LABS="scan compaction" …            only these, each with $LIMIT (90) seconds
#   JUDGE=FOLDER …                      only the table, from the files of an earlier run
#
# Leaves LAB.json, table.txt and measurements.json (for the window without a GPU) in $OUT (default
# out/ladders).
set +e
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUNDLE=${BUNDLE:-$ROOT/build/bundle}
OUT=${JUDGE:-${OUT:-$ROOT/out/ladders}}
LABS=${LABS:-nbody min_plus matmul reduction scan compaction heat rod rotate transpose vector_add}
LIMIT=${LIMIT:-90}
mkdir -p "$OUT"

judge() {
    python3 - "$OUT" <<'PY'
import json, os, sys

# Columns: description, lab, size, figure (its kind and the names of rows), minimum. A figure is a
# ratio of two rows' medians, or a share.
WANTED = [
    ("min_plus 4096: min_of_three of the pairs of FADD and FMNMX", "min_plus", "dram", ("share_of_rate", "min_of_three"), 0.85),
    ("nbody 65,536: segments of the multiply-adds, 19 a pair", "nbody", "l2", ("share_of_rate", "segments"), 0.70),
    ("matmul 8192: cuBLAS / tuned", "matmul", "dram", ("peer_over", "tuned"), 0.95),
    ("matmul 2048: cuBLAS / tuned", "matmul", "l2", ("peer_over", "tuned"), 1.0),
    ("reduction 2^28: CUB / one_pass", "reduction", "dram", ("peer_over", "one_pass"), 0.99),
    ("reduction 2^20: CUB / one_pass", "reduction", "l2", ("peer_over", "one_pass"), 2.0),
    ("scan 2^28: CUB / look_ahead", "scan", "dram", ("peer_over", "look_ahead"), 1.0),
    ("scan 2^28: look_ahead of the copy", "scan", "dram", ("share_of_copy", "look_ahead"), 0.85),
    ("compaction 2^28: CUB / ordered", "compaction", "dram", ("peer_over", "ordered"), 1.05),
    ("compaction 2^28: CUB / by_block", "compaction", "dram", ("peer_over", "by_block"), 1.05),
    ("heat 8192: float4 / temporal_deep, a step", "heat", "dram", ("over", "float4", "temporal_deep"), 5.0),
    ("rod 2^27: float4 of the copy", "rod", "dram", ("share_of_copy", "float4"), 0.95),
    ("rotate 8192, 45 degrees: texture_vector of the copy", "rotate", "dram", ("share_of_copy", "texture_vector"), 0.80),
    ("transpose 2048: cuBLAS / the best", "transpose", "l2", ("peer_over", None), 1.0),
    ("transpose 16384: cuBLAS / the best", "transpose", "dram", ("peer_over", None), 1.0),
    ("vector_add 2^28: float4 of cub::DeviceTransform", "vector_add", "dram", ("peer_over", "float4"), 0.98),
]


def figure(rows, how):
    kind, *names = how
    ours = {row["variant"]: row for row in rows if not row["peer"]}
    peers = [row for row in rows if row["peer"]]
    best = min(ours.values(), key=lambda row: row["median_ms"], default=None)
    if kind == "over":
        return ours[names[0]]["median_ms"] / ours[names[1]]["median_ms"]
    row = ours[names[0]] if names[0] else best
    if kind == "peer_over":
        return peers[0]["median_ms"] / row["median_ms"]
    return row[kind]


folder = sys.argv[1]
print(f"{'what':54} {'wanted':>7} {'measured':>9}")
missed = 0
for what, lab, size, how, least in WANTED:
    try:
        with open(os.path.join(folder, lab + ".json")) as file:
            bench = json.load(file)
        rows = [row for row in bench["results"] if row["size"] == size]
        value = figure(rows, how)
        wrong = [row["variant"] for row in rows if row["correct"] is False]
        verdict = f"WRONG: {', '.join(wrong)}" if wrong else "reached" if value >= least else "missed"
        print(f"{what:54} {least:7.2f} {value:9.3f}  {verdict}")
        missed += verdict != "reached"
    except (OSError, ValueError, KeyError, IndexError, TypeError) as reason:
        print(f"{what:54} {least:7.2f} {'-':>9}  not measured ({type(reason).__name__}: {reason})")
        missed += 1
sys.exit(1 if missed else 0)
PY
}

if [ -z "$JUDGE" ]; then
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | tee "$OUT/device.txt"
    for lab in $LABS; do
        begin=$SECONDS
        timeout -k 5 "$LIMIT" "$BUNDLE/lanescope" bench "$lab" --json --record "$OUT/measurements.json" \
            >"$OUT/$lab.json" 2>"$OUT/$lab.err"
        echo "bench $lab: status $? after $((SECONDS - begin)) s"
        cat "$OUT/$lab.err"
    done
    # First the variants and the library at a non-square size; then a copy of the lab whose record
    # swaps the library's rows and columns, which must be detected.
    timeout -k 5 60 "$BUNDLE/lanescope" bench transpose --problem l2 --set size=1024 --set height=512 --json \
        >"$OUT/shape.json" 2>"$OUT/shape.err"
    echo "bench transpose --set height=512: status $?, the peer got $(grep -A8 '"shape"' "$OUT/shape.json" | tr -d '\n ')"
    wrong=$OUT/transpose_wrong
    rm -rf "$wrong"
    cp -r "$BUNDLE/labs/transpose" "$wrong"
    sed -i 's/"columns": "size"/"columns": "rows"/; s/"rows": "rows"/"rows": "size"/' "$wrong/lab.json"
    timeout -k 5 60 "$BUNDLE/lanescope" bench "$wrong" --problem l2 --set size=1024 --set height=512 >"$OUT/wrong.txt" 2>&1
    echo "bench with a wrong peer: status $?: $(grep -i wrong "$OUT/wrong.txt" | head -n 1)"
fi
judge | tee "$OUT/table.txt"
exit "${PIPESTATUS[0]}"
