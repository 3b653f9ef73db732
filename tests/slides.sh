#!/bin/bash
# Creates a talk of three sessions with `lanescope slide` and converts it with LibreOffice: one page
# each, with its title as text. tests/slides.sh [FOLDER] leaves the talk and its pages there.
# Installs LibreOffice if it is missing.
set -eu
source "$(dirname "${BASH_SOURCE[0]}")/../app/setup.sh"
need libreoffice-impress poppler-utils python3-venv
python_packages slides || stop "cannot fetch python-pptx: check the network and pip."
export LANESCOPE_PYTHON=$PYTHON
[ $# -eq 0 ] || mkdir -p "$1"
FOLDER=${1:+$(realpath "$1")}
PROGRAM=${LANESCOPE_PROGRAM:-$ROOT/build/ci/lanescope}
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK"
"$PROGRAM" shot transpose/tile --device simt --map bank_conflicts -o one.png
"$PROGRAM" shot heat --device simt --view surface --theme light -o two.png
"$PROGRAM" shot divergence/mandelbrot --device simt --map active_lanes -o three.png
"$PROGRAM" slide one.png two.png three.png -o talk.pptx
[ "$(ls)" = "$(printf '%s\n' one.png talk.pptx three.png two.png)" ]
soffice --headless --convert-to pdf talk.pptx >/dev/null 2>&1
for page in "1 Matrix transpose: Tile" "2 Heat on a plate: Naive" "3 Divergence: Mandelbrot"; do
    pdftotext -f "${page%% *}" -l "${page%% *}" talk.pdf - | grep -q "${page#* }" || {
        echo "Page ${page%% *} does not say ${page#* }."
        exit 1
    }
done
[ -z "$FOLDER" ] || cp talk.pptx talk.pdf "$FOLDER"
echo "Three sessions, three pages."
