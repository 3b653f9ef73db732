#!/bin/bash
# Whole programs with the real runtime: what they print beside what they print on the lockstep machine, the four tools of
# compute-sanitizer over those with a defect and their mended versions, and what calls return with right and wrong arguments.
#
#   tests/gpu/programs.sh        the program is build/bundle/lanescope (or in $BUNDLE), or build/lanescope
#
# Needs nvcc, g++ and compute-sanitizer. Leaves in $OUT (default out/programs) all outputs, sanitizer.csv and api_returns.diff.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUNDLE=${BUNDLE:-$root/build/bundle}
out=${OUT:-$root/out/programs}
lanescope=$root/build/lanescope
[ -x "$BUNDLE/lanescope" ] && lanescope=$BUNDLE/lanescope
[ -x "$lanescope" ] || lanescope=
programs=$root/tests/programs
mkdir -p "$out"/{bin,gpu,simt,sanitizer}
architecture=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | tee "$out/device.txt"

build() { # source, what it is built for besides text
    local name; name=$(basename "$1" .cu)
    local separate=(); [ "$name" = launches ] && separate=(-rdc=true -lcudadevrt)
    nvcc -std=c++17 -lineinfo -Xcompiler -g1 -cudart shared "${separate[@]}" \
         -gencode=arch=compute_80,code=compute_80 -gencode="arch=compute_$architecture,code=sm_$architecture" \
         -o "$out/bin/$name" "$1" 2>"$out/bin/$name.log" || { cat "$out/bin/$name.log"; return 1; }
}
for source in "$programs"/*.cu; do build "$source" & done
wait

same=0; differing=()
for file in basics memory streams language launches; do
    for name in $("$out/bin/$file" --list); do
        timeout 60 "$out/bin/$file" "$name" >"$out/gpu/$name.txt" 2>&1
        if [ -n "$lanescope" ]; then
            "$lanescope" program "$out/bin/$file" -- "$name" >"$out/simt/$name.txt" 2>"$out/simt/$name.report"
        fi
        if cmp -s "$out/gpu/$name.txt" "$out/simt/$name.txt"; then same=$((same + 1)); else differing+=("$name"); fi
    done
done

sanitize() { # defect, tool, "mended" or ""
    local mended=${3:-} extra=() ended sentence
    local text="$out/sanitizer/$1.$2$mended.txt"
    [ "$2" = memcheck ] && extra=(--leak-check full)
    timeout 30 compute-sanitizer --tool "$2" "${extra[@]}" "$out/bin/defects" "$1" $mended >"$text" 2>&1
    ended=$?
    sentence=$(grep -m1 -E "Invalid|Race|Uninitialized|Barrier|Leaked|Program hit|Divergent|Hazard" "$text" | tr -d '=,' | cut -c1-90)
    [ $ended = 124 ] && sentence="(no end within 30 s)"
    [ -z "$sentence" ] || echo "$1${mended:+ mended},$2,$sentence"
}
echo "defect,tool,what it says" >"$out/sanitizer.csv"
for name in $("$out/bin/defects" --list); do
    for tool in memcheck racecheck initcheck synccheck; do
        for mended in "" mended; do sanitize "$name" $tool $mended >"$out/sanitizer/$name.$tool$mended.row" & done
    done
    wait
    cat "$out/sanitizer/$name".*.row >>"$out/sanitizer.csv"
    if [ -n "$lanescope" ]; then
        "$lanescope" program "$out/bin/defects" --json --time-limit 120 -- "$name" >"$out/sanitizer/$name.json" 2>/dev/null
        kinds=$(grep -oE '"kind": *"[a-z_]+"' "$out/sanitizer/$name.json" | cut -d'"' -f4 | sort -u | tr '\n' ' ')
        echo "$name,lanescope,$kinds" >>"$out/sanitizer.csv"
    fi
done

timeout 120 "$out/bin/api_returns" >"$out/gpu/api_returns.txt" 2>&1
if [ -n "$lanescope" ]; then
    "$lanescope" program "$out/bin/api_returns" >"$out/simt/api_returns.txt" 2>"$out/simt/api_returns.report"
fi
diff "$out/gpu/api_returns.txt" "$out/simt/api_returns.txt" >"$out/api_returns.diff"
calls=$(grep -cE '^ *[0-9]+ cuda|^ *[0-9]+ [a-z_]+<<<' "$out/gpu/api_returns.txt")
wrong=$(grep -cE '^<' "$out/api_returns.diff")

echo
echo "programs with the same output on GPU and lockstep machine: $same; others: ${differing[*]:-none}"
echo "calls compared: $calls; lines that differ: $wrong (api_returns.diff)"
awk -F, '{ printf "%-32s %-10s %s\n", $1, $2, $3 }' "$out/sanitizer.csv"
