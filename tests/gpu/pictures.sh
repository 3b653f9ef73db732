#!/bin/bash
# Every map of the README and of RESULTS.md, drawn by one engine: four over the picture, one over memory, one request.
#
#   tests/gpu/pictures.sh cuda|simt FOLDER      runs the program of $BUNDLE (build/bundle) or $LANESCOPE
set -e
engine=$1
folder=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
lanescope=${LANESCOPE:-${BUNDLE:-$root/build/bundle}/lanescope}
mkdir -p "$folder"

picture() { # NAME VARIANT OPTIONS…
    local name=$1 variant=$2
    shift 2
    "$lanescope" shot "$variant" --device "$engine" --size 640x360 --steps 40 -o "$folder/${engine}_$name.png" "$@"
}

picture active_lanes divergence/mandelbrot --set size=256 --map active_lanes
picture sector_excess rotate/global_nearest --set size=256 --map sector_excess
picture bank_conflicts transpose/tile --set size=256 --map bank_conflicts
picture instructions divergence/unsorted --set size=256 --map instructions
picture memory heat/shared_tile --set size=256 --show memory
picture request transpose/tile --set size=256 --show request
