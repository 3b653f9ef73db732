#!/bin/bash
# Cross-compiles the program for 64-bit Windows into build/windows by Debian's MinGW-w64:
# app/windows.sh [TARGET…]; --tools installs only what that needs. Libraries are built from Debian's
# sources, as for browsers; kernels and notices come from a build for this machine.
set -u
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
SUITE=trixie
LIBRARY_SOURCES=$DEPS/windows/sources
# The last line is for PDF.
LIBRARIES=(
    cli11 fmtlib freetype glm libspng libstb md4c muparser nlohmann-json3 zlib
    glfw3 cairo pixman
)
WINDOWS_PACKAGES=(g++-mingw-w64-x86-64-posix lld llvm)

fetch_windows_libraries() {
    local work=$DEPS/windows/apt name
    mkdir -p "$DEPS/windows"
    debian_source "$work" "${LIBRARIES[*]}" "$(debian_mirrors)" "$SUITE" ||
        stop "cannot fetch Debian's sources of ${LIBRARIES[*]} (details in $LOG)."
    rm -rf "$LIBRARY_SOURCES.new"
    for name in "${LIBRARIES[@]}"; do
        mkdir -p "$LIBRARY_SOURCES.new/$name"
        tar -xf "$(ls "$work/$name"_*.orig.tar.* | grep -v '\.asc$')" --strip-components=1 \
            -C "$LIBRARY_SOURCES.new/$name"
    done
    rm -rf "$work" "$LIBRARY_SOURCES"
    mv "$LIBRARY_SOURCES.new" "$LIBRARY_SOURCES"
}

has_windows_libraries() {
    local name
    for name in "${LIBRARIES[@]}"; do [ -d "$LIBRARY_SOURCES/$name" ] || return; done
}

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
has_windows_libraries || step "fetching sources of libraries" fetch_windows_libraries
[ "${1:-}" = --tools ] && exit
[ -f "$BUILD/build.ninja" ] || step "configuring" configure
step "compiling kernels" compile assets
[ -f "$ROOT/build/windows/build.ninja" ] || step "configuring for Windows" configure_for_windows
step "building for Windows with $JOBS jobs" compile_for_windows "$@"
