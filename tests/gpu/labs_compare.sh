#!/bin/bash
# Compares the counts of every variant of every lab at its default size: those of the lockstep
# machine must equal the probes' and, for the assembled code, the hardware's (trace --compare).
#
#   tests/gpu/labs_compare.sh              the program is taken from build/bundle (or $BUNDLE), or is $LANESCOPE
#   JUDGE=FOLDER_OF_AN_EARLIER_RUN tests/gpu/labs_compare.sh         only the table
#
# Runs AT_ONCE (8) variants at a time. Only one process at a time can read hardware counters:
# variants that could not are compared again one by one, none started after LIMIT (150) seconds.
# Counts of assembled code need ptxas and nvdisasm (or LANESCOPE_NVDISASM). Leaves LAB.VARIANT.json
# in $OUT (default out/labs_compare) and table.txt, printed last: a line for each count that
# differs, each variant that does not run on a GPU or faults there, and each variant without
# hardware counts, then three rows of sums.
set +e
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export PROGRAM=${LANESCOPE:-${BUNDLE:-$ROOT/build/bundle}/lanescope}
export OUT=${JUDGE:-${OUT:-$ROOT/out/labs_compare}}
mkdir -p "$OUT"

compare() { # VARIANT
    timeout 60 "$PROGRAM" trace "$1" --compare --json >"$OUT/${1/\//.}.json" 2>"$OUT/${1/\//.}.err"
}
export -f compare

# Prints the table; with --again, only the names of variants without hardware counts.
table() {
    python3 - "$OUT" "$@" <<'TABLE'
import json, sys

out, again = sys.argv[1], sys.argv[2:] == ["--again"]
compared = agree = counted = met = counts = equal = 0
for variant in open(f"{out}/variants.txt").read().split():
    name = f"{out}/{variant.replace('/', '.')}"
    try:
        said = json.load(open(name + ".json"))
    except ValueError:
        said = {"error": open(name + ".err").read().strip() or "nothing was said within its time"}
    if "counts" not in said:
        if not again:
            print(f"{variant} was not compared: {said['error'][:110]}")
        continue
    compared += 1
    read = [one for one in said["counts"] if one["hardware"] is not None]
    if again:
        if said["counts"] and not read:
            print(variant)
        continue
    probes = [(one["count"], one["simt"], one["probes"]) for one in said["counts"] if one["probes"] not in (None, one["simt"])]
    results = [one for one in said["results"] if one["probed_differ"] or one["plain_differ"]]
    agree += not probes and said["sites_equal"] and not results
    met += bool(read) and said["agrees"]
    if probes:
        print(variant, "simt and probes differ:", probes)
    elif not said["sites_equal"]:
        print(variant, "simt and probes differ at individual sites")
    if results:
        print(variant, "results differ:", results)
    if not read:
        print(variant, "has no hardware counts:", "".join(said["notes"][:1]).split("\n")[0])
    counted += bool(read)
    for one in read:
        expected = one["simt"] if one["assembled"] is None else one["assembled"]
        counts += 1
        equal += expected == one["hardware"]
        if expected != one["hardware"]:
            print(f"{variant}: {one['count']}: PTX {one['simt']}, assembled {one['assembled']}, hardware {one['hardware']}: "
                  f"{one['reason'][:70] or 'no known reason'}")
if not again:
    print(f"| variants compared; simt = probes, and results equal | {compared}; {agree} |")
    print(f"| variants with hardware counts; counts equal as assembled | {counted}; {equal} of {counts} |")
    print(f"| variants with hardware counts where all is equal or has a known reason | {met} of {counted} |")
TABLE
}

if [ -z "${JUDGE:-}" ]; then
    "$PROGRAM" list --json | python3 -c 'import json, sys
for lab in json.load(sys.stdin)["labs"]:
    for variant in lab["variants"]:
        print(lab["id"] + "/" + variant["id"])' >"$OUT/variants.txt"
    xargs -P "${AT_ONCE:-8}" -I{} bash -c 'compare {}' <"$OUT/variants.txt"
    for variant in $(table --again); do
        [ $SECONDS -lt "${LIMIT:-150}" ] && compare "$variant"
    done
fi
table | tee "$OUT/table.txt"
