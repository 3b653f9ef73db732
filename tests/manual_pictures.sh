#!/bin/bash
# Redraws the pictures of README.md and the manual into assets/manual/pictures: the animated window, and four stills. Needs
# the program (build/lanescope, or LANESCOPE=FILE), Xvfb, xdotool, ffmpeg and the font Inter. Takes about a minute. Look at
# every picture before you commit it.
set -eu
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
lanescope=$(realpath "${LANESCOPE:-$root/build/lanescope}")
pictures=$root/assets/manual/pictures
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
cd "$work"
export XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config LC_ALL=C.UTF-8

"$lanescope" shot divergence/data_dependent --device simt --size 800x450 -o "$pictures/map.png"
"$lanescope" shot transpose/tile --device simt --size 800x450 --show request -o "$pictures/request.png"

# window NAME LAB VARIANT COMMANDS: makes the window take a picture of itself once everything is counted.
window() {
    cat >script.json <<SCRIPT
{"lanescope_script": 1, "commands": [{"at": 0.3, "do": ["folder", "."]}, $4
{"at": 8, "do": ["take", 1]}, {"at": 10, "do": ["close"]}]}
SCRIPT
    xvfb-run -a -s "-screen 0 960x540x24" "$lanescope" --lab "$2" --variant "$3" --device simt --size 960x540 \
        --script script.json --trust-script
    mv lanescope-*-window.png "$pictures/$1.png"
}
window code transpose naive '{"at": 0.4, "do": ["show", 0]}, {"at": 0.5, "do": ["map", "sector_excess"]},
{"at": 0.6, "do": ["code", 1, 0.5, "sector_excess"]},'
window fault faults out_of_bounds '{"at": 0.5, "do": ["lecture", true]},'

# The animated window: keys 2, H and 1 in the lab Coalescing, explained by captions below the window.
export DISPLAY=:$((300 + RANDOM % 600))
Xvfb "$DISPLAY" -screen 0 1280x720x24 >/dev/null 2>&1 &
sleep 1
"$lanescope" --lab coalescing --variant row_threads --device simt &
sleep 5
xdotool mousemove 1279 719
ffmpeg -v error -y -f x11grab -framerate 10 -video_size 1280x720 -i "$DISPLAY" -t 13 -c:v libx264 -qp 0 -preset ultrafast \
    window.mkv &
recording=$!
sleep 2.6; xdotool key 2
sleep 4; xdotool key h
sleep 3.4; xdotool key 1
wait $recording

# words FROM TO KEY TEXT: shows a caption below the window from second FROM to second TO, with the
# key that was pressed.
filters="scale=960:540:flags=lanczos,pad=960:588:0:0:0x1c1f26"
bold=$(fc-match -f '%{file}' Inter:bold) plain=$(fc-match -f '%{file}' Inter)
words() {
    local when="enable='between(t,$1,$2)'" left=14 name=words_$1.txt
    printf '%s' "$4" >"$name"
    if [ -n "$3" ]; then
        filters+=",drawbox=x=14:y=549:w=30:h=30:color=0x56b4e9:t=fill:$when"
        filters+=",drawtext=fontfile=$bold:text=$3:x=29-tw/2:y=564-th/2:fontsize=19:fontcolor=0x101114:$when"
        left=58
    fi
    filters+=",drawtext=fontfile=$plain:textfile=$name:x=$left:y=555:fontsize=18:fontcolor=0xe8e8e8:$when"
}
words 0 2.0 "" "32 threads of a kernel, above, read 32 numbers from memory, below."
words 2.1 5.9 2 "Another kernel for the same work: it touches 32 pieces of memory instead of 4."
words 6.0 9.7 H "A map over the result: the GPU moves 8 times the memory that the kernel needs."
words 9.8 99 1 "The first kernel moves exactly what it needs."
ffmpeg -v error -y -i window.mkv -vf "$filters,split[a][b];[a]palettegen=max_colors=160[p];\
[b][p]paletteuse=dither=none:diff_mode=rectangle" "$pictures/lanescope.gif"
ls -l "$pictures"
