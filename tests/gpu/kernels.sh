#!/bin/bash
# All kinds of user kernels (tests/kernels/launches.txt) on three engines: simt, the GPU with
# probes, and the GPU plain. All results are compared byte for byte. Prints a table; exits with 1 if
# a launch fails or results differ.
#
#   tests/gpu/kernels.sh [NAME…]        the program is build/bundle/lanescope (or in $BUNDLE), or build/lanescope
#   ENGINES="simt" tests/gpu/kernels.sh without a GPU: only checks that they run
#
# With nvcc, the kernels are compiled to build/kernels/ first. Without it, the contents of that
# folder are used, since a machine with a GPU needs no toolkit; if a kernel is missing there, the
# program compiles it. Leaves results and output in $OUT (default out/kernels).
set -u
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUNDLE=${BUNDLE:-$ROOT/build/bundle}
OUT=${OUT:-$ROOT/out/kernels}
KERNELS=$ROOT/tests/kernels
PTX=$ROOT/build/kernels
ENGINES=${ENGINES:-simt probed plain}
PROGRAM=$ROOT/build/lanescope
[ -x "$BUNDLE/lanescope" ] && PROGRAM=$BUNDLE/lanescope
PROGRAM=${PROGRAM_UNDER_TEST:-$PROGRAM}
NVCC=$(command -v nvcc || ls -1 /usr/local/cuda/bin/nvcc "$ROOT/.deps/cuda/bin/nvcc" 2>/dev/null | head -n 1)
mkdir -p "$OUT" "$PTX"

# Sets SOURCE, the file to launch, and OPTIONS: for a .ptx file, without the compiler's options.
prepare() {
    local file=$1 arch=$2 name=$3 option compiler=()
    shift 3
    OPTIONS=()
    while [ $# -gt 0 ]; do
        option=${1//KERNELS/$KERNELS}
        case $option in
        -I | --std) compiler+=("$option" "${2//KERNELS/$KERNELS}"); shift ;;
        -D*) compiler+=("$option") ;;
        --flag=*) compiler+=("${option#--flag=}") ;;
        *) OPTIONS+=("$option") ;;
        esac
        shift
    done
    SOURCE=$PTX/$name.ptx
    if [ -n "$NVCC" ] && [ "$KERNELS/$file.cu" -nt "$SOURCE" ]; then
        "$NVCC" -ptx -lineinfo -std=c++20 -arch="compute_$arch" ${compiler[@]+"${compiler[@]}"} -o "$SOURCE" "$KERNELS/$file.cu" >"$OUT/$name.nvcc" 2>&1 ||
            { cat "$OUT/$name.nvcc"; rm -f "$SOURCE"; }
    fi
    [ -f "$SOURCE" ] && return
    SOURCE=$KERNELS/$file.cu
    OPTIONS=("${@//KERNELS/$KERNELS}" "${OPTIONS[@]}" --arch "$arch")
}

# launch ENGINE NAME OUTPUTS: on failure, returns 1 with the reason in FAILED.
launch() {
    local engine=$1 name=$2 outputs=$3 output dumps=()
    for output in ${outputs//,/ }; do
        case $output in
        \$*) dumps+=(--dump-var "${output#$}:$OUT/$name.$engine.${output//[^a-z0-9]/_}") ;;
        *) dumps+=(--dump "$output:$OUT/$name.$engine.$output") ;;
        esac
    done
    rm -f "$OUT/$name.$engine".*
    local how=(--device simt)
    [ "$engine" = probed ] && how=(--device cuda)
    [ "$engine" = plain ] && how=(--plain)
    timeout 60 "$PROGRAM" emulate "$SOURCE" "${OPTIONS[@]}" "${how[@]}" "${dumps[@]}" --json \
        >"$OUT/$name.$engine.json" 2>"$OUT/$name.$engine.err" && return
    local status=$?
    FAILED="status $status: $(head -c 160 "$OUT/$name.$engine.err" | head -n 1)"
    return 1
}

# Succeeds if both engines wrote equal files.
same() {
    local file other
    for file in "$OUT/$1.simt".*; do
        case $file in *.json | *.err) continue ;; esac
        other=$OUT/$1.$2.${file##*.}
        cmp -s "$file" "$other" || { echo "differs"; return 1; }
    done
    echo "equal"
}

printf '%-20s %-8s %-10s %-10s %s\n' kernel simt probed plain remark
while read -r name file arch outputs rest; do
    case $name in "" | \#*) continue ;; esac
    [ $# -gt 0 ] && [[ " $* " != *" $name "* ]] && continue
    read -ra words <<<"$rest"
    prepare "$file" "$arch" "$name" "${words[@]}"
    remark=""
    declare -A verdict=([simt]="-" [probed]="-" [plain]="-")
    for engine in $ENGINES; do
        FAILED=""
        if ! launch "$engine" "$name" "$outputs"; then
            verdict[$engine]=failed
            remark="$remark $engine: $FAILED"
        elif [ "$engine" = simt ]; then
            verdict[simt]=ran
        elif [ "${verdict[simt]}" = ran ]; then
            verdict[$engine]=$(same "$name" "$engine")
        else
            verdict[$engine]=ran
        fi

    done
    printf '%-20s %-8s %-10s %-10s %s\n' "$name" "${verdict[simt]}" "${verdict[probed]}" "${verdict[plain]}" "$remark"
done <"$KERNELS/launches.txt" | tee "$OUT/table.txt"
wrong=$(grep -cE '  *(failed|differs) ' "$OUT/table.txt")
all=$(($(wc -l <"$OUT/table.txt") - 1))
echo "$((all - wrong)) of $all launches run and agree on: $ENGINES"
[ "$wrong" = 0 ]
