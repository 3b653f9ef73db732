#!/bin/bash
# Draws a set of maps with one engine, to compare with the other's (tests/gpu/pictures has both): one sheet of four maps
# over the picture, one memory map and one request; and the window with two variants in A/B. Needs ffmpeg for the sheet
# and xvfb-run for the window.
#
#   tests/gpu/pictures.sh cuda|simt FOLDER      runs the program of $BUNDLE (build/bundle) or $LANESCOPE
set -e
engine=$1
folder=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
lanescope=$(realpath "${LANESCOPE:-${BUNDLE:-$root/build/bundle}/lanescope}")
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

cd "$folder"
inputs=() pads="" tiles="" number=0
for name in active_lanes sector_excess bank_conflicts instructions memory request; do
    inputs+=(-i "${engine}_$name.png")
    pads+="[$number]pad=652:372:6:6:white[p$number];"
    tiles+="[p$number]"
    number=$((number + 1))
done
ffmpeg -v error -y "${inputs[@]}" -filter_complex \
    "$pads${tiles}xstack=inputs=6:layout=0_0|w0_0|w0+w0_0|0_h0|w0_h0|w0+w0_h0" -frames:v 1 "maps_$engine.png"

# The script makes the window take its own picture after 20 s, when everything has been counted.
cat >window.script <<'SCRIPT'
{"lanescope_script": 1, "commands": [{"at": 0.5, "do": ["compare", "tile"]}, {"at": 0.6, "do": ["map", "sector_excess"]},
{"at": 0.7, "do": ["tab", "source"]}, {"at": 0.8, "do": ["folder", "."]}, {"at": 20, "do": ["take", 1]},
{"at": 30, "do": ["close"]}]}
SCRIPT
xvfb-run -a -s "-screen 0 1280x720x24" "$lanescope" --lab transpose --variant naive --device "$engine" --script window.script \
    --trust-script
mv lanescope-*-window.png "window_$engine.png"
rm window.script
