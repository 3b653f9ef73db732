#!/bin/bash
# Installs what is missing, builds everything and runs every test. ARGS go to ctest, for example
# -R simt or -L ui.
set -u
source "$(dirname "${BASH_SOURCE[0]}")/../app/setup.sh"

prepare_tests
build
say "testing"
cd "$ROOT" && ctest --preset default -j 2 "$@"
