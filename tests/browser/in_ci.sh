#!/bin/bash
# Builds the program for browsers and tests it in headless Chromium, as a part of tests/run.sh:
# every lab, keys, files and touch, and the machine's row tests. If it cannot be built here (no root
# for a chroot, no network, no working Chromium), one line says so, and that is not a failure.
# --tools only fetches what the build needs, in parallel with the native build; --fetched continues
# from there.
set -u
source "$(dirname "${BASH_SOURCE[0]}")/../../app/setup.sh"
for_tests
LOG=$DEPS/browser.log
READY=$DEPS/browser.ready # why it is left out, or nothing

leave_out() {
    echo "$1" >"$READY"
    exit 0
}

starts_chromium() {
    local profile status
    profile=$(mktemp -d)
    timeout -k 10 90 chromium --headless=new --no-sandbox --disable-dev-shm-usage --user-data-dir="$profile" \
        --dump-dom about:blank
    status=$?
    rm -rf "$profile"
    return $status
}

fetch_tools() {
    rm -f "$READY"
    [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null || leave_out "that needs root, once, for a chroot"
    as_root unshare --mount true 2>/dev/null || leave_out "nothing can be mounted here"
    (need chromium nodejs python3-websocket) || leave_out "Chromium cannot be installed (details in $LOG)"
    starts_chromium >>"$LOG" 2>&1 || leave_out "Chromium does not start here (details in $LOG)"
    "$ROOT/app/browser.sh" --tools || leave_out "there is no Emscripten (details in $LOG)"
    : >"$READY"
}

if [ "${1:-}" = --tools ]; then
    fetch_tools
    exit
fi
[ "${1:-}" = --fetched ] && [ -f "$READY" ] || "$0" --tools
reason=$(cat "$READY")
rm -f "$READY"
if [ -n "$reason" ]; then
    say "not built for browsers, not tried in Chromium: $reason"
    exit 0
fi
"$ROOT/app/browser.sh" lanescope rows_tests machine_bench || exit 1
failed=0
LANESCOPE_BROWSER=$BUILD/browser /usr/bin/python3 "$ROOT/tests/browser/window.py" "$BUILD/lanescope" || failed=1
/usr/bin/python3 "$ROOT/tests/browser/machine.py" "$BUILD/browser" || failed=1
exit $failed
