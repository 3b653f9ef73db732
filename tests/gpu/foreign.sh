#!/bin/bash
# Kernels of public programs, as their authors compiled them: checks that the counts of the lockstep
# machine, with lanes reconverging as in the SASS (emulate --sass), equal those of the probes and
# the hardware, and that buffers have the same contents as after a plain launch.
#
#   tests/gpu/foreign.sh FOLDER            the program is taken from build/bundle (or $BUNDLE), or is $LANESCOPE
#   JUDGE=FOLDER_OF_AN_EARLIER_RUN tests/gpu/foreign.sh FOLDER       only the table
#
# FOLDER contains the kernels, which are third-party and not in this repository: specs.jsonl (one launch per line, with its id), their
# .ptx, and run.py, which launches them and compares. Needs Nsight Compute, whose counters may need administrator rights, ptxas, and
# nvdisasm (or LANESCOPE_NVDISASM). Runs PARTS (16) processes at a time, each for at most LIMIT (150) seconds; 64 kernels take about a
# minute. Leaves each process's output in $OUT (default out/foreign), and table.txt, which is printed last and is the source of "Public
# programs' kernels" in assets/manual/results.md.
set +e
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PROGRAM=$(readlink -f "${LANESCOPE:-${BUNDLE:-$ROOT/build/bundle}/lanescope}")
OUT=${JUDGE:-${OUT:-$ROOT/out/foreign}}
PARTS=${PARTS:-16}
LIMIT=${LIMIT:-150}
if [ ! -f "${1:-}/specs.jsonl" ]; then
    echo "usage: tests/gpu/foreign.sh FOLDER, with specs.jsonl and run.py in it" >&2
    exit 2
fi
FOLDER=$(readlink -f "$1")
mkdir -p "$OUT/json" && OUT=$(readlink -f "$OUT")

# Writes the program that run.py starts: it adds --sass to `emulate` and keeps the trace.
write_program() {
    cat >"$OUT/lanescope" <<PROGRAM
#!/bin/bash
[ "\$1" = emulate ] || exec "$PROGRAM" "\$@"
for word in "\$@"; do
    [ "\${last:-}" = --device ] && device=\$word
    last=\$word
done
trace=$OUT/json/\$(basename "\$2" .ptx).\$device.json
"$PROGRAM" "\$@" --sass >"\$trace"
status=\$?
cat "\$trace"
exit \$status
PROGRAM
    chmod +x "$OUT/lanescope"
}

# Runs every PARTS-th kernel, starting with the I-th. Then repeats those launches to count shared
# wavefronts per instruction, which exclude wavefronts that lost arbitration for the data pipe.
part() { # I
    local ids out=$OUT/o_$1
    ids=$(python3 -c 'import json, sys
ids = [json.loads(line)["id"] for line in open(sys.argv[1])]
print("|".join(f"^{one}$" for one in ids[int(sys.argv[2])::int(sys.argv[3])]))' "$FOLDER/specs.jsonl" "$1" "$PARTS")
    [ -n "$ids" ] || return
    timeout "$LIMIT" python3 "$FOLDER/run.py" "$OUT/lanescope" "$FOLDER/specs.jsonl" --cuda --ncu --only "$ids" --out "$out" \
        --json "$OUT/f_$1.json" >"$OUT/f_$1.txt" 2>&1
    [ -n "$WAVES" ] && [ -f "$out/good.jsonl" ] &&
        timeout "$LIMIT" ncu --csv --page raw --clock-control none --metrics "$WAVES" \
            python3 "$FOLDER/run.py" --plain-all "$out/good.jsonl" "$out/ncu" >"$OUT/w_$1.csv" 2>"$OUT/w_$1.err"
    rm -rf "$out"/*.simt.* "$out"/*.cuda.* "$out"/*.plain.* "$out"/ncu
}

if [ -z "${JUDGE:-}" ]; then
    write_program
    WAVES=$(ncu --query-metrics 2>/dev/null | grep -o '^smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_[a-z]*' |
        sort -u | sed 's/$/.sum/' | paste -sd,)
    for ((i = 0; i < PARTS; i++)); do part "$i" & done
    wait
fi
python3 - "$FOLDER" "$OUT" <<'TABLE' | tee "$OUT/table.txt"
import glob, json, os, re, sys

folder, out = sys.argv[1:]
sys.dont_write_bytecode = True
sys.path.insert(0, folder)
import run

OF_RUN = len(run.METRICS)
BY_INSTRUCTION = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_"


def read_waves():
    """Shared wavefronts by instruction, of each kernel."""
    waves = {}
    for file in glob.glob(f"{out}/w_*.csv"):
        text = open(file).read()
        run.METRICS[OF_RUN:] = sorted(set(re.findall(BY_INSTRUCTION + r"\w+\.sum", text)))
        rows = run.ncu_rows(text) or []
        launched = re.sub(r"w_(\d+)\.csv$", r"o_\1/good.jsonl", file)
        ids = [json.loads(line)["id"] for line in open(launched)]
        if len(rows) == len(ids):
            waves.update(zip(ids, rows))
        else:
            print(f"{file}: {len(rows)} rows for {len(ids)} launches: {text[-200:]!r}")
    return waves


def trace(kernel):
    text = open(f"{out}/json/{kernel}.simt.json").read()
    return json.JSONDecoder().raw_decode(text[text.find("{\n"):])[0]


def share(part, whole):
    return f"{part} of {whole} ({100 * part / max(whole, 1):.1f} %)"


def counters(record, waves, tally):
    """Of each way to count, whether all counters of a kernel that are not zero are the hardware's; None without them."""
    kernel = record["id"]
    whole = trace(kernel)
    made = whole.get("assembled", {})
    if "ncu" not in record or "totals" not in made:
        print(kernel, "no hardware counters" if "ncu" not in record else f"not assembled: {made.get('unavailable')}")
        return None
    equal = {"PTX": True, "assembled": True, "by instruction": True}
    for (group, field), metrics in run.PAIRS:
        theirs = round(sum(record["ncu"].get(metric, 0) for metric in metrics))
        alone = theirs
        if group in ("shared_load", "shared_store") and kernel in waves:
            # Loads of matrix rows have their own counter.
            kinds = ("ld", "ldsm") if group == "shared_load" else ("st",)
            alone = round(sum(waves[kernel].get(f"{BY_INSTRUCTION}{kind}.sum", 0) for kind in kinds))
        ptx, assembled = whole["totals"][group][field], made["totals"][group][field]
        for way, ours, wanted in (("PTX", ptx, theirs), ("assembled", assembled, theirs), ("by instruction", assembled, alone)):
            if not ours and not wanted:
                continue
            equal[way] &= ours == wanted
            for name in (way, f"{group}.{field}") if way == "assembled" else (way,):
                right, all_ = tally.get(name, (0, 0))
                tally[name] = (right + (ours == wanted), all_ + 1)
        if assembled != theirs or assembled != alone:
            print(f"{kernel} {group}.{field}: PTX {ptx}, assembled {assembled}, hardware {theirs}, by instruction {alone}")
    return equal


records, waves, tally = {}, read_waves(), {}
for file in sorted(glob.glob(f"{out}/f_*.json")):
    records.update((record["id"], record) for record in json.load(open(file)))
for kernel in (json.loads(line)["id"] for line in open(f"{folder}/specs.jsonl")):
    if kernel not in records:
        print(kernel, "no result")
clean, sites, totals, plain, probed, kernels = 0, 0, 0, 0, 0, []
for kernel, record in records.items():
    if record["simt"]["status"] != "clean":
        print(f"{kernel}: simt {record['simt']['status']}: {record['simt']['error'][:120]}")
        continue
    clean += 1
    counted = record.get("cuda") or {"sites": ["not counted on the GPU"], "totals": [], "dumps": ["none"]}
    sites += not counted["sites"]
    totals += not counted["sites"] and not counted["totals"]
    probed += not counted["dumps"]
    plain += record.get("plain") == []
    for what, differing in (("sites", counted["sites"]), ("totals", counted["totals"]), ("plain launch", record.get("plain", ["none"]))):
        if differing:
            print(f"{kernel}: {what}: {len(differing)} differ: {differing[0]}")
    kernels.append(counters(record, waves, tally))
kernels = [one for one in kernels if one]
print("| kernels, clean on simt |", share(clean, len(records)), "|")
print("| sites, simt = probes |", share(sites, clean), "|")
print("| sites and totals |", share(totals, clean), "|")
print("| buffers, simt = plain launch |", share(plain, clean), "|")
print("| buffers, simt = probed launch |", share(probed, clean), "|")
for way in ("PTX", "assembled", "by instruction") if waves else ("PTX", "assembled"):
    print(f"| kernels whose hardware counters all equal ours, {way} |", share(sum(one[way] for one in kernels), len(kernels)), "|")
for name, (right, all_) in tally.items():
    if name != "by instruction" or waves:
        print(f"| counters that are not zero, {name} |", share(right, all_), "|")
TABLE
