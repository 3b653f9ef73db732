#!/bin/bash
# Runs app/run.sh, README's first command, in a bare Debian as root without a display, and checks
# that it exits with status 0 and leaves a picture.
#
#   tests/debian.sh [SUITE]          default bookworm (Debian 12); HEAD of this checkout is cloned into it
#   FFMPEG=1 tests/debian.sh         also allows installing ffmpeg; otherwise the program must work without it
#   LIMIT=3600 tests/debian.sh       seconds (7200); LANESCOPE_JOBS as for app/run.sh
#
# Needs root, debootstrap and the network. The bare root is kept in .deps/roots (or
# $LANESCOPE_ROOTS) for the next run. Leaves run.log and first_light.png in $OUT (default
# out/debian); prints the end of run.log, the time in seconds, the exit status and the new files.
set -u
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
ROOTS=${LANESCOPE_ROOTS:-$ROOT/.deps/roots}
OUT=${OUT:-$ROOT/out/debian}
base=$ROOTS/${1:-bookworm}
[ "$(id -u)" = 0 ] || { echo "This needs root, for chroot."; exit 1; }
mkdir -p "$ROOTS" "$OUT"
rm -f "$OUT/first_light.png"
if [ ! -x "$base/usr/bin/apt-get" ]; then
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep '/debian/$' | head -1)
    debootstrap --variant=minbase "${1:-bookworm}" "$base" "$mirror" >"$OUT/debootstrap.log" 2>&1 ||
        { tail -n 5 "$OUT/debootstrap.log"; exit 1; }
fi
box=$(mktemp -d "$ROOTS/box.XXXX")
trap 'umount "$box/proc" "$box/dev"; rm -rf --one-file-system "$box"' EXIT
cp -a "$base/." "$box"
mount --bind /proc "$box/proc"
mount --bind /dev "$box/dev"
git clone -q "$ROOT" "$box/lanescope" || exit
[ "${FFMPEG:-0}" = 1 ] || printf 'Package: ffmpeg\nPin: release *\nPin-Priority: -1\n' >"$box/etc/apt/preferences.d/no-ffmpeg"

# Copies what this machine needs to reach its mirrors: name resolution, certificates (installing
# ca-certificates adds those of /usr/local), options.
cp /etc/resolv.conf "$box/etc"
cp /etc/apt/apt.conf.d/* "$box/etc/apt/apt.conf.d"
[ -f /etc/pip.conf ] && cp /etc/pip.conf "$box/etc"
mkdir -p "$box/etc/ssl/certs" "$box/usr/local/share/ca-certificates"
cp -L /etc/ssl/certs/ca-certificates.crt "$box/etc/ssl/certs"
cp -L /etc/ssl/certs/ca-certificates.crt "$box/usr/local/share/ca-certificates/machine.crt"
variables=(PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8)
for name in $(compgen -e | grep -E '_(proxy|PROXY)$|^PIP_|^LANESCOPE_JOBS$'); do
    variables+=("$name=${!name}")
done
[ -d "${PIP_FIND_LINKS:-}" ] && mkdir -p "$box$PIP_FIND_LINKS" && cp -rL "$PIP_FIND_LINKS/." "$box$PIP_FIND_LINKS"

begin=$SECONDS
chroot "$box" env -i "${variables[@]}" timeout "${LIMIT:-7200}" /lanescope/app/run.sh >"$OUT/run.log" 2>&1
status=$?
tail -n 12 "$OUT/run.log"
echo "exit status $status after $((SECONDS - begin)) s; ffmpeg: $(chroot "$box" sh -c 'command -v ffmpeg || echo none')"
cp "$box/lanescope/out/first_light.png" "$OUT"
ls -l "$box/lanescope/out"
[ $status = 0 ] && [ -s "$OUT/first_light.png" ]
