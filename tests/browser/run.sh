#!/bin/bash
# Tests the browser build as users get it: tests/browser/run.sh [--pictures FOLDER]. Builds it
# (app/browser.sh) and the desktop program, then compares counts and memory of every variant under
# node, with default settings and with native code from the first instruction, and the pictures of
# every lab; runs the machine's row tests, and opens every lab, pages, a lecture and a notebook's
# page in headless Chromium and in Firefox, with real keys and touch. Takes about ten minutes on two
# idle cores.
set -u
source "$(dirname "${BASH_SOURCE[0]}")/../../app/setup.sh"
need chromium firefox-esr xvfb xauth nodejs python3-websocket python3-numpy python3-pil
"$ROOT/app/browser.sh" lanescope rows_tests machine_bench || exit 1
prepare
build lanescope || exit 1
"$BUILD/lanescope" page --site "$BUILD/site" || exit 1
failed=0
try() { # SCRIPT ARGUMENT…
    say "$*"
    /usr/bin/python3 "$ROOT/tests/browser/$1" "$BUILD/lanescope" "${@:2}" || failed=1
}
for browser in chromium firefox; do
    try window.py --browser $browser "$@"
    try page.py --browser $browser "$@"
    try notebook.py --browser $browser "$@"
    /usr/bin/python3 "$ROOT/tests/browser/machine.py" "$BUILD/browser" --browser $browser || failed=1
done
try pictures.py "$@"
try counts.py
LANESCOPE_NATIVE=always try counts.py
exit $failed
