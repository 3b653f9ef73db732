#!/bin/bash
# The program built for browsers, tried as its users have it: tests/browser/run.sh [PICTURES]. Builds it
# (app/browser.sh) and the desktop's program, then compares counts and results of every variant, under
# node, and opens every lab in headless Chromium, with real keys. Pictures are kept in the folder that is
# named. On two idle cores the comparison of counts takes two minutes, the window one, the pages one.
set -u
source "$(dirname "${BASH_SOURCE[0]}")/../../app/setup.sh"
need chromium nodejs python3-websocket
"$ROOT/app/browser.sh" lanescope || exit 1
prepare
build lanescope || exit 1
failed=0
"$BUILD/lanescope" page --site "$BUILD/site" || exit 1
/usr/bin/python3 "$ROOT/tests/browser/counts.py" "$BUILD/lanescope" || failed=1
/usr/bin/python3 "$ROOT/tests/browser/window.py" "$BUILD/site" "$@" || failed=1
/usr/bin/python3 "$ROOT/tests/browser/page.py" "$BUILD/lanescope" "$@" || failed=1
exit $failed
