#!/bin/bash
# Tests the program for Windows under Wine, beside the one for this machine: tests/windows/run.sh
# [commands] [counts] [module] [pictures] [window] [speed]; without words, all but speed.
# Builds nothing: app/windows.sh and tests/run.sh come first.
#
#   LANESCOPE_PICTURES=…, LANESCOPE_WINDOW_TESTS=…   only tests with these names (gtest's filter)
#
# On a busy machine Wine kills a program that takes longer than a second to end: status 137.
set -u
source "$(dirname "${BASH_SOURCE[0]}")/../../app/setup.sh"
for_tests
need wine64 wine xvfb xauth xdotool libgl1-mesa-dri libgl1
HERE=$ROOT/tests/windows
TESTS=${LANESCOPE_TESTS:-$BUILD} # the folder of golden_tests and ui_tests
export LANESCOPE_EXECUTABLE=${LANESCOPE_EXECUTABLE:-$ROOT/build/windows/lanescope.exe}
export LANESCOPE_PROGRAM=$TESTS/lanescope
[ -f "$LANESCOPE_EXECUTABLE" ] || stop "there is no $LANESCOPE_EXECUTABLE: run app/windows.sh first."
[ -x "$LANESCOPE_PROGRAM" ] || stop "there is no $LANESCOPE_PROGRAM: run tests/run.sh first."

# NVIDIA's compiler for Windows, for edited kernels.
fetch_nvrtc() {
    rm -rf "$DEPS/windows/nvrtc.new"
    python_packages windows --target "$DEPS/windows/nvrtc.new" --platform win_amd64 \
        --only-binary=:all: || stop "cannot fetch NVRTC for Windows."
    mv "$DEPS/windows/nvrtc.new" "$DEPS/windows/nvrtc"
}
[ -d "$DEPS/windows/nvrtc" ] || step "fetching NVRTC for Windows (50 MB)" fetch_nvrtc

export WINEPREFIX=$DEPS/windows/wine WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml="
export LIBGL_ALWAYS_SOFTWARE=1
export CUDA_PATH="Z:${DEPS//\//\\}\\windows\\nvrtc\\nvidia\\cu13"
[ -d "$WINEPREFIX" ] || step "making a folder for Wine" quietly wine wineboot -i

# One X server for all, because a start of Wine's first program takes seconds; the monitor that Wine reports is its
# screen, so it has the width of the tests' windows, and room for a title above them.
export LANESCOPE_WINE_DISPLAY=:$((7000 + $$ % 1000))
Xvfb "$LANESCOPE_WINE_DISPLAY" -screen 0 1280x760x24 +extension GLX >/dev/null 2>&1 &
server=$!
trap 'kill $server; wineserver -k' EXIT
export DISPLAY=$LANESCOPE_WINE_DISPLAY
# Wine's services keep the pipes of the program that starts them, and a test would wait for their end: they start first
# and stay.
wineserver -p
wine cmd /c exit </dev/null >/dev/null 2>&1

commands() { python3 "$HERE/commands.py"; }
counts() { python3 "$HERE/counts.py"; }
module() { "$DEPS/numba/bin/python3" "$HERE/python_module.py"; }
pictures() {
    LANESCOPE_PROGRAM=$HERE/program.sh "$TESTS/golden_tests" --gtest_brief \
        --gtest_filter="${LANESCOPE_PICTURES:-Golden/*}"
}
# Names that are no UTF-8 and signals are for Linux, whole files of courses for nvcc; closing within 0.2 s is measured on a
# quiet machine.
window() {
    local tests=Window.*:WindowErrors.*:Code.*:OwnKernel.*:Saving.*:Lecture.*:Drop.*
    tests+=:-OwnKernel.InvalidUtf8Name*:OwnKernel.CourseKernel*:Saving.VideoSurvivesSignals
    tests+=:WindowErrors.ClosingDuringLongStep
    env -u DISPLAY LANESCOPE_PROGRAM="$HERE/program.sh" "$TESTS/ui_tests" --gtest_brief \
        --gtest_filter="${LANESCOPE_WINDOW_TESTS:-$tests}"
}
# The benchmark: ninja -C build/windows simt_bench builds it for Windows, tests/run.sh for this machine.
speed() {
    LANESCOPE_BENCH=$ROOT/build/windows/simt_bench.exe python3 "$HERE/speed.py"
}

chosen=("$@")
[ $# -gt 0 ] || chosen=(commands counts module pictures window)
failed=()
for name in "${chosen[@]}"; do step "$name" "$name" || failed+=("$name"); done
[ ${#failed[@]} = 0 ] || stop "failed: ${failed[*]}"
say "passed: ${chosen[*]}"
