#!/bin/bash
# Builds the program for browsers into build/browser: app/browser.sh [TARGET…]; --tools installs
# only the tools for that. It is compiled by the emcc on PATH or, if there is none, by Debian 13's
# in its own root file system (.deps/emscripten, made once, as root); libraries are built from
# Debian's sources. Kernels, notices and fonts are not included: the native program adds them
# (`lanescope page`).
set -u
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
LOG=$DEPS/browser.log # separate log: this may run during a native build
SUITE=trixie
TOOLS_ROOT=$DEPS/emscripten
LIBRARY_SOURCES=$DEPS/sources
BROWSER_LIBRARIES=(cli11 fmtlib freetype glm googletest libspng libstb md4c muparser nlohmann-json3 zlib)

make_tools_root() {
    local mirror
    need debootstrap
    as_root rm -rf --one-file-system "$TOOLS_ROOT" "$TOOLS_ROOT.new"
    for mirror in $(debian_mirrors); do
        # The mount namespace removes leftover mounts when it ends.
        quietly as_root unshare --mount timeout -k 10 "$MAX_S" \
            debootstrap --variant=minbase "$SUITE" "$TOOLS_ROOT.new" "$mirror" && break
        as_root rm -rf --one-file-system "$TOOLS_ROOT.new"
    done
    [ -d "$TOOLS_ROOT.new" ] || stop "cannot set up a Debian 13 chroot: put an emcc on PATH instead."
    as_root cp /etc/resolv.conf "$TOOLS_ROOT.new/etc/resolv.conf"
    # Skip fsync: a lost installation can be redone. Exclude packages that are never linked.
    local unused=/usr/share/emscripten/cache/sysroot/lib/wasm32-emscripten
    printf '%s\n' force-unsafe-io "path-exclude=$unused/lto/*" "path-exclude=$unused/pic/*" |
        as_root tee "$TOOLS_ROOT.new/etc/dpkg/dpkg.cfg.d/lanescope" >/dev/null
    TOOLS_ROOT=$TOOLS_ROOT.new quietly with_emcc timeout -k 10 "$MAX_S" sh -c \
        "apt-get -q update && apt-get -q install -y --no-install-recommends emscripten cmake ninja-build ccache &&
            apt-get clean" ||
        stop "cannot install Emscripten (details in $LOG)."
    as_root mv "$TOOLS_ROOT.new" "$TOOLS_ROOT" || stop "cannot write $TOOLS_ROOT."
}

# Runs a command where emcc is installed: on this system, or in the root file system, where this
# folder and CUDA's headers are mounted at the same paths. The mounts are in a separate namespace
# and disappear with it.
with_emcc() {
    if command -v emcc >/dev/null; then
        "$@"
        return
    fi
    local seen=("$ROOT") file
    while IFS= read -r file; do seen+=("$(dirname "$file")"); done < <(
        sed -nE 's/^CUDAToolkit_BIN_DIR:[A-Z]*=//p' "$BUILD/CMakeCache.txt" 2>/dev/null)
    # shellcheck disable=SC2016
    as_root unshare --mount sh -c '
        root=$1 tree=$2 count=$3; shift 3
        mount --bind /proc "$root/proc" && mount --bind /dev "$root/dev" || exit 1
        while [ "$count" -gt 0 ]; do
            mkdir -p "$root$1" && mount --bind "$1" "$root$1" || exit 1
            shift; count=$((count - 1))
        done
        exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
            DEBIAN_FRONTEND=noninteractive CCACHE_DIR="$tree/.deps/emscripten.ccache" \
            CCACHE_BASEDIR="$tree" sh -c "cd \"\$0\" && exec \"\$@\"" "$tree" "$@"' sh \
        "$TOOLS_ROOT" "$ROOT" ${#seen[@]} "${seen[@]}" "$@"
}

configure_for_browsers() {
    quietly with_emcc emcmake cmake -S "$ROOT" -B "$BUILD/browser" -G Ninja \
        -D CMAKE_BUILD_TYPE=Release -D LANESCOPE_TESTS=OFF \
        -D LANESCOPE_HOST_BUILD="$BUILD" -D LANESCOPE_SOURCES="$LIBRARY_SOURCES" ||
        stop "CMake could not configure for browsers (see above)."
}

compile_for_browsers() {
    with_emcc ninja -C "$BUILD/browser" -j "$JOBS" "$@" ||
        stop "the build for browsers failed (see above)."
}

BUILD_WORDS=""
prepare
command -v emcc >/dev/null || [ -d "$TOOLS_ROOT" ] ||
    step "setting up a Debian 13 chroot with Emscripten (2 GB)" make_tools_root
library_sources "$LIBRARY_SOURCES" "$SUITE" "${BROWSER_LIBRARIES[@]}"
[ "${1:-}" = --tools ] && exit
[ -f "$BUILD/browser/build.ninja" ] || step "configuring for browsers" configure_for_browsers
step "building for browsers with $JOBS jobs" compile_for_browsers "$@"
