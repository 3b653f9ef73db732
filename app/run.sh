#!/bin/bash
# Installs missing packages, builds, and starts Lanescope: the window, or the command in ARGS.
# Without a display and without ARGS it makes a picture and a short video instead.
set -u
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

prepare
build lanescope

if [ $# -gt 0 ] || [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    exec "$BUILD/lanescope" "$@"
fi

say "no display here: drawing offscreen"
mkdir -p "$ROOT/out"
"$BUILD/lanescope" shot heat/naive -o "$ROOT/out/first_light.png" || exit
printf '%s\n' "$ROOT/out/first_light.png"
"$BUILD/lanescope" record heat/naive -o "$ROOT/out/first_light.mp4" --seconds 5
case $? in
0) printf '%s\n' "$ROOT/out/first_light.mp4" ;;
3) ;; # no ffmpeg, as the program reported: the video is optional
*) exit 1 ;;
esac
