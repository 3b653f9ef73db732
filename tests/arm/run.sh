#!/bin/bash
# Tests the simulator for Linux on 64-bit Arm under QEMU: tests/arm/run.sh [rows] [simt] [conformance].
# Cross-compiles it by Debian's g++ into build/arm, with kernels that tests/run.sh has compiled.
#
#   LANESCOPE_FILTER=…   only tests with these names (gtest's filter)
set -u
source "$(dirname "${BASH_SOURCE[0]}")/../../app/setup.sh"
for_tests
[ -d "$BUILD/ptx" ] || stop "there are no kernels in $BUILD: run tests/run.sh first."
need qemu-user g++-aarch64-linux-gnu
cross_sources
ARM=$ROOT/build/arm

configure_for_arm() {
    quietly cmake --preset arm -S "$ROOT" -D LANESCOPE_HOST_BUILD="$BUILD" ||
        stop "CMake could not configure for Arm (see above)."
}

chosen=("$@")
[ $# -gt 0 ] || chosen=(rows simt conformance)
[ -f "$ARM/build.ninja" ] || step "configuring for Arm" configure_for_arm
step "building for Arm with $JOBS jobs" ninja -C "$ARM" -j "$JOBS" "${chosen[@]/%/_tests}" ||
    stop "the build for Arm failed (see above)."
failed=()
for name in "${chosen[@]}"; do
    step "$name" qemu-aarch64 -L /usr/aarch64-linux-gnu "$ARM/${name}_tests" --gtest_brief \
        --gtest_filter="${LANESCOPE_FILTER:-*}" || failed+=("$name")
done
[ ${#failed[@]} = 0 ] || stop "failed: ${failed[*]}"
say "passed: ${chosen[*]}"
