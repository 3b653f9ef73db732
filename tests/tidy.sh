#!/bin/bash
# Runs clang-tidy on single files, with the checks of .clang-tidy.
#
#   tests/tidy.sh               files changed since the branch left main (or in the last commit), and uncommitted
#                               changes; at most LIMIT (20) files, those with the most changed lines
#   tests/tidy.sh --all         every file: 40 minutes on two idle cores
#   tests/tidy.sh FILE…         these files
#
# Uses the compiler options of the preset dev, which is configured but not built. Runs JOBS files at a time (default:
# one per core). Exits with 1 if there is a finding, with 77 if nothing could be checked.
set -u
source "$(dirname "${BASH_SOURCE[0]}")/../app/setup.sh"
OPTIONS=$ROOT/build/dev

give_up() {
    echo "not checked: $1"
    exit 77
}

# Prints a line "CHANGED-LINES FILE" per file, files with the most changes first.
changed_files() {
    local base
    base=$(git merge-base HEAD origin/main 2>/dev/null || git merge-base HEAD main 2>/dev/null)
    if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
        base=$(git rev-parse --verify -q HEAD~1) || return
    fi
    git diff --numstat --diff-filter=d "$base" -- '*.cpp' |
        while read -r added removed file; do echo "$((added + removed)) $file"; done | sort -rn
}

cd "$ROOT" || exit
[ -x "$CLANG_TIDY" ] || give_up "there is no clang-tidy; app/setup.sh --tests fetches it"
case ${1:-} in
--all) files=$(git ls-files '*.cpp') ;;
"")
    git rev-parse -q --verify HEAD >/dev/null 2>&1 || give_up "this is no Git repository"
    files=$(changed_files | head -n "${LIMIT:-20}" | cut -d ' ' -f 2-)
    ;;
*) files=$(printf '%s\n' "$@") ;;
esac

if [ ! -f "$OPTIONS/compile_commands.json" ]; then
    cmake --preset dev >"$DEPS/tidy.log" 2>&1 || give_up "the preset dev cannot be configured (see $DEPS/tidy.log)"
fi
# Files of the browser build have no compiler options here.
known=$(for file in $files; do grep -qF "/$file\"" "$OPTIONS/compile_commands.json" && echo "$file"; done)
[ -n "$known" ] || give_up "no source file has changed"
# Ignores clang's warnings about GCC options.
printf '%s\n' "$known" | xargs -P "$JOBS" -n 1 "$CLANG_TIDY" -p "$OPTIONS" --quiet \
    --extra-arg=-Wno-unknown-warning-option --warnings-as-errors='*' 2>/dev/null
status=$?
echo "$(wc -l <<<"$known") files checked"
[ $status = 0 ]
