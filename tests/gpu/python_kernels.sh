#!/bin/bash
# Python on a GPU: scripts under NVIDIA's driver must print the same as on the lockstep machine
# (python_printed.txt); the counts of ten Numba kernels (python_kernels.py) must be equal on simt,
# with probes and in hardware. Exits with 1 if an output or a count differs without a known reason.
#
#   tests/gpu/python_kernels.sh                  the program is build/bundle/lanescope (or in $BUNDLE), or is $LANESCOPE
#   ENGINE=simt tests/gpu/python_kernels.sh      without a GPU: scripts on simt, a table without probes and hardware
#   RECORD=1 ENGINE=simt tests/gpu/python_kernels.sh                    writes python_printed.txt
#   LABS=FOLDER tests/gpu/python_kernels.sh      counts launches kept earlier, if Numba does not run here
#   WHEELS=FOLDER tests/gpu/python_kernels.sh    installs wheels (into $OUT), if Numba or cuda.core cannot be imported here
#   JUDGE=FOLDER_OF_AN_EARLIER_RUN tests/gpu/python_kernels.sh          only the tables
#
# Needs $PYTHON (python3) with the packages of app/packaging/requirements/numba.txt, Nsight Compute,
# ptxas, and nvdisasm (or LANESCOPE_NVDISASM). Hardware is read twice: with the launch that Lanescope
# kept, through CUPTI, and with the script's own launch, by ncu. Ends after about LIMIT (100) seconds.
# Leaves everything in $OUT (default out/python_kernels), and table.txt, printed last.
set -u
SECONDS=0
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
ENGINE=${ENGINE:-cuda}
LIMIT=${LIMIT:-$([ "$ENGINE" = cuda ] && echo 100 || echo 3600)}
OUT=${JUDGE:-${OUT:-$ROOT/out/python_kernels}}
PYTHON=$(command -v "${PYTHON:-python3}")
PROGRAM=${LANESCOPE:-${BUNDLE:-$ROOT/build/bundle}/lanescope}
PRINTED=$ROOT/tests/gpu/python_printed.txt
SCRIPTS=$ROOT/tests/programs/python
RUNS=("$ROOT/tests/gpu/python_kernels.py" "$SCRIPTS/puzzles.py" "$SCRIPTS/course.py" "$SCRIPTS/homework.py" "$SCRIPTS/core.py"
    "$SCRIPTS/host.py" "$SCRIPTS/kinds.py default" "$SCRIPTS/kinds.py optimised" "$SCRIPTS/kinds.py debug"
    "$SCRIPTS/kinds.py cached" "$SCRIPTS/kinds.py linked" "$SCRIPTS/kinds.py empty_tuples" "$SCRIPTS/kinds.py core"
    "$SCRIPTS/kinds.py compiler_error")
mkdir -p "$OUT" && OUT=$(readlink -f "$OUT")
TOOLKIT=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")")")
[ -d "$TOOLKIT/bin" ] && export CUDA_HOME=${CUDA_HOME:-$TOOLKIT} CUDA_PATH=${CUDA_PATH:-$TOOLKIT}
export PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore
export NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS=0 LANESCOPE_PYTHON=$PYTHON
unset VIRTUAL_ENV

# Runs one of RUNS with $ENGINE; its output is $OUT/INDEX.out.
run_script() { # INDEX
    local words command=("$PYTHON") limit=40
    read -ra words <<<"${RUNS[$1]}"
    [ "$ENGINE" = simt ] && command=("$PROGRAM" program) && limit=600
    [ "$ENGINE" = simt ] && [ ${#words[@]} -gt 1 ] && words=("${words[0]}" -- "${words[@]:1}")
    mkdir -p "$OUT/$1.cache"
    NUMBA_CACHE_DIR=$OUT/$1.cache timeout "$limit" "${command[@]}" "${words[@]}" >"$OUT/$1.out" 2>"$OUT/$1.err"
    echo $? >"$OUT/$1.status"
    rm -rf "$OUT/$1.cache"
}

# Compares the shared wavefronts of each instruction, too; they exclude those that lost arbitration.
METRICS=smsp__inst_executed.sum
for op in ld st; do METRICS+=,l1tex__t_requests_pipe_lsu_mem_global_op_$op.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_$op.sum; done
for op in atom red; do METRICS+=,l1tex__t_requests_pipe_lsu_mem_global_op_$op.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_$op.sum; done
for op in ld st atom; do METRICS+=,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_$op.sum; done
for op in ld st; do METRICS+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_$op.sum; done
METRICS+=,smsp__sass_branch_targets_threads_divergent.sum

if [ -z "${JUDGE:-}" ]; then
    rm -rf "$OUT"/{labs,site,table.txt,ncu.csv,0*.json}
    if ! "$PYTHON" -c 'import numba.cuda; from cuda.core import Device, Program' 2>"$OUT/import.err"; then
        tail -n 1 "$OUT/import.err"
        [ -z "${WHEELS:-}" ] || "$PYTHON" -m pip install -q --no-index --no-deps --no-compile --no-cache-dir --upgrade \
            --target "$OUT/site" "$WHEELS"/*.whl
        export PYTHONPATH=$OUT/site
    fi
    "$PYTHON" - <<'VERSIONS'
import importlib.metadata as packages, platform
for name in "numba", "numba-cuda", "llvmlite", "cuda-bindings", "cuda-core", "numpy":
    try:
        print(name, packages.version(name), end="; ")
    except packages.PackageNotFoundError:
        print(name, "MISSING", end="; ")
print("Python", platform.python_version())
VERSIONS
    [ "$ENGINE" = simt ] || nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
    for i in "${!RUNS[@]}"; do
        run_script "$i" &
        (((i + 1) % ${AT_ONCE:-$(nproc)})) || wait
    done
    wait
    timeout $((LIMIT / 3)) "$PROGRAM" program "${RUNS[0]}" --keep "$OUT/labs" >"$OUT/keep.out" 2>"$OUT/keep.err"
    if [ ! -e "$OUT/labs/009_move/lab.json" ]; then
        tail -n 3 "$OUT/keep.err"
        echo "The script's launches were not kept here${LABS:+; counting those in $LABS}."
        rm -rf "$OUT/labs"
        [ -z "${LABS:-}" ] || cp -r "$LABS" "$OUT/labs"
    fi
    for lab in "$OUT"/labs/0*/; do
        [ $SECONDS -lt $((LIMIT - 25)) ] || break # the rest is for ncu
        timeout 30 "$PROGRAM" trace "$lab" --compare --json >"$OUT/$(basename "$lab").json" 2>"$OUT/$(basename "$lab").err"
    done
    if [ "$ENGINE" = cuda ]; then
        BY_INSTRUCTION=$(ncu --query-metrics 2>/dev/null |
            grep -o '^smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_[a-z]*' | sort -u | sed 's/^/,/; s/$/.sum/' | tr -d '\n')
        timeout 40 ncu --csv --page raw --clock-control none --metrics "$METRICS$BY_INSTRUCTION" \
            "$PYTHON" "${RUNS[0]}" >"$OUT/ncu.csv" 2>"$OUT/ncu.err"
    fi
fi

for i in "${!RUNS[@]}"; do printf '%s\n' "${RUNS[$i]##*/}"; done >"$OUT/runs.txt"
"$PYTHON" - "$OUT" "$PRINTED" "$ENGINE" "${RECORD:-}" <<'TABLE' | tee "$OUT/table.txt"
import csv, glob, io, json, os, re, sys

out, printed, engine, record = sys.argv[1:]
HARDWARE = {
    "global load requests": ["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"],
    "global load sectors": ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
    "global store requests": ["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"],
    "global store sectors": ["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"],
    "global atomic requests": [f"l1tex__t_requests_pipe_lsu_mem_global_op_{op}.sum" for op in ("atom", "red")],
    "global atomic sectors": [f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum" for op in ("atom", "red")],
    "shared load wavefronts": ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"],
    "shared store wavefronts": ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"],
    "shared atomic wavefronts": ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"],
    "divergent branches": ["smsp__sass_branch_targets_threads_divergent.sum"],
}
BY_INSTRUCTION = {f"shared {name} wavefronts": [f"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum"]
                  for name, op in (("load", "ld"), ("store", "st"), ("atomic", "atom"))}


def read(name):
    try:
        with open(f"{out}/{name}", encoding="utf-8", errors="replace") as text:
            return text.read()
    except OSError:
        return ""


def scripts_differ():
    """Number of scripts that print something else, or end otherwise, than recorded."""
    ran = {name: (read(f"{i}.out"), read(f"{i}.status").strip()) for i, name in enumerate(read("runs.txt").splitlines())}
    if record:
        with open(printed, "w", encoding="utf-8") as text:
            text.write("".join(f"== {name}\n{said}" for name, (said, _) in ran.items()))
    with open(printed, encoding="utf-8") as text:
        recorded = dict(section.split("\n", 1) for section in text.read().split("== ")[1:])
    differ = 0
    for i, (name, (said, status)) in enumerate(ran.items()):
        same = said == recorded.get(name) and status == "0"
        differ += not same
        print(f"| {name} | {'prints the same' if same else f'DIFFERS, status {status}'} |")
        if not same:
            lines = [line for line in said.splitlines() if line not in recorded.get(name, "").splitlines()]
            print("   ", "; ".join(lines[:4] or read(f"{i}.err").splitlines()[-3:]))
    return differ


def ncu_rows():
    """Metrics of each launch, in order."""
    lines = [line for line in read("ncu.csv").splitlines() if line.startswith('"')]
    rows = list(csv.reader(io.StringIO("\n".join(lines))))
    start = next((i for i, row in enumerate(rows) if row[:1] == ["ID"]), None)
    if start is None:
        return []
    found = []
    for row in rows[start + 2:]:  # units follow the names
        numbers = ((name, value.replace(",", "")) for name, value in zip(rows[start], row) if name.endswith(".sum"))
        found.append({name: round(float(value)) for name, value in numbers if re.fullmatch(r"[\d.]+", value)})
    return found


def summed(row, names):
    return sum(row.get(name, 0) for name in names) if any(name in row for name in names) else None


def verdict(count, one, ncu, alone):
    """Whether simt equals the probes, and the assembled code's count the hardware's."""
    if one["probes"] not in (None, one["simt"]):
        return "PROBES DIFFER"
    read_there = [value for value in (one["hardware"], ncu) if value is not None]
    if one["probes"] is None or not read_there:
        return "not measured" if engine == "simt" else "NOT MEASURED"
    expected = one["simt"] if one["assembled"] is None else one["assembled"]
    if all(value == expected for value in read_there):
        return "equal"
    if alone == expected and all(value >= expected for value in read_there):
        return "equal without lost arbitration"
    if count == "divergent branches":
        return "differs: the compiler adds and removes branches"
    return f"differs: {one['reason'][:50]}" if one["reason"] and alone is None else "HARDWARE DIFFERS"


differ = scripts_differ()
labs = sorted(os.path.basename(lab.rstrip("/")) for lab in glob.glob(f"{out}/labs/0*/"))
rows = ncu_rows()
if engine == "cuda" and len(rows) != 10:
    print(f"ncu: {len(rows)} launches, not 10: {(read('ncu.csv') + read('ncu.err'))[-300:]!r}")
    rows = []
tally, wrong = {}, 0
print(f"| {'kernel':16} | {'count':24} | {'simt':>8} | {'probes':>8} | {'assembled':>9} | {'hardware':>8} | {'ncu':>8} | |")
for i, lab in enumerate(labs):
    try:
        compared = json.loads(read(f"{lab}.json"))
        counts = compared["counts"]
    except (ValueError, KeyError):
        print(f"| {lab[4:]:16} | NOT COMPARED: {read(f'{lab}.err')[-200:]}")
        wrong += 1
        continue
    hardware = rows[i] if rows else {}
    for one in counts:
        count = one["count"]
        ncu, alone = summed(hardware, HARDWARE[count]), summed(hardware, BY_INSTRUCTION.get(count, []))
        said = verdict(count, one, ncu, alone)
        kind = said.split(":")[0]
        tally[kind] = tally.get(kind, 0) + 1
        wrong += said.isupper()
        cells = [one["simt"], one["probes"], one["assembled"], one["hardware"], ncu]
        cells = ["-" if cell is None else f"{cell:,}" for cell in cells]
        print(f"| {lab[4:]:16} | {count:24} | {cells[0]:>8} | {cells[1]:>8} | {cells[2]:>9} | {cells[3]:>8} | {cells[4]:>8} | {said} |")
    if not compared["sites_equal"]:
        print(f"| {lab[4:]:16} | INDIVIDUAL SITES DIFFER between simt and probes |")
        wrong += 1
    for result in compared["results"]:
        if result["probed_differ"] or result["plain_differ"]:
            print(f"| {lab[4:]:16} | RESULTS DIFFER: {result} |")
            wrong += 1
    if hardware.get("smsp__inst_executed.sum"):
        names = [f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum" for op in ("ld", "st")]
        print(f"| {lab[4:]:16} | executed: {hardware['smsp__inst_executed.sum']:,} warp instructions, "
              f"bank conflicts {summed(hardware, names[:1])} and {summed(hardware, names[1:])} |")
if len(labs) != 10:
    print(f"{len(labs)} kernels were compared, not 10.")
    wrong += 1
print(f"scripts that print the same: {len(read('runs.txt').splitlines()) - differ} of {len(read('runs.txt').splitlines())}")
print("counts:", ", ".join(f"{number} {kind}" for kind, number in tally.items()))
print("AS EXPECTED" if not differ and not wrong else "NOT AS EXPECTED")
sys.exit(bool(differ or wrong))
TABLE
exit "${PIPESTATUS[0]}"
