#!/bin/bash
# Tests the packages of build/dist in bare Debian systems: tests/packages.sh [SUITE…], as root; by
# default Debian 12 and 13. Installs the wheel as an unprivileged user, the archive in a path with
# spaces, and the Debian package with apt; each draws a picture without a display, a compiler or
# OpenGL, and is removed without leftovers. Needs the network; a root is kept in .deps/roots for the
# next run.
set -u
source "$(dirname "${BASH_SOURCE[0]}")/../app/setup.sh"
DIST=$ROOT/build/dist
ROOTS=${LANESCOPE_ROOTS:-$ROOT/.deps/roots}
failed=0

check() { # TITLE COMMAND…
    local title=$1 begin=$(date +%s.%N)
    shift
    if "$@" >"$ROOTS/log" 2>&1; then
        printf '  ok      %-60s %5.1f s\n' "$title" "$(echo "$(date +%s.%N) - $begin" | bc)"
    else
        printf '  FAILED  %s\n' "$title"
        tail -n 12 "$ROOTS/log" | sed 's/^/          /'
        failed=1
    fi
}

mirror() {
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep '/debian/$' | head -1
}

try() {
    local suite=$1 base=$ROOTS/$1 box
    if [ ! -x "$base/usr/bin/apt-get" ]; then
        echo "making a bare $suite"
        debootstrap --variant=minbase "$suite" "$base" "$(mirror)" >"$ROOTS/log" 2>&1 ||
            { echo "debootstrap failed:"; tail -n 5 "$ROOTS/log"; failed=1; return; }
    fi
    box=$(mktemp -d "$ROOTS/box.XXXX")
    cp -a "$base/." "$box"
    cp /etc/resolv.conf "$box/etc/resolv.conf"
    mount --bind /proc "$box/proc"
    mount --bind /dev "$box/dev"
    mkdir -p "$box/packages"
    cp "$DIST"/* "$box/packages"
    inside() { chroot "$box" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "$@"; }
    user() {
        chroot --userspec=student "$box" env -i PATH=/usr/bin:/bin HOME=/home/student LANG=C.UTF-8 "$@"
    }
    echo "$suite: $(inside sh -c '. /etc/os-release; echo "$PRETTY_NAME"')"
    inside apt-get -q update >/dev/null
    inside apt-get -q install -y --no-install-recommends python3-venv xz-utils >/dev/null 2>&1
    inside useradd -m student
    # Lists the installed files: the same list must remain after a package has been removed.
    files() { (cd "$box" && find usr etc opt -xdev \( -path 'usr/share/mime' -o -name '*.cache' \) -prune -o -print | sort); }

    user python3 -m venv /home/student/v
    check "wheel: install, picture, as a user, at most 60 s" user timeout 60 sh -c '
        cd && v/bin/pip install --no-index /packages/*.whl &&
        v/bin/lanescope shot heat -o x.png && test -s x.png' --
    check "wheel: counts, version, licences" user sh -c '
        cd && v/bin/lanescope trace transpose/tile | grep -q "262,144" && v/bin/lanescope --version &&
        v/bin/lanescope --licenses | grep -q "======== mesa"' --
    check "wheel: a page that runs in a browser" user sh -c '
        cd && v/bin/lanescope page x.png -o page.html --embed | grep -q iframe &&
        test "$(wc -c <page.html)" -gt 1000000 &&
        v/bin/lanescope --licenses | grep -q "======== emscripten"' --
    check "wheel: what makes no compiler says how to get one" user sh -c '
        cd && echo "__global__ void k(int* a) { a[0] = 1; }" >k.cu &&
        v/bin/lanescope emulate k.cu --arg "i32[4]:zero" 2>&1 | grep -q "NVRTC"' --
    check "wheel: removal leaves nothing" user sh -c '
        cd && v/bin/pip uninstall -y lanescope && ! ls -d v/lib/*/site-packages/lanescope* v/bin/lanescope' --

    user sh -c 'cd && mkdir -p "a path/with spaces" && cd "a path/with spaces" && tar -xf /packages/*.tar.xz'
    check "archive: picture in a path with spaces" user sh -c '
        cd && "a path/with spaces"/lanescope-*/bin/lanescope shot transpose/tile -o y.png && test -s y.png' --
    check "archive: the program for a server of files" user sh -c '
        cd && "a path/with spaces"/lanescope-*/bin/lanescope page --site site && test -s site/lanescope.wasm' --
    check "archive: elsewhere, by a link" user sh -c '
        cd && mv "a path" b && ln -s /home/student/b/*/lanescope-*/bin/lanescope l && ./l list | grep -q heat' --

    files >"$ROOTS/before"
    check "package: apt install, nothing recommended" inside sh -c '
        apt-get -q install -y --no-install-recommends /packages/*.deb'
    check "package: picture, as a user" user sh -c 'cd && lanescope shot heat -o z.png && test -s z.png' --
    check "package: desktop file, icon, session type are there" inside sh -c '
        test -f /usr/share/applications/lanescope.desktop &&
        test -f /usr/share/icons/hicolor/scalable/apps/lanescope.svg &&
        test -f /usr/share/mime/packages/lanescope.xml && test -f /usr/share/doc/lanescope/copyright'
    check "package: removal" inside apt-get -q purge -y lanescope
    files >"$ROOTS/after"
    check "package: removal leaves nothing" sh -c "
        diff $ROOTS/before $ROOTS/after | grep -v -E '^[0-9,]+[acd]|/apt/|/dpkg/' | grep lanescope | (! grep .)"
    umount "$box/proc" "$box/dev"
    rm -rf --one-file-system "$box"
}

[ "$(id -u)" = 0 ] || { echo "This needs root, for chroot."; exit 1; }
need debootstrap bc
ls "$DIST"/*.whl >/dev/null || { echo "Make the packages first: cmake --preset release && cmake --build --preset release."; exit 1; }
mkdir -p "$ROOTS"
[ $# -gt 0 ] || set -- bookworm trixie
for suite in "$@"; do try "$suite"; done
exit $failed
