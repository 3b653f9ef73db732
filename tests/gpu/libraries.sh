#!/bin/bash
# Times the labs Sort and Sparse product beside cub::DeviceRadixSort and cusparseSpMV: all variants and the library in
# one run per size, every result checked, then their tests. Takes about a minute and a half.
#
#   tests/gpu/libraries.sh              the programs are taken from build/bundle (or $BUNDLE)
#   OTHERS="FOLDER …" …                 also copies of the labs with other kernels, named sort* or spmv*, at one size
#   JUDGE=FOLDER …                      only the table, from the files of an earlier run
#
# Leaves the documents of bench, table.txt and measurements.json (for the window without a GPU) in $OUT (default
# out/libraries). Exits with 1 if a result is wrong, a target is missed or a test fails.
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUNDLE=${BUNDLE:-$ROOT/build/bundle}
OUT=${JUDGE:-${OUT:-$ROOT/out/libraries}}
SAMPLES=${SAMPLES:-20}
mkdir -p "$OUT"

# bench_at NAME LAB ASSIGNMENT…: leaves NAME.json.
bench_at() {
    local name=$1 lab=$2 assignments=() record=() begin=$SECONDS
    shift 2
    case $name in other_*) ;; *) record=(--record "$OUT/measurements.json") ;; esac
    for one in "$@"; do assignments+=(--set "$one"); done
    timeout -k 5 60 "$BUNDLE/lanescope" bench "$lab" --problem dram --samples "$SAMPLES" "${assignments[@]}" "${record[@]}" \
        --json >"$OUT/$name.json" 2>"$OUT/$name.err"
    echo "$name: status $? after $((SECONDS - begin)) s"
    cat "$OUT/$name.err"
}

judge() {
    python3 - "$OUT" <<'PY'
import glob, json, os, sys

TARGETS = {"sort": 0.5, "spmv": 0.8}
missed = 0
for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.json")), key=os.path.getmtime):
    name = os.path.splitext(os.path.basename(path))[0]
    if name == "measurements":
        continue
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        rows = document["results"]
        peer = next(row for row in rows if row["peer"])
        ours = [row for row in rows if not row["peer"]]
        best = min(ours, key=lambda row: row["median_ms"])
    except (OSError, ValueError, KeyError, StopIteration) as reason:
        print(f"\n{name}: not measured ({type(reason).__name__}: {reason})")
        missed += not name.startswith("other_")
        continue
    print(f"\n{name}: {peer['variant']}, {peer['library']}, on {document.get('device', '?')}, driver {document.get('driver', '?')}")
    for row in sorted(rows, key=lambda row: row["median_ms"]):
        wrong = "" if row["correct"] is not False else "  WRONG"
        print(f"  {row['variant']:22} {1000 * row['median_ms']:11.1f} us  library / this {peer['median_ms'] / row['median_ms']:6.3f}{wrong}")
        missed += bool(wrong)
    if name.startswith("other_"):
        continue
    kind = next(kind for kind in TARGETS if kind in name)
    ratio = peer["median_ms"] / best["median_ms"]
    reached = ratio >= TARGETS[kind]
    missed += not reached
    print(f"  library / {best['variant']}: {ratio:.3f}, wanted {TARGETS[kind]:.2f}: {'reached' if reached else 'missed'}")
sys.exit(1 if missed else 0)
PY
}

tests=0
if [ -z "$JUDGE" ]; then
    rm -f "$OUT"/*.json
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | tee "$OUT/device.txt"
    for exponent in 20 24 26; do bench_at "sort_2^$exponent" sort "count=$((1 << exponent))" keys=random; done
    for lengths in equal scattered "few long"; do
        bench_at "spmv_${lengths// /_}" spmv size=1536 mean=16 "lengths=$lengths"
    done
    for lab in $OTHERS; do
        case $(basename "$lab") in
        sort*) bench_at "other_$(basename "$lab")" "$lab" "count=$((1 << 26))" keys=random ;;
        *) bench_at "other_$(basename "$lab")" "$lab" size=1536 mean=16 lengths=scattered ;;
        esac
    done
    if [ -x "$BUNDLE/gpu_tests" ]; then
        (cd "$BUNDLE" && timeout -k 5 60 ./gpu_tests --gtest_brief=1 --gtest_filter='Every/*/sort_*:Every/*/spmv_*') \
            >"$OUT/tests.txt" 2>&1
        tests=$?
        echo "tests: status $tests"
        tail -n 40 "$OUT/tests.txt"
    fi
fi
judge | tee "$OUT/table.txt"
judged=${PIPESTATUS[0]}
[ "$judged" = 0 ] && [ "$tests" = 0 ]
