#!/bin/bash
# Executes tests/notebook/example.ipynb with the wheel of build/dist, without a display, and
# compares its output with the command line's. Installs missing parts of Jupyter.
set -eu
source "$(dirname "${BASH_SOURCE[0]}")/../app/setup.sh"
need python3-venv python3-nbclient python3-ipykernel
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
/usr/bin/python3 -m venv --system-site-packages "$WORK/venv"
"$WORK/venv/bin/python3" -m pip -q install --no-index --no-deps "$ROOT"/build/dist/*.whl
"$WORK/venv/bin/python3" -m ipykernel install --prefix "$WORK/venv" >/dev/null
cp "$ROOT/tests/notebook/example.ipynb" "$WORK"
cd "$WORK"
without_display() { env -u DISPLAY -u WAYLAND_DISPLAY PATH="$WORK/venv/bin:$PATH" "$@"; }
without_display python3 -c '
import nbclient, nbformat
notebook = nbformat.read("example.ipynb", as_version=4)
nbclient.execute(notebook)
nbformat.write(notebook, "example.ipynb")'
without_display python3 "$ROOT/tests/notebook/check.py" example.ipynb
