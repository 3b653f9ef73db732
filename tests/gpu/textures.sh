#!/bin/bash
# How many requests and sectors a GPU counts for textures and surfaces, beside ours: the rotation
# lab's variants at several angles. Requests must be equal; sectors are what the model of the arrays'
# layout has to meet.
#
#   OUT=folder tests/gpu/textures.sh BUNDLE
set -u
bundle=${1:?usage: OUT=folder tests/gpu/textures.sh BUNDLE}
out=${OUT:-out}
mkdir -p "$out"
program=$bundle/lanescope
prefix=l1tex__t
metrics=$(printf '%s,' \
    ${prefix}_requests_pipe_tex_mem_texture.sum ${prefix}_sectors_pipe_tex_mem_texture.sum \
    ${prefix}_requests_pipe_tex_mem_surface_op_ld.sum ${prefix}_sectors_pipe_tex_mem_surface_op_ld.sum \
    ${prefix}_requests_pipe_tex_mem_surface_op_st.sum ${prefix}_sectors_pipe_tex_mem_surface_op_st.sum \
    ${prefix}_requests_pipe_lsu_mem_local_op_ld.sum ${prefix}_sectors_pipe_lsu_mem_local_op_ld.sum \
    ${prefix}_requests_pipe_lsu_mem_local_op_st.sum ${prefix}_sectors_pipe_lsu_mem_local_op_st.sum)
ncu --query-metrics 2>/dev/null | grep -E 'l1tex__t_(requests|sectors).*(tex|surface|local)' \
    >"$out/texture_metrics.txt"
for variant in texture_point texture_linear texture_vector surface_write; do
    for angle in 0 30 45 90; do
        name=$variant.$angle
        for device in simt cuda; do
            "$program" trace rotate/$variant --device $device --set angle=$angle --json \
                >"$out/$name.$device.json" 2>"$out/$name.$device.err"
        done
        ncu --csv --page raw --clock-control none --metrics "${metrics%,}" \
            "$program" run rotate/$variant --device cuda --set angle=$angle --steps 1 \
            >"$out/$name.ncu.csv" 2>"$out/$name.ncu.err"
    done
done
python3 - "$out" <<'TABLE'
import csv, glob, io, json, os, sys
out = sys.argv[1]
print(f'{"variant, angle":28} {"count":26} {"simt":>10} {"probes":>10} {"hardware":>10}')
names = {'texture_load': 'tex_mem_texture', 'surface_load': 'tex_mem_surface_op_ld',
         'surface_store': 'tex_mem_surface_op_st', 'local_load': 'lsu_mem_local_op_ld',
         'local_store': 'lsu_mem_local_op_st'}
for path in sorted(glob.glob(out + '/*.ncu.csv')):
    case = os.path.basename(path)[:-len('.ncu.csv')]
    lines = [line for line in open(path, errors='replace') if line.startswith('"')]
    rows = list(csv.reader(io.StringIO(''.join(lines))))
    if len(rows) < 3:
        print(f'{case:28} no counters, see {path}')
        continue
    hardware = dict(zip(rows[0], rows[-1]))
    ours = {}
    for device in ('simt', 'cuda'):
        try: ours[device] = json.load(open(f'{out}/{case}.{device}.json'))['totals']
        except (OSError, ValueError, KeyError): ours[device] = {}
    for total, metric in names.items():
        for count, field in (('requests', 'requests'), ('sectors', 'modelled_sectors')):
            theirs = hardware.get(f'l1tex__t_{count}_pipe_{metric}.sum', '-').replace(',', '')
            simt = ours['simt'].get(total, {}).get(field, '-')
            probes = ours['cuda'].get(total, {}).get(field, '-')
            if theirs in ('-', '0', '0.0', 'n/a') and not simt: continue
            print(f'{case:28} {total + " " + count:26} {simt!s:>10} {probes!s:>10} {theirs:>10}')
TABLE
