#!/bin/bash
# Tests the wheel on a GPU machine without build tools in PATH: installs it into a folder, then
# checks the sharing path and runs labs on the GPU. Prints pass or FAIL; exits with 1 if anything
# failed.
#
#   tests/gpu/wheel.sh WHEEL        the machine needs Python 3 and the NVIDIA driver
set -u
WHEEL=$(realpath "$1")
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK" || exit 1
# A wheel is a zip archive: unpacking it needs neither pip nor a virtual environment.
python3 - "$WHEEL" <<'PYTHON' || exit 1
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    for entry in wheel.infolist():
        path = wheel.extract(entry)
        __import__("os").chmod(path, entry.external_attr >> 16 & 0o777)
PYTHON
mkdir tools
for tool in bash sh python3 grep; do ln -s "$(command -v $tool)" tools/$tool; done
failed=0
check() { # TITLE WORD COMMAND…
    local title=$1 word=$2 output
    shift 2
    if output=$(env PATH="$WORK/tools" PYTHONPATH="$WORK" "$@" 2>&1) && grep -qE "$word" <<<"$output"; then
        echo "pass  $title"
    else
        echo "FAIL  $title"
        tail -n 20 <<<"$output"
        failed=1
    fi
}
program=$WORK/lanescope/program/lanescope
check "doctor: zero copy" '"path": "cuda_mapped"' "$program" doctor --json
check "run heat on the GPU, correct" '"correct": true' "$program" run heat --device cuda --json
check "run matmul on the GPU, correct" '"correct": true' "$program" run matmul --device cuda --json
check "counts by probes equal simt's" '262,144' "$program" trace transpose/tile --device cuda
check "a picture drawn on the GPU" '' "$program" shot heat --device cuda -o heat.png
check "the Python module" 'global_load' python3 -c \
    'import lanescope; print(lanescope.compare("transpose/naive", "transpose/tile", device="cuda"))'
exit $failed
