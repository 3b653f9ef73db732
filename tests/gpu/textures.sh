#!/bin/bash
# Compares the requests and sectors that a GPU counts for textures and surfaces with ours, for the
# rotation lab's variants at several angles. Requests must be equal; the GPU's sectors are the
# target for our model of the arrays' layout. Takes up to two minutes.
#
#   tests/gpu/textures.sh              the program is taken from build/bundle (or $BUNDLE), or is $LANESCOPE
#   ANGLES="30" VARIANTS="texture_point" tests/gpu/textures.sh
#
# Nsight Compute is taken from the toolkits' folders, or from $NCU; counters may need administrator
# rights. Leaves in $OUT (default out/textures) each program's output, and table.txt, which is
# printed last.
set +e
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUNDLE=${BUNDLE:-$ROOT/build/bundle}
OUT=${OUT:-$ROOT/out/textures}
PROGRAM=${LANESCOPE:-$BUNDLE/lanescope}
NCU=${NCU:-$(command -v ncu || ls -1 /usr/local/cuda*/bin/ncu /opt/nvidia/nsight-compute/*/ncu 2>/dev/null | tail -n 1)}
if [ ! -x "$PROGRAM" ]; then
    echo "There is no program $PROGRAM. Build the target bundle, or give its folder as BUNDLE." >&2
    exit 3
fi
if [ -z "$NCU" ]; then
    echo "Nsight Compute is not on this machine: nothing to compare with. NCU=PATH says where it is." >&2
    exit 4
fi
mkdir -p "$OUT"
T=l1tex__t
METRICS=
for pipe in tex_mem_texture tex_mem_surface_op_ld tex_mem_surface_op_st lsu_mem_local_op_ld lsu_mem_local_op_st; do
    METRICS+=${T}_requests_pipe_$pipe.sum,${T}_sectors_pipe_$pipe.sum,
done
for variant in ${VARIANTS:-texture_point texture_linear texture_vector surface_write}; do
    for angle in ${ANGLES:-0 30 45 90}; do
        name=$variant.$angle
        for device in simt cuda; do
            timeout 30 "$PROGRAM" trace rotate/$variant --device $device --set angle=$angle --json \
                >"$OUT/$name.$device.json" 2>"$OUT/$name.$device.err"
        done
        timeout 60 "$NCU" --csv --page raw --print-units base --clock-control none --metrics "${METRICS%,}" \
            "$PROGRAM" run rotate/$variant --device cuda --set angle=$angle --steps 1 \
            >"$OUT/$name.ncu.csv" 2>"$OUT/$name.ncu.err"
    done
done
python3 - "$OUT" <<'TABLE' | tee "$OUT/table.txt"
import csv, glob, json, os, sys
out = sys.argv[1]
kinds = {'texture_load': 'tex_mem_texture', 'surface_load': 'tex_mem_surface_op_ld', 'surface_store': 'tex_mem_surface_op_st',
         'local_load': 'lsu_mem_local_op_ld', 'local_store': 'lsu_mem_local_op_st'}


def totals(case, device):
    try: return json.load(open(f'{out}/{case}.{device}.json'))['totals']
    except (OSError, ValueError, KeyError): return {}


print(f'{"variant, angle":20} {"accesses":14} {"requests: simt":>14} {"probes":>8} {"hardware":>8}   {"sectors: simt":>13} '
      f'{"hardware":>8} {"simt / hardware":>15}')
equal = cases = 0
for path in sorted(glob.glob(out + '/*.ncu.csv')):
    case = os.path.basename(path)[:-len('.ncu.csv')]
    rows = list(csv.reader(line for line in open(path, errors='replace') if line.startswith('"')))
    if len(rows) < 3:
        print(f'{case:20} no counters: {path}')
        continue
    hardware = dict(zip(rows[0], rows[-1]))
    simt, probes = totals(case, 'simt'), totals(case, 'cuda')
    for kind, pipe in kinds.items():
        read = lambda what: hardware.get(f'l1tex__t_{what}_pipe_{pipe}.sum', 'n/a').replace(',', '')
        requests, sectors = read('requests'), read('sectors')
        ours = simt.get(kind, {})
        if requests in ('0', 'n/a') and not ours.get('requests'): continue
        model = ours.get('modelled_sectors', 0)
        ratio = f'{model / float(sectors):.4f}' if sectors not in ('0', 'n/a') else '-'
        cases += 1
        equal += requests == str(ours.get('requests'))
        print(f'{case:20} {kind:14} {ours.get("requests", "-")!s:>14} {probes.get(kind, {}).get("requests", "-")!s:>8} '
              f'{requests:>8}   {model!s:>13} {sectors:>8} {ratio:>15}')
print(f'requests equal in {equal} of {cases}')
TABLE
