#!/bin/bash
# Cross-compiles the program for 64-bit Windows into build/windows by Debian's MinGW-w64:
# app/windows.sh [TARGET…]; --tools installs only what that needs. Libraries are built from Debian's
# sources, as for browsers; kernels and notices come from a build for this machine.
set -u
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
WINDOWS_PACKAGES=(g++-mingw-w64-x86-64-posix lld llvm)

configure_for_windows() {
    quietly cmake --preset windows -S "$ROOT" -D LANESCOPE_HOST_BUILD="$BUILD" ||
        stop "CMake could not configure for Windows (see above)."
}

compile_for_windows() {
    ninja -C "$ROOT/build/windows" -j "$JOBS" "$@" ||
        stop "the build for Windows failed (see above)."
}

PACKAGES+=("${WINDOWS_PACKAGES[@]}")
BUILD_WORDS=""
prepare
cross_sources
[ "${1:-}" = --tools ] && exit
[ -f "$BUILD/build.ninja" ] || step "configuring" configure
step "compiling kernels" compile assets
[ -f "$ROOT/build/windows/build.ninja" ] || step "configuring for Windows" configure_for_windows
step "building for Windows with $JOBS jobs" compile_for_windows "$@"
