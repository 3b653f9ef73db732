#!/bin/bash
# Installs missing packages, builds everything and runs every test; last come those of the browser
# build, if it can be built (tests/browser/in_ci.sh). ARGS are passed to ctest, for example -R simt
# or -L ui; with ARGS, the browser tests are skipped.
set -u
source "$(dirname "${BASH_SOURCE[0]}")/../app/setup.sh"

for_tests
export LANESCOPE_BUILD=$BUILD # for app/browser.sh
prepare
if [ $# = 0 ]; then
    "$ROOT/tests/browser/in_ci.sh" --tools &
    trap wait EXIT
fi
build
say "testing"
cd "$ROOT" && ctest --preset ci -j 2 "$@" || exit
[ $# -gt 0 ] && exit
wait
"$ROOT/tests/browser/in_ci.sh" --fetched
