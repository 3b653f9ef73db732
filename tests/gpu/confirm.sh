#!/bin/bash
# Checks whether the assembler causes the unexplained differences of random kernels. ptxas assembles
# each kernel at -O0, -O1 and -O3; each build is launched, and its results are compared with the
# lockstep machine's. If they are equal at -O0 but not at -O3, the assembler is the cause.
#
#   tests/gpu/confirm.sh                  the unexplained ones of differential.sh, in $OUT (default out/differential)
#   tests/gpu/confirm.sh SEED …           these
#   SIZES=usual tests/gpu/confirm.sh      if differential.sh ran with it
#
# Takes conformance_tests from build/bundle (or $BUNDLE), and ptxas from PATH or a toolkit (or
# $PTXAS). Leaves each launch in $OUT/confirm, and table.txt, which is printed last.
set +e
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PROGRAM=${BUNDLE:-$ROOT/build/bundle}/conformance_tests
OUT=${OUT:-$ROOT/out/differential}
PTXAS=${PTXAS:-$(command -v ptxas || ls -1 /usr/local/cuda*/bin/ptxas 2>/dev/null | tail -n 1)}
LAUNCHES=$OUT/confirm
[ "${SIZES:-mixed}" = mixed ] && sizes=--mixed
if [ ! -x "$PROGRAM" ] || [ -z "$PTXAS" ]; then
    echo "This needs conformance_tests (BUNDLE) and ptxas (PTXAS)." >&2
    exit 3
fi
mkdir -p "$LAUNCHES"
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(sed -n '/shrunk/d; s/^seed \([0-9]*\): .*(unexplained.*/\1/p' "$OUT"/kernels_*.txt | sort -u)

# Runs in a separate process, because a failed launch makes the GPU unusable for its process.
launch() { # SEED IMAGE
    timeout 20 python3 - "$LAUNCHES/$1" "$2" <<'LAUNCH' 2>&1 | tail -n 1
import ctypes, glob, sys

name, image = sys.argv[1:]
cuda = ctypes.CDLL("libcuda.so.1")


def call(function, *arguments):
    status = getattr(cuda, function)(*arguments)
    if status:
        text = ctypes.c_char_p()
        cuda.cuGetErrorName(status, ctypes.byref(text))
        sys.exit(f"{function}: {(text.value or b'').decode()}")


*sizes, one, other = map(int, open(name + ".launch").read().split())
device, context, module, kernel = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
call("cuInit", 0)
call("cuDeviceGet", ctypes.byref(device), 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
call("cuCtxSetCurrent", context)
call("cuModuleLoadData", ctypes.byref(module), open(image, "rb").read() + b"\0")
call("cuModuleGetFunction", ctypes.byref(kernel), module, b"drawn")
parameters, after = [], []
for k in range(len(glob.glob(name + ".before*"))):
    before, address = open(f"{name}.before{k}", "rb").read(), ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(len(before)))
    call("cuMemcpyHtoD_v2", address, before, ctypes.c_size_t(len(before)))
    parameters.append(address)
parameters += [ctypes.c_uint32(one), ctypes.c_uint32(other)]
pointers = (ctypes.c_void_p * len(parameters))(*(ctypes.addressof(one) for one in parameters))
call("cuLaunchKernel", kernel, *sizes, None, pointers, None)
call("cuCtxSynchronize")
for k, address in enumerate(parameters[:-2]):
    wanted = open(f"{name}.after{k}", "rb").read()
    found = ctypes.create_string_buffer(len(wanted))
    call("cuMemcpyDtoH_v2", found, address, ctypes.c_size_t(len(wanted)))
    at = [i for i in range(len(wanted)) if found.raw[i] != wanted[i]]
    if at:
        sys.exit(f"buffer {k} differs in {len(at)} bytes from {at[0]} on")
print("equal")
LAUNCH
}

architecture=sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)
for seed in "$@"; do
    # shellcheck disable=SC2086
    "$PROGRAM" ${sizes:-} --out "$LAUNCHES" --launch "$seed" || exit
    row="| $seed |"
    for level in 0 1 3; do
        image=$LAUNCHES/$seed.$level.cubin
        said=$("$PTXAS" -arch="$architecture" -O$level "$LAUNCHES/$seed.ptx" -o "$image" 2>&1) && said=$(launch "$seed" "$image")
        row+=" -O$level: ${said:-nothing within 20 s} |"
    done
    echo "$row"
done | tee "$LAUNCHES/table.txt"
