#!/bin/bash
# Runs a link command of MinGW's g++ with LLVM's linker: link.sh g++ …. GNU's takes minutes for objects
# with many sections, and this g++ has its path compiled in.
set -eu
line=$("$@" '-###' 2>&1 | grep /collect2 | tail -n 1)
eval "given=($line)"
words=()
skip=0
for word in "${given[@]:1}"; do
    if [ $skip = 1 ]; then
        skip=0
        continue
    fi
    case $word in
    -plugin) skip=1 ;;
    -plugin-opt* | -fuse-ld*) ;;
    *) words+=("$word") ;;
    esac
done
exec ld.lld "${words[@]}"
