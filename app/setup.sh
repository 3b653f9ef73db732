# Sourced by app/run.sh and tests/run.sh: makes sure that everything needed to build is there, then
# builds. What it fetches or makes stays in .deps/; what is already there is left alone.
#
#   LANESCOPE_OWN_CUDA=1   ignore the machine's CUDA toolkit and use NVIDIA's wheels
#   LANESCOPE_JOBS=N       compile N files at a time (default: one for each core)

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
DEPS=$ROOT/.deps
BUILD=$ROOT/build
LOG=$DEPS/setup.log
JOBS=${LANESCOPE_JOBS:-$(nproc)}
IMGUI_TAG=v1.92.2b
CUDA_WHEELS=(nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt nvidia-cuda-runtime
             nvidia-cuda-cccl nvidia-cuda-nvrtc)
PACKAGES=(
    g++ cmake ninja-build ccache git ca-certificates xz-utils python3-venv
    libglfw3-dev libx11-dev libglm-dev libfreetype-dev libspng-dev libcairo2-dev
    pkg-config zlib1g-dev librsvg2-bin poppler-utils libgl-dev libegl-dev
    libegl1 libgl1 libegl-mesa0 libglx-mesa0 libgl1-mesa-dri xvfb xauth xdotool ffmpeg
    libcli11-dev libfmt-dev nlohmann-json3-dev libstb-dev libmd4c-dev libmuparser-dev
    libgtest-dev libgmock-dev libbenchmark-dev fonts-inter fonts-jetbrains-mono
)
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

# Runs a command whose output matters only if it fails; it is then shown in part.
quietly() {
    "$@" >>"$LOG" 2>&1 && return
    tail -n 15 "$LOG" >&2
    return 1
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

missing_packages() {
    local installed
    installed=$(dpkg-query -W -f '${Package} ${Status}\n' "${PACKAGES[@]}" 2>/dev/null |
        sed -n 's/ install ok installed$//p')
    printf '%s\n' "${PACKAGES[@]}" | grep -vxF "$installed"
}

install_packages() {
    if ! command -v dpkg-query >/dev/null; then
        say "this is not Debian: taking it that the equivalents of these are installed:" \
            "${PACKAGES[*]}"
        return
    fi
    local missing
    missing=$(missing_packages | tr '\n' ' ')
    [ -z "$missing" ] && return
    say "installing Debian packages: $missing"
    if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
        stop "cannot install packages: run this as root, or install sudo, then start again."
    fi
    quietly as_root apt-get -q update ||
        stop "cannot reach the Debian mirror: check /etc/apt/sources.list and the network."
    # shellcheck disable=SC2086
    quietly as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -q install -y --no-install-recommends $missing ||
        stop "cannot install these Debian packages: $missing(details above and in $LOG)."
}

# A Python of our own in .deps/venv, made by the system's Python: another one may lack venv.
make_venv() {
    [ -x "$DEPS/venv/bin/pip" ] && return
    quietly /usr/bin/python3 -m venv "$DEPS/venv" || quietly python3 -m venv "$DEPS/venv" ||
        stop "cannot make a Python environment: install python3-venv."
}

make_glad() {
    [ -f "$DEPS/glad/src/gl.c" ] && return
    say "generating the OpenGL 4.5 loader (glad2)"
    make_venv
    quietly "$DEPS/venv/bin/pip" install glad2==2.0.8 ||
        stop "cannot fetch glad2, which makes the OpenGL loader: check the network and pip."
    rm -rf "$DEPS/glad.new"
    quietly "$DEPS/venv/bin/glad" --reproducible --quiet --api gl:core=4.5,egl=1.5 \
        --extensions "$GL_EXTENSIONS" --out-path "$DEPS/glad.new" c --loader ||
        stop "glad2 could not generate the OpenGL loader (see above)."
    mv "$DEPS/glad.new" "$DEPS/glad"
}

# Where this machine gets Debian from: its configured mirror, the same without a snapshot's date,
# and Debian's own.
debian_mirrors() {
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep '/debian/' | sort -u
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
        sed -nE 's#(/debian/)[0-9]{8}T[0-9]{6}Z/?$#\1#p' | sort -u
    echo http://deb.debian.org/debian/
}

# Debian's source package of Dear ImGui from a suite that has 1.92, with lists and cache apart from
# the system's, so that nothing on the machine changes. A snapshot mirror's lists are out of date by
# their own word; their signatures still count.
imgui_from_debian() {
    local work=$DEPS/imgui.apt mirror suite
    for mirror in $(debian_mirrors); do
        for suite in forky sid; do
            rm -rf "$work"
            mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
            echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
                "$mirror $suite main" >"$work/sources.list"
            local options=(-q -o Dir::Etc::SourceList="$work/sources.list"
                -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$work/lists"
                -o Dir::Cache="$work/cache" -o APT::Sandbox::User=
                -o Acquire::Check-Valid-Until=false -o Acquire::http::Timeout=20)
            if (cd "$work" && apt-get "${options[@]}" update &&
                apt-get "${options[@]}" source --download-only imgui) >>"$LOG" 2>&1 &&
                ls "$work"/imgui_1.9[2-9]*.orig.tar.* >/dev/null 2>&1; then
                mkdir -p "$DEPS/imgui.new"
                tar -xf "$work"/imgui_*.orig.tar.* -C "$DEPS/imgui.new" --strip-components=1
                rm -rf "$work"
                return
            fi
        done
    done
    return 1
}

fetch_imgui() {
    [ -f "$DEPS/imgui/imgui.cpp" ] && return
    say "fetching Dear ImGui $IMGUI_TAG from its repository"
    rm -rf "$DEPS/imgui.new"
    if ! GIT_TERMINAL_PROMPT=0 timeout 120 git -c advice.detachedHead=false clone -q --depth 1 \
        --branch "$IMGUI_TAG" https://github.com/ocornut/imgui.git "$DEPS/imgui.new" \
        >>"$LOG" 2>&1; then
        say "its repository is out of reach: taking Debian's source package"
        rm -rf "$DEPS/imgui.new"
        imgui_from_debian ||
            stop "cannot fetch Dear ImGui 1.92, neither from github.com nor from a Debian mirror."
    fi
    rm -rf "$DEPS/imgui"
    mv "$DEPS/imgui.new" "$DEPS/imgui"
}

# Whether this machine has a CUDA toolkit that serves: nvcc 13 with its static runtime.
machine_has_cuda() {
    [ -n "${LANESCOPE_OWN_CUDA:-}" ] && return 1
    local nvcc
    for nvcc in "${CUDA_PATH:-}/bin/nvcc" "$(command -v nvcc)" /usr/local/cuda/bin/nvcc; do
        [ -x "$nvcc" ] && "$nvcc" --version 2>/dev/null | grep -q 'release 1[3-9]' && return
    done
    return 1
}

fetch_cuda() {
    [ -x "$DEPS/cuda/bin/nvcc" ] && return
    machine_has_cuda && return
    say "no CUDA toolkit 13 here: fetching NVIDIA's compiler and runtime (200 MB)"
    make_venv
    rm -rf "$DEPS/cuda.new"
    quietly "$DEPS/venv/bin/pip" install --no-deps --target "$DEPS/cuda.new" \
        "${CUDA_WHEELS[@]/%/==13.0.*}" ||
        stop "cannot fetch the CUDA compiler: install CUDA toolkit 13, or check the network and pip."
    mv "$DEPS/cuda.new/nvidia/cu13" "$DEPS/cuda"
    rm -rf "$DEPS/cuda.new"
    # The links that a development package has: lib64, and libNAME.so for every libNAME.so.N.
    ln -s lib "$DEPS/cuda/lib64"
    local library
    for library in "$DEPS"/cuda/lib/*.so.*; do
        ln -sf "$(basename "$library")" "${library%%.so.*}.so"
    done
}

build() {
    if [ ! -f "$BUILD/build.ninja" ]; then
        say "configuring"
        quietly cmake --preset default -S "$ROOT" || stop "CMake could not configure (see above)."
    fi
    say "building with $JOBS jobs"
    ninja -C "$BUILD" -j "$JOBS" "$@" | grep -vE '^ninja: (Entering|no work)|globbed dir|GLOB mismatch' |
        sed -u 's/^/  /'
    [ "${PIPESTATUS[0]}" = 0 ] || stop "the build failed (see above)."
}

prepare() {
    mkdir -p "$DEPS"
    : >"$LOG"
    install_packages
    make_glad
    fetch_imgui
    fetch_cuda
}
