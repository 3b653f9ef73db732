#!/bin/bash
# Installs missing packages, builds, and starts Lanescope: the window, or the command in ARGS.
# Without a display and without ARGS it makes a picture and a short video instead.
#
# On the first run, the parts for `lanescope program` are built after the first picture.
set -u
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

prepare
first_time=""
[ $# -gt 0 ] || [ -x "$BUILD/lanescope" ] || first_time=yes
if [ -z "$first_time" ]; then
    build lanescope cuda_runtime
    [ $# = 0 ] && [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || exec "$BUILD/lanescope" "$@"
else
    build lanescope
fi

rest_of_build() {
    [ -z "$first_time" ] || build cuda_runtime
}

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    "$BUILD/lanescope" &
    window=$!
    say "opening the window; whole programs can run once the rest is built"
    renice -n 10 -p $$ >/dev/null 2>&1
    rest_of_build
    say "complete"
    wait $window
    exit
fi

say "no display here: drawing offscreen"
mkdir -p "$ROOT/out"
"$BUILD/lanescope" shot heat/naive -o "$ROOT/out/first_light.png" || exit
printf '%s\n' "$ROOT/out/first_light.png"
rest_of_build
"$BUILD/lanescope" record heat/naive -o "$ROOT/out/first_light.mp4" --seconds 5
case $? in
0) printf '%s\n' "$ROOT/out/first_light.mp4" ;;
3) ;; # no ffmpeg, as the program reported: the video is optional
*) exit 1 ;;
esac
