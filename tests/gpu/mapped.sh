#!/bin/bash
# Cost of counting and drawing every map in every frame on a GPU: frames per second, map and unmap,
# and the ratio of a probed launch to a plain one, heat 1024², three times.
#
#   tests/gpu/mapped.sh                 the programs are taken from build/bundle (or $BUNDLE); writes to $OUT (default out/mapped)
#   BEFORE=FOLDER tests/gpu/mapped.sh   also those of another bundle, alternating
set +e
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUNDLE=${BUNDLE:-$ROOT/build/bundle}
OUT=${OUT:-$ROOT/out/mapped}
mkdir -p "$OUT"
if ! ls /usr/share/glvnd/egl_vendor.d/*nvidia* /etc/glvnd/egl_vendor.d/*nvidia* >/dev/null 2>&1; then
    echo '{"file_format_version": "1.0.0", "ICD": {"library_path": "libEGL_nvidia.so.0"}}' >"$OUT/10_nvidia.json"
    export __EGL_VENDOR_LIBRARY_FILENAMES=$OUT/10_nvidia.json
fi
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | tee "$OUT/device.txt"
for round in 1 2 3; do
    for folder in ${BEFORE:+"$BEFORE"} "$BUNDLE"; do
        name=$(basename "$(dirname "$folder")")_$(basename "$folder")_$round
        (cd "$folder" &&
            timeout -k 5 60 ./frame_bench --benchmark_filter='offscreen/(cuda|cuda_maps|cuda_four_heatmaps)/(512|1024)' --benchmark_min_time=1 \
                --benchmark_out="$OUT/frames_$name.json" --benchmark_out_format=json >"$OUT/frames_$name.txt" 2>&1
            timeout -k 5 60 ./probe_bench --benchmark_filter='heat/naive' --benchmark_out="$OUT/probes_$name.json" \
                --benchmark_out_format=json >"$OUT/probes_$name.txt" 2>&1)
    done
done
python3 - "$OUT" <<'PY'
import glob, json, os, sys

print(f"{'program, round':28} {'what':34} {'frames/s':>9} {'map us':>7} {'unmap us':>8} {'ratio':>6}")
for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.json"))):
    name = os.path.basename(path)[:-5].split("_", 1)[1]
    try:
        runs = json.load(open(path)).get("benchmarks", [])
    except ValueError:
        runs = []
    for run in runs:
        cell = lambda key, form: format(run[key], form) if key in run else "-"
        print(f"{name:28} {run['name'][:34]:34} {cell('frames/s', '.0f'):>9} {cell('map_us', '.1f'):>7} "
              f"{cell('unmap_us', '.1f'):>8} {cell('ratio', '.2f'):>6} {run.get('error_message', '')}")
PY
