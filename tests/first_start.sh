#!/bin/bash
# Runs app/run.sh and app/setup.sh on simulated systems other than Debian: they must name the missing packages
# and the system's install command or, on an unknown system, list what is missing; they must exit with 1 and create
# nothing. A system is simulated by replacing PATH with a folder that contains only a few programs.
#
#   tests/first_start.sh PROGRAM        the built lanescope
set -u
SOURCE=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
failed=0

# start SYSTEM WORD…: checks that app/$SCRIPT prints every word and one list, and leaves no files.
SCRIPT=run.sh
start() {
    local system=$1 status word output
    shift
    rm -rf "$WORK/copy"
    mkdir -p "$WORK/copy/app"
    cp "$SOURCE/app/run.sh" "$SOURCE/app/setup.sh" "$WORK/copy/app"
    output=$(env -i HOME="$WORK" PATH="$WORK/$system" "$BASH" "$WORK/copy/app/$SCRIPT" 2>&1)
    status=$?
    if [ $status != 1 ]; then
        echo "$system: exit status $status instead of 1: $output"
        failed=1
    fi
    for word in "$@"; do
        case "$output" in
        *"$word"*) ;;
        *)
            echo "$system: \"$word\" is missing in: $output"
            failed=1
            ;;
        esac
    done
    if [ "$(grep -c 'start again' <<<"$output")" != 1 ] || grep -q 'not found' <<<"$output"; then
        echo "$system: this is not one clear list: $output"
        failed=1
    fi
    if [ "$(ls -A "$WORK/copy")" != app ]; then
        echo "$system: left behind: $(ls -A "$WORK/copy")"
        failed=1
    fi
}

for system in unknown fedora arch user; do
    mkdir -p "$WORK/$system"
    for tool in dirname nproc grep sed tr find mkdir cat id; do
        ln -s "$(command -v $tool)" "$WORK/$system/$tool"
    done
done
script() { # SYSTEM PROGRAM TEXT
    printf '#!%s\n%s\n' "$BASH" "$3" >"$WORK/$1/$2"
    chmod +x "$WORK/$1/$2"
}
script fedora rpm 'case $* in *cmake) exit 0 ;; esac; exit 1'
script fedora dnf 'exit 1'
script arch pacman 'case $* in *cmake) exit 0 ;; esac; exit 1'
# Simulates Debian for a user without sudo.
script user dpkg-query 'echo cmake install ok installed'
script user apt-get 'exit 1'
rm "$WORK/user/id"
script user id 'echo 1000'

start unknown "the program g++" "the program ninja" "the library glfw3" "the header glm/glm.hpp"
start fedora "sudo dnf install gcc-c++ ninja-build" glfw-devel jetbrains-mono-fonts
start arch "sudo pacman -S --needed gcc ninja" glfw inter-font
start user "apt install g++ ninja-build" libglfw3-dev fonts-inter
SCRIPT=setup.sh
start fedora "sudo dnf install gcc-c++ ninja-build" glfw-devel
start user "apt install g++ ninja-build" libglfw3-dev

# No display and no ffmpeg: a picture and one line about the missing video are a success; any other
# error is not.
mkdir -p "$WORK/bare" "$WORK/copy/app"
for tool in dirname mkdir; do ln -s "$(command -v $tool)" "$WORK/bare/$tool"; done
cp "$SOURCE/app/run.sh" "$WORK/copy/app"
cat >"$WORK/copy/app/setup.sh" <<END
ROOT=$WORK/copy
BUILD=$(dirname "$1")
say() { printf 'lanescope: %s\n' "\$*"; }
prepare() { :; }
build() { :; }
END
draw() { env -i HOME="$WORK" PATH="$WORK/bare" "$BASH" "$WORK/copy/app/run.sh" 2>&1; }
output=$(draw)
status=$?
if [ $status != 0 ] || [ ! -s "$WORK/copy/out/first_light.png" ] ||
    [ "$(grep -c ffmpeg <<<"$output")" != 1 ]; then
    echo "bare: exit status $status instead of 0: $output"
    failed=1
fi
script bare ffmpeg 'echo "this is no ffmpeg" >&2; exit 1'
if output=$(draw); then
    echo "bare: a video that cannot be made is no mistake: $output"
    failed=1
fi
[ $failed = 0 ] && echo "Four systems, each with its list; a picture where there is neither display nor ffmpeg."
exit $failed
