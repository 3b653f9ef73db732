#!/bin/bash
# Fetches everything that a build needs and this machine lacks: system packages, and what goes into
# .deps/ (the OpenGL loader, Dear ImGui, NVIDIA's tools). Existing downloads are kept.
#
#   app/setup.sh             what the program needs; then: cmake --preset default, cmake --build --preset default
#   app/setup.sh --tests     also what the tests need; then: cmake --preset ci (or dev)
#
# app/run.sh, tests/run.sh and others source it for its functions.
#
#   LANESCOPE_OWN_CUDA=1     ignore the machine's CUDA toolkit and use NVIDIA's wheels
#   LANESCOPE_JOBS=N         compile N files at a time (default: one per core)
#   LANESCOPE_BUILD=FOLDER   build there instead of in the preset's folder

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
DEPS=$ROOT/.deps
BUILD=${LANESCOPE_BUILD:-$ROOT/build}
LOG=$DEPS/setup.log
# Download timeout in seconds: a dead mirror ends in an error message instead of a hang.
MAX_S=600
PYTHON=$DEPS/venv/bin/python3
JOBS=${LANESCOPE_JOBS:-$(nproc)}
IMGUI_TAG=v1.92.2b
PRESET=default
# Announced before anything starts: the build, and the download size on a system without package lists.
BUILD_WORDS="build: 6 to 10 minutes on two cores, 300 MB in $BUILD"
BARE_MB=170
# Packages needed to build and to draw; tests/run.sh adds those for tests.
PACKAGES=(
    g++ cmake ninja-build git ca-certificates xz-utils python3-venv pkg-config
    libglfw3-dev libglm-dev libfreetype-dev libspng-dev libcairo2-dev zlib1g-dev
    libgl-dev libegl-dev libegl1 libgl1 libegl-mesa0 libglx-mesa0 libgl1-mesa-dri
    libcli11-dev libfmt-dev nlohmann-json3-dev libstb-dev libmd4c-dev libmuparser-dev
    libxbyak-dev fonts-inter fonts-jetbrains-mono
)
# Installed with these if available; needed only for videos.
OPTIONAL_PACKAGES=(ffmpeg)
TEST_PACKAGES=(
    ccache libx11-dev libgtest-dev libgmock-dev libbenchmark-dev librsvg2-bin poppler-utils
    xvfb xauth xdotool weston ffmpeg bubblewrap python3-jsonschema
)
# The equivalents on other families of systems.
FEDORA_PACKAGES=(
    gcc-c++ cmake ninja-build git-core python3 pkgconf-pkg-config glfw-devel glm-devel
    freetype-devel libspng-devel cairo-devel zlib-devel mesa-libGL-devel mesa-libEGL-devel
    mesa-dri-drivers cli11-devel fmt-devel json-devel stb-devel md4c-devel muParser-devel
    rsms-inter-fonts jetbrains-mono-fonts
)
ARCH_PACKAGES=(
    gcc cmake ninja git python pkgconf glfw glm freetype2 libspng cairo zlib mesa cli11 fmt
    nlohmann-json stb md4c muparser inter-font ttf-jetbrains-mono
)
# Checked on a system of no known family: programs, and libraries via pkg-config.
TOOLS=(g++ cmake ninja git python3 pkg-config)
LIBRARIES=(glfw3 freetype2 spng cairo zlib md4c muparser)
GL_EXTENSIONS=GL_EXT_texture_filter_anisotropic,EGL_EXT_client_extensions,EGL_EXT_platform_base,\
EGL_EXT_platform_device,EGL_EXT_device_base,EGL_EXT_device_enumeration,EGL_EXT_device_query,\
EGL_EXT_device_query_name,EGL_EXT_device_drm,EGL_EXT_device_persistent_id,EGL_NV_device_cuda,\
EGL_MESA_platform_surfaceless,EGL_KHR_surfaceless_context,EGL_KHR_no_config_context,\
EGL_KHR_create_context,EGL_KHR_debug

say() { printf 'lanescope: %s\n' "$*"; }
stop() {
    printf 'lanescope: %s\n' "$*" >&2
    exit 1
}

# Runs a command whose output matters only if it fails; the last part is shown then.
quietly() {
    "$@" >>"$LOG" 2>&1 && return
    tail -n 15 "$LOG" >&2
    return 1
}

# One step of the setup: prints its title and, when done, the seconds it took.
step() {
    local title=$1 begin=$SECONDS
    shift
    say "$title"
    "$@" || return
    say "  done in $((SECONDS - begin)) s"
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

# The size of what apt would download, as far as its lists say.
download_size() { # PACKAGE…
    local bytes
    bytes=$(apt-get -qq --print-uris --no-install-recommends -y install "$@" 2>/dev/null |
        sed -nE "s/^'.*' [^ ]+ ([0-9]+).*/\\1/p" | tr '\n' '+')
    if [ -n "$bytes" ]; then
        echo "$(((${bytes}999999) / 1000000)) MB"
    else
        echo "up to $BARE_MB MB"
    fi
}

missing_packages() { # PACKAGE…
    local installed
    installed=$(dpkg-query -W -f '${Package} ${Status}\n' "$@" 2>/dev/null |
        sed -n 's/ install ok installed$//p')
    printf '%s\n' "$@" | grep -vxF "$installed"
}

install_debian_packages() {
    # The system's package lists may be old, or missing.
    quietly as_root apt-get -q update ||
        stop "cannot reach a package mirror: check /etc/apt/sources.list* and the network."
    # shellcheck disable=SC2086
    quietly as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -q install -y --no-install-recommends "$@" ||
        stop "cannot install these packages: $* (details above and in $LOG)."
}

# A mirror may lack these packages.
install_optional_packages() {
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -q install -y --no-install-recommends "$@" >>"$LOG" 2>&1 || true
}

# On a system without dpkg nothing is installed: lists what is missing, with the command that
# installs it, before building anything.
name_what_is_missing() {
    local query=$1 install=$2 package missing=()
    shift 2
    for package in "$@"; do
        $query "$package" >/dev/null 2>&1 || missing+=("$package")
    done
    [ ${#missing[@]} = 0 ] && return
    stop "these packages are missing; install them, then start again:
    $install ${missing[*]}"
}

check_unknown_system() {
    local each missing=()
    for each in "${TOOLS[@]}"; do
        command -v "$each" >/dev/null || missing+=("the program $each")
    done
    for each in "${LIBRARIES[@]}"; do
        pkg-config --exists "$each" 2>/dev/null || missing+=("the library $each, with its headers")
    done
    for each in GL/gl.h glm/glm.hpp CLI/CLI.hpp fmt/core.h nlohmann/json.hpp; do
        echo "#include <$each>" | g++ -std=c++20 -fsyntax-only -x c++ - 2>/dev/null ||
            missing+=("the header $each")
    done
    echo '#if !__has_include(<stb_image.h>) && !__has_include(<stb/stb_image.h>)
#error missing
#endif' | g++ -std=c++20 -fsyntax-only -x c++ - 2>/dev/null || missing+=("the header stb_image.h")
    for each in Inter JetBrainsMono; do
        find /usr/share/fonts /usr/local/share/fonts "$HOME/.local/share/fonts" "$HOME/.fonts" \
            -name "$each*.[ot]tf" 2>/dev/null | grep -q . || missing+=("the font $each")
    done
    [ ${#missing[@]} = 0 ] && return
    stop "this system's packages are not known here. To build, these are missing; install them, then start again:
$(printf '    %s\n' "${missing[@]}")"
}

# Sets MISSING and OPTIONAL to the packages to install. Stops if they cannot be installed here.
check_system() {
    MISSING=""
    OPTIONAL=""
    if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
        MISSING=$(missing_packages "${PACKAGES[@]}" | tr '\n' ' ')
        [ -z "$MISSING" ] && return
        if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
            stop "these packages are missing; install them as root, then start again:
    apt install $MISSING"
        fi
        OPTIONAL=$(missing_packages "${OPTIONAL_PACKAGES[@]}" | tr '\n' ' ')
    elif command -v rpm >/dev/null && command -v dnf >/dev/null; then
        name_what_is_missing "rpm -q --whatprovides" "sudo dnf install" "${FEDORA_PACKAGES[@]}"
    elif command -v pacman >/dev/null; then
        name_what_is_missing "pacman -Qq" "sudo pacman -S --needed" "${ARCH_PACKAGES[@]}"
    else
        check_unknown_system
    fi
}

install_missing() {
    [ -z "$MISSING" ] && return
    mkdir -p "$DEPS"
    : >"$LOG"
    # shellcheck disable=SC2086
    step "installing packages: $MISSING$OPTIONAL" install_debian_packages $MISSING
    # shellcheck disable=SC2086
    [ -z "$OPTIONAL" ] || install_optional_packages $OPTIONAL
}

# Creates a virtual environment in .deps/venv with the system's Python: another Python may lack
# venv. Its tools are called as modules: scripts in bin/ contain their path, and fail once moved.
make_venv() {
    "$PYTHON" -m pip --version >/dev/null 2>&1 && return
    rm -rf "$DEPS/venv"
    quietly /usr/bin/python3 -m venv "$DEPS/venv" || quietly python3 -m venv "$DEPS/venv" ||
        stop "cannot make a Python environment: install python3-venv."
}

# python_packages NAME OPTION…: installs what app/packaging/requirements/NAME.txt lists, by hash.
python_packages() {
    local list=$ROOT/app/packaging/requirements/$1.txt
    shift
    make_venv
    quietly "$PYTHON" -m pip install --no-deps --require-hashes -r "$list" "$@"
}

make_glad() {
    python_packages loader ||
        stop "cannot fetch glad2, which makes the OpenGL loader: check the network and pip."
    rm -rf "$DEPS/glad.new"
    quietly "$PYTHON" -m glad --reproducible --quiet --api gl:core=4.5,egl=1.5 \
        --extensions "$GL_EXTENSIONS" --out-path "$DEPS/glad.new" c --loader ||
        stop "glad2 could not generate the OpenGL loader (see above)."
    mv "$DEPS/glad.new" "$DEPS/glad"
}

# Prints this machine's Debian mirrors: the configured ones, and the same without a snapshot's date.
debian_mirrors() {
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep '/debian/' | sort -u
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
        sed -nE 's#(/debian/)[0-9]{8}T[0-9]{6}Z/?$#\1#p' | sort -u
}

# debian_source FOLDER PACKAGES MIRRORS SUITES: downloads the unmodified upstream sources of Debian
# packages from the first mirror and suite that have them all, with lists and cache separate from
# the system's, so that nothing on the machine changes. A snapshot mirror's lists have expired;
# their signatures are still checked.
debian_source() {
    local work=$1 packages=$2 mirror suite
    for mirror in $3; do
        for suite in $4; do
            rm -rf "$work"
            mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
            echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
                "$mirror $suite main" >"$work/sources.list"
            local options=(-q -o Dir::Etc::SourceList="$work/sources.list"
                -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$work/lists"
                -o Dir::Cache="$work/cache" -o APT::Sandbox::User=
                -o Acquire::Check-Valid-Until=false -o Acquire::http::Timeout=20)
            # shellcheck disable=SC2086
            (cd "$work" && timeout "$MAX_S" apt-get "${options[@]}" update &&
                timeout "$MAX_S" apt-get "${options[@]}" source --tar-only $packages) >>"$LOG" 2>&1 && return
        done
    done
    return 1
}

# library_sources FOLDER SUITE PACKAGES…: unpacks the upstream sources of Debian packages into
# FOLDER/PACKAGE, unless all are there.
library_sources() {
    local folder=$1 name
    for name in "${@:3}"; do
        [ -d "$folder/$name" ] && continue
        step "fetching sources of libraries" fetch_library_sources "$@"
        return
    done
}

# Unpacks the libraries of builds for Windows and Arm into .deps/windows/sources.
cross_sources() {
    library_sources "$DEPS/windows/sources" trixie \
        benchmark cli11 fmtlib freetype glfw3 glm googletest libspng libstb md4c muparser nlohmann-json3 zlib
}

fetch_library_sources() {
    local folder=$1 suite=$2 work=$1.apt name
    shift 2
    debian_source "$work" "$*" "$(debian_mirrors)" "$suite" ||
        stop "cannot fetch Debian's sources of $* (details in $LOG)."
    rm -rf "$folder.new"
    for name in "$@"; do
        mkdir -p "$folder.new/$name"
        tar -xf "$(ls "$work/$name"_*.orig.tar.* | grep -v '\.asc$')" --strip-components=1 -C "$folder.new/$name"
    done
    rm -rf "$work" "$folder"
    mv "$folder.new" "$folder"
}

# Fetches Debian's source package of Dear ImGui from a suite that has 1.92.
imgui_from_debian() {
    local work=$DEPS/imgui.apt suite
    command -v apt-get >/dev/null || return
    for suite in forky sid; do
        debian_source "$work" imgui "$(debian_mirrors)" $suite || continue
        ls "$work"/imgui_1.9[2-9]*.orig.tar.* >/dev/null 2>&1 || continue
        rm -rf "$DEPS/imgui.new"
        mkdir -p "$DEPS/imgui.new"
        tar -xf "$work"/imgui_*.orig.tar.* -C "$DEPS/imgui.new" --strip-components=1
        rm -rf "$work"
        return
    done
    return 1
}

fetch_imgui() {
    if ! imgui_from_debian; then
        rm -rf "$DEPS/imgui.new"
        GIT_TERMINAL_PROMPT=0 timeout 120 git -c advice.detachedHead=false clone -q --depth 1 \
            --branch "$IMGUI_TAG" https://github.com/ocornut/imgui.git "$DEPS/imgui.new" \
            >>"$LOG" 2>&1 ||
            stop "cannot fetch Dear ImGui 1.92, neither as Debian's source package from this machine's mirrors nor from its repository."
    fi
    rm -rf "$DEPS/imgui"
    mv "$DEPS/imgui.new" "$DEPS/imgui"
}

# GLFW 3.3 comes in two builds that cannot be installed side by side. The Wayland one is only for
# tests: systems whose GLFW supports both, or without Debian packages, skip it.
fetch_wayland_glfw() {
    pkg-config --max-version=3.3.99 glfw3 && command -v apt-get >/dev/null || return 0
    local work=$DEPS/glfw-wayland.new
    rm -rf "$work"
    mkdir -p "$work"
    if ! (cd "$work" && apt-get -q -o APT::Sandbox::User= download libglfw3-wayland &&
        dpkg-deb -x libglfw3-wayland_*.deb . && mv usr/lib/*/libglfw.so.* . &&
        rm -r usr ./*.deb) >>"$LOG" 2>&1; then
        say "it cannot be fetched: tests of Wayland will be skipped"
        return 0
    fi
    mv "$work" "$DEPS/glfw-wayland"
}

# True if this machine has a usable CUDA toolkit: nvcc 13 with its static runtime.
machine_has_cuda() {
    [ -n "${LANESCOPE_OWN_CUDA:-}" ] && return 1
    local nvcc
    for nvcc in "${CUDA_PATH:-}/bin/nvcc" "$(command -v nvcc)" /usr/local/cuda/bin/nvcc; do
        [ -x "$nvcc" ] && "$nvcc" --version 2>/dev/null | grep -q 'release 1[3-9]' && return
    done
    return 1
}

fetch_cuda() {
    rm -rf "$DEPS/cuda.new"
    python_packages compiler --target "$DEPS/cuda.new" ||
        stop "cannot fetch the CUDA compiler: install CUDA toolkit 13, or check the network and pip."
    mv "$DEPS/cuda.new/nvidia/cu13" "$DEPS/cuda"
    mkdir "$DEPS/cuda/dist-info" # the licences
    mv "$DEPS"/cuda.new/*.dist-info "$DEPS/cuda/dist-info"
    rm -rf "$DEPS/cuda.new"
    # Adds the links that a development package has: lib64, and libNAME.so for every libNAME.so.N.
    ln -s lib "$DEPS/cuda/lib64"
    local library
    for library in "$DEPS"/cuda/lib/*.so.*; do
        ln -sf "$(basename "$library")" "${library%%.so.*}.so"
    done
}

# nvdisasm prints SASS: the machine's, or NVIDIA's wheel. Without it accesses are counted as in the
# PTX, and the program says so.
machine_has_nvdisasm() {
    local nvdisasm
    for nvdisasm in "${CUDA_PATH:-}/bin/nvdisasm" "$(command -v nvdisasm)" \
        /usr/local/cuda/bin/nvdisasm; do
        [ -x "$nvdisasm" ] && return
    done
    return 1
}

fetch_nvdisasm() {
    rm -rf "$DEPS/nvdisasm.new"
    if ! python_packages disassembler --target "$DEPS/nvdisasm.new"; then
        say "  it cannot be fetched: no SASS will be shown, and accesses are counted as the PTX has them"
        return 0
    fi
    rm -rf "$DEPS/nvdisasm"
    mv "$DEPS/nvdisasm.new/nvidia/cu13" "$DEPS/nvdisasm"
    mv "$DEPS"/nvdisasm.new/*.dist-info "$DEPS/nvdisasm/"
    rm -rf "$DEPS/nvdisasm.new"
}

# The formatter and the linter, called inside their packages: scripts in bin/ contain the path of the
# temporary folder.
CLANG_FORMAT=$DEPS/clang/clang_format/data/bin/clang-format
CLANG_TIDY=$DEPS/clang/clang_tidy/data/bin/clang-tidy

has_clang_tools() { [ -x "$CLANG_FORMAT" ] && [ -x "$CLANG_TIDY" ]; }

fetch_clang_tools() {
    rm -rf "$DEPS/clang.new"
    python_packages clang --target "$DEPS/clang.new" ||
        stop "cannot fetch clang-format and clang-tidy: check the network and pip."
    rm -rf "$DEPS/clang"
    mv "$DEPS/clang.new" "$DEPS/clang"
}

# Numba with its CUDA target, in its own environment, for tests of Python programs. The list has
# packages for some versions of Python: with others these tests are skipped.
fetch_numba() {
    rm -rf "$DEPS/numba"
    if ! (quietly /usr/bin/python3 -m venv "$DEPS/numba" &&
        quietly "$DEPS/numba/bin/python3" -m pip install --no-deps --require-hashes \
            -r "$ROOT/app/packaging/requirements/numba.txt"); then
        rm -rf "$DEPS/numba"
        say "  it cannot be fetched: tests of Python programs will be skipped"
    fi
}

# Numba 0.61, whose own CUDA target links with the driver.
fetch_older_numba() {
    rm -rf "$DEPS/numba_older"
    if ! (quietly /usr/bin/python3 -m venv "$DEPS/numba_older" &&
        quietly "$DEPS/numba_older/bin/python3" -m pip install --no-deps --require-hashes \
            -r "$ROOT/app/packaging/requirements/numba_older.txt"); then
        rm -rf "$DEPS/numba_older"
        say "  it cannot be fetched: its tests will be skipped"
    fi
}

# Triton, the imports of numba-cuda's own tests, and PyCUDA, each in its own folder: only tests of
# Python kernels use them, with Numba's environment.
fetch_beside_numba() { # LIST
    rm -rf "$DEPS/$1.new" "${DEPS:?}/$1"
    if quietly "$DEPS/numba/bin/python3" -m pip install --no-deps --require-hashes --target "$DEPS/$1.new" \
        -r "$ROOT/app/packaging/requirements/$1.txt"; then
        mv "$DEPS/$1.new" "$DEPS/$1"
    else
        rm -rf "$DEPS/$1.new"
        say "  it cannot be fetched: its tests will be skipped"
    fi
}
fetch_triton() { fetch_beside_numba triton; }
fetch_numba_suite() { fetch_beside_numba numba_suite; }
fetch_pycuda() { fetch_beside_numba pycuda; }

configure() {
    quietly cmake --preset "$PRESET" -S "$ROOT" -B "$BUILD" || stop "CMake could not configure (see above)."
}

# Prints each line as it comes: a filter that fills its buffer first would hide the progress.
compile() {
    ninja -C "$BUILD" -j "$JOBS" "$@" |
        grep --line-buffered -vE '^ninja: (Entering|no work)|globbed dir|GLOB mismatch' |
        sed -u 's/^/  /'
    [ "${PIPESTATUS[0]}" = 0 ] || stop "the build failed (see above)."
}

build() { # TARGET…
    [ -f "$BUILD/build.ninja" ] || step "configuring" configure
    step "building with $JOBS jobs" compile "$@"
}

# Installs tools for a script that tests the program and is not part of a build.
need() {
    command -v apt-get >/dev/null || stop "this needs Debian or Ubuntu."
    PACKAGES=("$@")
    check_system
    install_missing
    mkdir -p "$DEPS"
    : >"$LOG"
}

# Prints a line for each part missing in .deps/: the function that fetches it, and a description.
missing_parts() {
    [ -f "$DEPS/glad/src/gl.c" ] || echo "make_glad the OpenGL 4.5 loader, made by glad2 (1 MB)"
    [ -f "$DEPS/imgui/imgui.cpp" ] || echo "fetch_imgui Dear ImGui 1.92 (2 MB)"
    [ -x "$DEPS/cuda/bin/nvcc" ] || machine_has_cuda ||
        echo "fetch_cuda NVIDIA's compiler and runtime (200 MB), as there is no CUDA toolkit 13 here"
    [ -x "$DEPS/nvdisasm/bin/nvdisasm" ] || machine_has_nvdisasm ||
        echo "fetch_nvdisasm NVIDIA's disassembler (5 MB)"
    [ "$PRESET" = default ] && return
    [ -f "$DEPS/glfw-wayland/libglfw.so.3" ] ||
        echo "fetch_wayland_glfw GLFW for Wayland, for the tests (0.1 MB)"
    [ -x "$DEPS/numba/bin/python3" ] || echo "fetch_numba Numba, for the tests (130 MB)"
    [ -x "$DEPS/numba_older/bin/python3" ] ||
        echo "fetch_older_numba Numba 0.61, for the tests (60 MB)"
    [ -d "$DEPS/triton" ] || echo "fetch_triton Triton, for the tests (290 MB)"
    has_clang_tools || echo "fetch_clang_tools clang-format and clang-tidy, for the tests (40 MB)"
}

# Announces what will be installed, downloaded and built, and how long it takes. Asks for consent in a
# terminal.
announce() { # PARTS
    local words
    say "the following steps are needed first; nothing else on this machine changes:"
    # shellcheck disable=SC2086
    [ -z "$MISSING" ] ||
        say "  install packages by apt ($(download_size $MISSING $OPTIONAL)): $MISSING$OPTIONAL"
    while read -r _ words; do
        [ -z "$words" ] || say "  fetch into .deps/: $words"
    done <<<"$1"
    [ -z "$BUILD_WORDS" ] || say "  $BUILD_WORDS"
    [ -t 0 ] && [ -t 1 ] || return 0
    local answer
    read -r -p "lanescope: go ahead? [Y/n] " answer || answer=n
    case $answer in
    [nN]*) stop "nothing was changed." ;;
    esac
}

# Fetches the PARTS. Dear ImGui is fetched in parallel with the others, which mostly wait for pip.
fetch_parts() { # PARTS
    local fetch words imgui=""
    while read -r fetch words; do
        [ -n "$fetch" ] || continue
        if [ "$fetch" = fetch_imgui ]; then
            (LOG=$DEPS/imgui.log && fetch_imgui && say "  fetched $words, too") &
            imgui=$!
        else
            step "fetching $words" "$fetch" || return
        fi
    done <<<"$1"
    [ -z "$imgui" ] || wait "$imgui" || exit 1
}

prepare() {
    local parts
    check_system
    parts=$(missing_parts)
    [ ! -f "$BUILD/build.ninja" ] || BUILD_WORDS=""
    [ -z "$MISSING$parts$BUILD_WORDS" ] || announce "$parts"
    install_missing
    mkdir -p "$DEPS"
    : >"$LOG"
    fetch_parts "$parts"
}

# Switches to the preset ci.
for_tests() {
    PRESET=ci
    BUILD=${LANESCOPE_BUILD:-$ROOT/build/ci}
    BUILD_WORDS="build and test: about 45 minutes on two cores, 1.5 GB in $BUILD"
    PACKAGES+=("${TEST_PACKAGES[@]}")
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
    set -u
    [ "${1:-}" != --tests ] || for_tests
    BUILD_WORDS=""
    prepare
    say "everything needed is there. Next: cmake --preset $PRESET && cmake --build --preset $PRESET"
fi
