#!/bin/bash
# Makes in .deps/mesa and .deps/release the libraries that packages bundle and that Debian has only
# in builds that are too large or too new for other systems:
#   libOSMesa.so.8   software OpenGL without LLVM (9 MB instead of 130 MB), for machines that
#                    have no OpenGL
#   libexpat.so.1    without a symbol of glibc 2.36
#   libmuparser.so.2 with the C++ library inside
# Built from Debian's sources, of this machine's own release and mirrors; takes about four minutes
# on two idle cores. Existing files are kept.
set -u
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"
mkdir -p "$DEPS/release"
LOG=$DEPS/release.log
: >"$LOG"

# Unpacks the newest source package NAME into FOLDER; apt checks its signature.
source_package() {
    local name=$1 folder=$2 work=$DEPS/$1.apt
    rm -rf "$work" "$folder"
    debian_source "$work" "$name" "$(debian_mirrors)" "$(. /etc/os-release && echo "$VERSION_CODENAME")" ||
        stop "cannot fetch Debian's source of $name (details in $LOG)."
    mkdir -p "$folder"
    tar -xf "$(ls "$work/$name"_*.orig.tar.* | grep -v '\.asc$')" -C "$folder" --strip-components=1
    rm -rf "$work"
}

make_mesa() {
    [ -f "$DEPS/mesa/libOSMesa.so.8" ] && return
    say "building software OpenGL for packages (Mesa)"
    local tools=(bison flex)
    quietly as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -q install -y --no-install-recommends "${tools[@]}" ||
        stop "cannot install ${tools[*]}."
    python_packages mesa ||
        stop "cannot fetch meson and mako, which build Mesa."
    local folder=$DEPS/mesa.source
    [ -f "$folder/build/build.ninja" ] || configure_mesa "$folder"
    quietly ninja -C "$folder/build" -j "$JOBS" src/gallium/targets/osmesa/libOSMesa.so.8.0.0 ||
        stop "Mesa could not be built (details in $LOG)."
    mkdir -p "$DEPS/mesa"
    cp "$folder/VERSION" "$folder/docs/license.rst" "$DEPS/mesa"
    strip -o "$DEPS/mesa/libOSMesa.so.8" "$folder/build/src/gallium/targets/osmesa/libOSMesa.so.8.0.0"
    rm -rf "$folder"
}

configure_mesa() {
    local folder=$1
    source_package mesa "$folder"
    # Allow buffer textures of more than 65,536 elements in softpipe, too.
    sed -i 's/unsigned x:TEX_ADDR_BITS;/unsigned x:32;/' \
        "$folder/src/gallium/drivers/softpipe/sp_tex_tile_cache.h"
    sed -i '/MAX_TEXEL_BUFFER_ELEMENTS/{n;s/65536/134217728/}' \
        "$folder/src/gallium/drivers/softpipe/sp_screen.c"
    local flags="-Os -g0 -ffunction-sections -fdata-sections"
    (
        cd "$folder" || exit 1
        export PATH=$DEPS/venv/bin:$PATH CFLAGS=$flags CXXFLAGS=$flags
        export LDFLAGS="-static-libstdc++ -static-libgcc -Wl,--gc-sections"
        quietly "$PYTHON" -m mesonbuild.mesonmain setup build --buildtype=release -Db_ndebug=true -Dplatforms= -Degl=disabled \
            -Dgbm=disabled -Dglx=disabled -Dgles1=disabled -Dgles2=disabled -Dopengl=true \
            -Dosmesa=true -Dgallium-drivers=swrast -Dvulkan-drivers= -Dllvm=disabled \
            -Dshared-glapi=disabled -Dzstd=disabled -Dshader-cache=disabled \
            -Dgallium-vdpau=disabled -Dgallium-va=disabled -Dgallium-xa=disabled \
            -Dgallium-nine=false -Dglvnd=false -Dvideo-codecs= -Dbuild-tests=false \
            -Dlibunwind=disabled -Dlmsensors=disabled -Dvalgrind=disabled
    ) || stop "Mesa could not be configured (details in $LOG)."
}

make_expat() {
    [ -f "$DEPS/release/libexpat.so.1" ] && return
    say "building expat for packages"
    local folder=$DEPS/expat.source
    source_package expat "$folder"
    local lib=$folder/lib
    [ -d "$lib" ] || lib=$folder/expat/lib
    printf '#define %s\n' HAVE_GETRANDOM "XML_GE 1" XML_NS XML_DTD "XML_CONTEXT_BYTES 1024" \
        "BYTEORDER 1234" HAVE_MEMMOVE XML_DEV_URANDOM >"$lib/expat_config.h"
    quietly gcc -O2 -fPIC -shared -Wl,-soname,libexpat.so.1 -Wl,-s -I "$lib" -include stdint.h -o "$DEPS/release/libexpat.so.1" \
        "$lib"/xmlparse.c "$lib"/xmltok.c "$lib"/xmlrole.c ||
        stop "expat could not be built (details in $LOG)."
    rm -rf "$folder"
}

make_muparser() {
    [ -f "$DEPS/release/libmuparser.so.2" ] && return
    say "building muParser for packages"
    local folder=$DEPS/muparser.source
    source_package muparser "$folder"
    local version
    version=$(objdump -p /usr/lib/*/libmuparser.so.2 | sed -n 's/^ *SONAME *//p')
    quietly g++ -O2 -fPIC -shared -Wl,-soname,"$version" -Wl,-s -static-libstdc++ \
        -DMUPARSER_DLL -DMUPARSERLIB_EXPORTS -I "$folder/include" \
        -o "$DEPS/release/libmuparser.so.2" "$ROOT/app/old_glibc.cpp" "$folder"/src/*.cpp ||
        stop "muParser could not be built (details in $LOG)."
    rm -rf "$folder"
}

make_mesa
make_expat
make_muparser
