#!/bin/sh
# The program for Windows under Wine, in place of LANESCOPE_PROGRAM. Tests of pictures remove the
# display from the environment: Wine needs one.
[ -n "$DISPLAY" ] || export DISPLAY="$LANESCOPE_WINE_DISPLAY"
exec wine "$LANESCOPE_EXECUTABLE" "$@"
