#!/bin/bash
# The program built for browsers and tried in headless Chromium, for a machine that does so behind tests/run.sh:
# every lab, the keys, files and fingers, and the machine's rows. Where it cannot be built here (no root for a chroot, no
# network) one line says so, and that is no failure.
set -u
source "$(dirname "${BASH_SOURCE[0]}")/../../app/setup.sh"

leave_out() {
    say "not built for browsers, not tried in Chromium: $1"
    exit 0
}

[ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null || leave_out "that needs root, once, for a chroot"
as_root unshare --mount true 2>/dev/null || leave_out "nothing can be mounted here"
(need chromium nodejs python3-websocket) || leave_out "Chromium cannot be installed (details in $LOG)"
"$ROOT/app/browser.sh" --tools || leave_out "there is no Emscripten (details in $LOG)"
"$ROOT/app/browser.sh" lanescope rows_tests machine_bench || exit 1
failed=0
LANESCOPE_BROWSER=$BUILD/browser /usr/bin/python3 "$ROOT/tests/browser/window.py" "$BUILD/lanescope" || failed=1
/usr/bin/python3 "$ROOT/tests/browser/machine.py" "$BUILD/browser" || failed=1
exit $failed
