#!/bin/bash
# The program for Windows under Wine, in place of LANESCOPE_PROGRAM: gets this machine's paths as Wine names them, and
# keeps its settings where the test wants them. Tests of pictures remove the display from the environment: Wine needs one.
[ -n "$DISPLAY" ] || export DISPLAY="$LANESCOPE_WINE_DISPLAY"
words=()
for word; do
    case $word in
    /*) word=Z:$word ;;
    --*=/*) word=${word%%=*}=Z:${word#*=} ;;
    esac
    words+=("$word")
done
for name in XDG_STATE_HOME XDG_CONFIG_HOME; do
    [ -z "${!name:-}" ] || export "$name=Z:${!name}"
done
exec wine "$LANESCOPE_EXECUTABLE" "${words[@]}"
