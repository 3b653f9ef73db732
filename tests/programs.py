#!/usr/bin/env python3
"""Whole programs on the lockstep machine: correct ones print their output without findings, and those with
one defect have a finding at its line and none without the defect. Output and return values of both APIs with valid and
invalid arguments are compared with tests/programs/expected, recorded on an H100 (tests/gpu/programs.sh), except for
per_thread.cu, graphs.cu and driver_graphs.cu, whose texts follow CUDA's documentation. Each correct runtime program
also runs as on a GPU, through the forwarding library, with the lockstep machine's library in place of NVIDIA's: output,
launches and copies must be the same, and a captured launch must have the same counts. The driver API is not forwarded:
its programs (driver….cu) run there only on a GPU, with --real.

    tests/programs.py [--lanescope build/ci/lanescope] [--quick] [--only NAME] [FILE.cu …]

Each file of tests/programs has several programs, because nvcc takes seconds per file. --quick runs a sample, as
continuous integration does. Needs nvcc."""
import argparse
import filecmp
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, "tests", "programs")
QUICK = ["basics.cu", "defects.cu", "meaning.cu", "api_returns.cu", "driver.cu", "driver_compiled.cu", "graphics.cu"]
ALL = ["basics.cu", "memory.cu", "streams.cu", "language.cu", "launches.cu", "graphs.cu", "peers.cu", "per_thread.cu", "defects.cu",
       "meaning.cu", "api_returns.cu", "driver.cu", "driver_compiled.cu", "driver_defects.cu", "driver_graphs.cu", "driver_returns.cu",
       "graphics.cu", "driver_graphics.cu"]
RETURNS = ["api_returns", "driver_returns"]
# A kept launch has one text, where these kernels also need that of NVIDIA's device library, and no texture with
# levels or a border colour.
NOT_KEPT = ["driver_compiled_objects", "graph_while", "graph_branches", "graph_nested_loops", "driver_mipmaps",
            "mipmapped_array", "texture_border"]
# Before it keeps a launch, a GPU must have ended the work before it, which waits here for the host.
NOT_KEPT_ON_GPU = ["host_opens_gate"]


def find_nvcc():
    for candidate in (os.path.join(ROOT, ".deps/cuda/bin/nvcc"), shutil.which("nvcc"), "/usr/local/cuda/bin/nvcc"):
        if candidate and os.path.exists(candidate):
            return candidate
    sys.exit("There is no nvcc here.")


def build(source, folder, *options):
    program = os.path.join(folder, os.path.basename(source)[:-3])
    nested = os.path.basename(source) in ("launches.cu", "graphs.cu")
    architecture = "compute_80" if nested else "compute_75"
    command = [find_nvcc(), "-std=c++17", "-lineinfo", "-Xcompiler", "-g1", "-cudart", "shared",
               f"-gencode=arch={architecture},code={architecture}", "-o", program, source, *options]
    if nested:
        command.insert(1, "-rdc=true")
    if os.path.basename(source) == "per_thread.cu":
        command.insert(1, "--default-stream=per-thread")
    shares_with_opengl = "graphics" in os.path.basename(program)
    if is_of_driver(program):
        command += libraries_of_driver(shares_with_opengl)
    if shares_with_opengl:
        command += ["-lEGL", "-lGL"]
    subprocess.run(command, check=True)
    return program


def is_of_driver(program):
    return os.path.basename(program).startswith("driver")


def is_stub(library, shares_with_opengl):
    """Whether the library is the driver's stub; some packages' stub lacks what shares memory with OpenGL."""
    if not os.path.exists(library):
        return False
    with open(library, "rb") as binary:
        return not shares_with_opengl or b"cuGraphicsGLRegisterBuffer" in binary.read()


def libraries_of_driver(shares_with_opengl):
    """The toolkit's stub of the driver library, or our library if there is none, and NVRTC."""
    home = os.path.dirname(os.path.dirname(os.path.realpath(find_nvcc())))
    folders = [os.path.join(home, folder) for folder in ("lib64", "lib", "targets/x86_64-linux/lib")]
    options = ["-Xlinker", f"{RUNTIME}/libcudart.so.13", "-Xlinker", f"{RUNTIME}/driver_13/libcuda.so.1"]
    for folder in folders:
        if is_stub(os.path.join(folder, "stubs", "libcuda.so"), shares_with_opengl):
            options = [f"-L{folder}/stubs", "-lcuda"]
    for folder in folders:
        for name in ("libnvrtc.so", "libnvrtc.so.13"):
            if os.path.exists(os.path.join(folder, name)):
                return options + ["-Xlinker", os.path.join(folder, name), "-Xlinker", f"-rpath={folder}"]
    return options + ["-lnvrtc"]


def as_on_gpu(real=None):
    """Environment in which calls are forwarded to that library; default: the lockstep machine's."""
    return {**os.environ, "LANESCOPE_CUDART": real or REAL or os.path.join(RUNTIME, "libcudart.so.13")}


def run(lanescope, program, arguments, device="simt"):
    devices = "2" if os.path.basename(program) == "peers" else "1"
    done = subprocess.run([lanescope, "program", program, "--json", "--time-limit", "120", "--devices", devices,
                           "--device", device, "--", *arguments],
                          capture_output=True, text=True, env=as_on_gpu())
    nothing = {"error": done.stdout + done.stderr, "findings": [], "output": ""}
    try:
        return done.returncode, {**nothing, "error": "", **json.loads(done.stdout)}
    except json.JSONDecodeError:
        return done.returncode, nothing


def names_of(program):
    # Any CUDA runtime will do, because the program makes no CUDA call for --list.
    lines = subprocess.run([program, "--list"], capture_output=True, text=True,
                           env={**os.environ, "LD_LIBRARY_PATH": f"{RUNTIME}:{RUNTIME}/driver_13"}).stdout.split()
    return sorted(lines)


def expected_findings(source):
    """Line and kind of the finding per program."""
    wanted = {}
    with open(source, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            found = re.search(r"// (\w+): (\w+)$", line.rstrip())
            if found:
                wanted[found[1]] = (number, found[2])
    return wanted


def expected_output(name):
    try:
        with open(os.path.join(FOLDER, "expected", name + ".txt"), encoding="utf-8") as text:
            return text.read()
    except FileNotFoundError:
        return None


def differing_calls(lanescope, program, device, counts):
    """Lines of return values that differ from the GPU's."""
    name = os.path.basename(program)
    given = run(lanescope, program, [], device)[1]["output"].splitlines()
    wanted = expected_output(name).splitlines()
    if device == "simt":
        counts["calls"] += sum(" -> " in line for line in wanted)
    differing = [f"{name} on {device}: {ours!r}, on a GPU {theirs!r}" for ours, theirs in zip(given, wanted) if ours != theirs]
    if len(given) != len(wanted):
        differing.append(f"{name} on {device}: {len(given)} lines of {len(wanted)}")
    return differing


ONE_FILE = r"""
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void add(int* values, int n) { if (threadIdx.x <= n) values[threadIdx.x] += 1; }
int main(int argc, char** argv)
{
    int* values;
    cudaMalloc(&values, 32 * sizeof(int));
    cudaMemset(values, 0, 32 * sizeof(int));
    add<<<1, 64>>>(values, argc > 1 ? atoi(argv[1]) : 31);
    int last = 0;
    cudaMemcpy(&last, values + 31, sizeof last, cudaMemcpyDeviceToHost);
    cudaFree(values);
    std::printf("last %d\n", last);
    return 3;
}
"""


def problems_of_one_file(lanescope, folder):
    """Builds and runs a file with one command: arguments, output and status are the program's; a fault gives 5."""
    source = os.path.join(folder, "one_file.cu")
    with open(source, "w", encoding="utf-8") as text:
        text.write(ONE_FILE)
    problems = []

    def check(arguments, status, output, report, real=None):
        done = subprocess.run([lanescope, "program", source, *arguments], capture_output=True, text=True,
                              env=as_on_gpu(real))
        right = done.returncode == status and output in done.stdout and report in done.stderr
        if not right or "predicted" in done.stderr: # times are predicted with --time alone
            problems.append(f"lanescope program {arguments}: {done.returncode} {done.stdout!r} {done.stderr!r}")

    check(["--", "31"], 3, "last 1", "1 launch, 0 faults")
    check(["--", "40"], 5, "last 0", f"{source}:5: fault: out_of_bounds")
    check(["--suppress", "out_of_bounds:add", "--", "40"], 3, "last 0", "0 faults, 0 warnings, 1 suppressed")
    check(["--device", "cuda", "--", "31"], 3, "last 1", "1 launch, 0 faults, 0 warnings")
    check(["--device", "cuda", "--", "31"], 3, "last 1", "Nothing was counted or checked")
    check(["--device", "cuda", "--", "40"], 5, "last 0", "cudaErrorIllegalAddress")
    check(["--device", "cuda"], 4, "", "There is no file /nowhere.so", "/nowhere.so")
    check(["--device", "cuda"], 4, "", "cannot be opened", source)
    return problems


OPENGL = r"""
#include <cstdio>
#include <EGL/egl.h>
#include <GL/gl.h>
__global__ void one(int* value) { *value = 1; }
int main()
{
    int* value;
    cudaMalloc(&value, sizeof *value);
    one<<<1, 1>>>(value);
    cudaFree(value);
    std::printf("%d %d\n", eglGetCurrentContext() == EGL_NO_CONTEXT, glGetError == nullptr);
}
"""


def problems_of_opengl(lanescope, folder):
    """A source that includes OpenGL's headers is linked with its libraries, and no time is predicted unasked."""
    source = os.path.join(folder, "opengl.cu")
    with open(source, "w", encoding="utf-8") as text:
        text.write(OPENGL)
    done = subprocess.run([lanescope, "program", source], capture_output=True, text=True)
    right = done.returncode == 0 and "1 0" in done.stdout and "predicted" not in done.stderr
    return [] if right else [f"{source}: {done.returncode} {done.stdout!r} {done.stderr!r}"]


def run_drawing(lanescope, program, *arguments):
    """Runs a program that opens a window on a display of its own, and reads its report."""
    done = subprocess.run(["xvfb-run", "-a", "-s", "-screen 0 800x600x24", lanescope, "program", *program, "--json",
                           "--time-limit", "240", "--", *arguments],
                          capture_output=True, text=True, env={**os.environ, "LIBGL_ALWAYS_SOFTWARE": "1"})
    nothing = {"findings": [], "launches": []}
    try:
        return done.returncode, {**nothing, **json.loads(done.stdout)}
    except json.JSONDecodeError:
        return done.returncode, {**nothing, "error": done.stdout + done.stderr}


def pixels(picture):
    """Width, height and the pixels of a PPM file, as triples of bytes."""
    with open(picture, "rb") as file:
        kind, size, most, data = file.read().split(b"\n", 3)
    width, height = map(int, size.split())
    if (kind, most, len(data)) != (b"P6", b"255", 3 * width * height):
        raise ValueError(f"{picture}: {kind} {size} {most}, {len(data)} bytes")
    return width, height, [data[i:i + 3] for i in range(0, len(data), 3)]


def problems_of_picture(picture):
    """The mesh of Waves covers the middle of the picture, with bright crests and dark troughs."""
    width, height, all_pixels = pixels(picture)
    background = all_pixels[0]
    mesh = [one for one in all_pixels if one != background]
    crests = sum(red > 150 and green > 150 for red, green, _ in mesh)
    troughs = sum(red < 60 and blue > 60 for red, _, blue in mesh)
    middle = all_pixels[height // 2 * width + width // 2]
    right = (0.2 < len(mesh) / len(all_pixels) < 0.9 and crests > 5000 and troughs > 100 and middle != background)
    return [] if right else [f"{picture}: {len(mesh)} of {len(all_pixels)} pixels show the mesh, {crests} are on crests, "
                             f"{troughs} in troughs"]


def problems_of_saved(lanescope, folder, quick):
    """The saved host program of a lab builds, runs without a GPU, draws, and has no findings; a mistake in it is found."""
    place = os.path.join(folder, "saved_waves")
    saved = subprocess.run([lanescope, "new-lab", "--program", "waves", place], capture_output=True, text=True)
    if saved.returncode != 0:
        return [f"waves is not saved: {saved.stderr}"]
    problems = []
    source = os.path.join(place, "program.cu")
    with open(source, encoding="utf-8") as text:
        program = text.read()
    with open(os.path.join(ROOT, "compute", "labs", "waves", "lesson.md"), encoding="utf-8") as text:
        for line in text:
            if line.startswith("    ") and line.strip() not in program:
                problems.append(f"waves: its lesson shows {line.strip()!r}, which its program lacks")

    def drawn(what, frames, *arguments):
        picture = os.path.join(folder, f"waves_{frames}.ppm")
        status, report = run_drawing(lanescope, arguments, str(frames), picture)
        if status != 0 or report["findings"] or sum(one["kernel"] == "waves_one_store" for one in report["launches"]) != frames:
            return [f"{what}: status {status}, {report['findings']}, {len(report['launches'])} launches "
                    f"{report.get('error', '')}"]
        return problems_of_picture(picture)

    problems += drawn("waves, its source", 2, source)
    one_line = next(line.split() for line in saved.stdout.splitlines() if line.startswith("  nvcc "))
    subprocess.run([find_nvcc(), *one_line[1:]], check=True)
    problems += drawn("waves, built in one line", 9, os.path.join(place, "program"))
    if not problems and pixels(os.path.join(folder, "waves_2.ppm")) == pixels(os.path.join(folder, "waves_9.ppm")):
        problems.append("waves: the ninth frame is the second")
    if not quick:
        for step in (["-S", place, "-B", os.path.join(place, "build"), f"-DCMAKE_CUDA_COMPILER={find_nvcc()}"],
                     ["--build", os.path.join(place, "build")]):
            subprocess.run(["cmake", *step], check=True, stdout=subprocess.DEVNULL)
        problems += drawn("waves, built by CMake", 3, os.path.join(place, "build", "waves"))

    unmap = "        CHECK(cudaGraphicsUnmapResources(1, &resource));\n"
    launch = "        waves_one_store<<<"
    draw = "        glDrawElements("
    after = "        glfwSwapBuffers("
    if any(program.count(one) != 1 for one in (unmap, launch, draw, after)):
        return problems + ["waves: its calls have changed, and so must this test"]
    looked_up = '        reinterpret_cast<decltype(&glDrawElements)>(glfwGetProcAddress("glDrawElements"))('
    without = program.replace(unmap, "")
    for kind, text in {"unmapped_resource": without.replace(launch, unmap + launch),
                       "mapped_resource": without.replace(draw, looked_up).replace(after, unmap + after)}.items():
        mistaken = os.path.join(place, kind + ".cu")
        with open(mistaken, "w", encoding="utf-8") as file:
            file.write(text)
        status, report = run_drawing(lanescope, [mistaken], "1")
        if {one["kind"] for one in report["findings"]} != {kind}:
            problems.append(f"waves with a mistake, {kind}: status {status}, {report['findings']} "
                            f"{report.get('error', '')}")
    return problems


SOURCES = {
    "unawaited": (r"""
#include <cuda_pipeline.h>
__global__ void reverse(const float* in, float* out)
{
    __shared__ alignas(16) float tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
    __pipeline_wait_prior(0);
}
int main()
{
    float* values;
    cudaMalloc(&values, 128 * sizeof(float));
    cudaMemset(values, 0, 128 * sizeof(float));
    reverse<<<1, 64>>>(values, values + 64);
    cudaDeviceSynchronize();
    return cudaFree(values);
}
""",),
    "two_files": (r"""
#include <cstdio>
extern __device__ float square(float x);
extern __device__ int calls;
__device__ int made = 25;
static __device__ int own() { return 100; }
__global__ void kernel(float* out) { atomicAdd(&calls, 1); out[threadIdx.x] = square(threadIdx.x) + own(); }
int count();
int main()
{
    float *out, host[32];
    cudaMalloc(&out, sizeof host);
    kernel<<<1, 32>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(out);
    std::printf("%g %d\n", host[5], count());
}
""", r"""
__device__ int calls = 1;
extern __device__ int made;
static __device__ int own() { return 200; }
__device__ float square(float x) { return x * x + made + own(); }
int count()
{
    int host = 0;
    cudaMemcpyFromSymbol(&host, calls, sizeof host);
    return host;
}
"""),
    "older": (r"""
#include <cstdio>
__global__ void fill(int* x) { x[threadIdx.x] = threadIdx.x; }
int main()
{
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    if (!properties.deviceOverlap || properties.clockRate <= 0) return 1;
    int* x;
    cudaMallocManaged(&x, 32 * sizeof(int));
    cudaMemAdvise(x, 32 * sizeof(int), cudaMemAdviseSetPreferredLocation, 0);
    cudaMemPrefetchAsync(x, 32 * sizeof(int), 0);
    fill<<<1, 32>>>(x);
    cudaMemPrefetchAsync(x, 32 * sizeof(int), cudaCpuDeviceId);
    cudaThreadSynchronize();
    std::printf("%d\n", x[6]);
    cudaFree(x);
    cudaThreadExit();
}
""",),
    "refused": (r"""
__global__ void over_gpus(unsigned* out)
{
    unsigned sum;
    asm volatile("multimem.ld_reduce.weak.global.add.u32 %0, [%1];" : "=r"(sum) : "l"(out));
    out[0] = sum;
}
int main()
{
    unsigned* out;
    cudaMallocManaged(&out, 32);
    over_gpus<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
""",),
    "clusters": (r"""
#include <cooperative_groups.h>
#include <cstdio>
__device__ void sum_of_cluster(int* out)
{
    __shared__ int mine;
    const auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0) mine = blockIdx.x + 1;
    cluster.sync();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank) sum += *cluster.map_shared_rank(&mine, rank);
        out[blockIdx.x] = sum;
    }
    cluster.sync();
}
__global__ void __cluster_dims__(2, 1, 1) pairs(int* out) { sum_of_cluster(out); }
__global__ void any_size(int* out) { sum_of_cluster(out); }
int main()
{
    cudaDeviceProp device;
    cudaGetDeviceProperties(&device, 0);
    int* out;
    cudaMallocManaged(&out, 32);
    pairs<<<8, 32>>>(out);
    cudaDeviceSynchronize();
    std::printf("%d: %d %d %d %d\n", device.clusterLaunch, out[0], out[2], out[4], out[6]);
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {4, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = 8;
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = 1;
    int clusters = 0, size = 0;
    cudaOccupancyMaxActiveClusters(&clusters, any_size, &config);
    cudaOccupancyMaxPotentialClusterSize(&size, any_size, &config);
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, pairs);
    cudaLaunchKernelEx(&config, any_size, out);
    cudaDeviceSynchronize();
    std::printf("%d %d, %d %d, width %d\n", out[0], out[7], clusters > 0, size, attributes.requiredClusterWidth);
    cudaFree(out);
}
""",),
    "wrong_clusters": (r"""
__global__ void __cluster_dims__(2, 1, 1) pairs() {}
__global__ void any_size() {}
int main()
{
    pairs<<<5, 32>>>();
    if (cudaGetLastError() != cudaErrorInvalidClusterSize) return 1;
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {16, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = 16;
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = 1;
    if (cudaLaunchKernelEx(&config, any_size) != cudaErrorInvalidClusterSize) return 2;
    cudaGetLastError();
    cudaFuncSetAttribute(any_size, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    return cudaLaunchKernelEx(&config, any_size) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess ? 3 : 0;
}
""",),
    "targets": (r"""
#include <cstdio>
__global__ void kernel() {}
int main()
{
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, kernel);
    std::printf("ptx %d\n", attributes.ptxVersion);
}
""",),
    "many_blocks": (r"""
#include <cstdio>
#include <cstdlib>
__global__ void fill(int* out, int wrong)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    if (blockIdx.x != wrong) __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x / 2];
}
__global__ void add(const int* in, int* sum)
{
    atomicAdd(sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
}
int main(int count, char** words)
{
    int *values, *sum, total;
    cudaMalloc(&values, 400 * 64 * sizeof(int));
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(sum, 0, sizeof(int));
    fill<<<400, 64>>>(values, count > 1 ? std::atoi(words[1]) : -1);
    add<<<100, 256>>>(values, sum);
    cudaMemcpy(&total, sum, sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("sum %d\n", total);
    cudaFree(values);
    cudaFree(sum);
}
""",),
    "endless_graph": (r"""
__global__ void again(cudaGraphConditionalHandle handle, int more) { cudaGraphSetConditional(handle, more); }
int main(int count, char**)
{
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandle handle;
    cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault);
    cudaGraphNodeParams loop = {cudaGraphNodeTypeConditional};
    loop.conditional.handle = handle;
    loop.conditional.type = cudaGraphCondTypeWhile;
    loop.conditional.size = 1;
    cudaGraphNode_t node;
    cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &loop);
    int more = count == 1;
    void* arguments[] = {&handle, &more};
    cudaGraphNodeParams kernel = {cudaGraphNodeTypeKernel};
    kernel.kernel.func = reinterpret_cast<void*>(again);
    kernel.kernel.gridDim = kernel.kernel.blockDim = dim3(1);
    kernel.kernel.kernelParams = arguments;
    cudaGraphAddNode(&node, loop.conditional.phGraph_out[0], nullptr, nullptr, 0, &kernel);
    cudaGraphExec_t executable;
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, nullptr);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    return status != cudaSuccess;
}
""",),
    # One thread of a warp group releases a stage after its own wait for the products that read it.
    "stage": (r"""
#include <cstdio>
#include <cstdint>
#include <cuda_bf16.h>
__device__ uint32_t sa(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ void init(uint64_t* b, int n) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(sa(b)), "r"(n) : "memory"); }
__device__ void arrive(uint64_t* b) { asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(sa(b)) : "memory"); }
__device__ void expect(uint64_t* b, int n) { asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared.b64 t, [%0], %1; }" ::"r"(sa(b)), "r"(n) : "memory"); }
__device__ void wait(uint64_t* b, int parity)
{
    asm volatile("{\n.reg .pred p;\nL:\nmbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@p bra D;\nbra L;\nD:\n}" ::"r"(sa(b)), "r"(parity) : "memory");
}
__device__ uint64_t descriptor(const void* tile) // no swizzle
{
    return uint64_t(sa(tile) >> 4 & 0x3fff) | uint64_t(128 >> 4) << 16 | uint64_t(256 >> 4) << 32;
}
__global__ void staged(const __nv_bfloat16* in, float* out, int rounds)
{
    __shared__ alignas(128) __nv_bfloat16 a[64 * 16], b[8 * 16];
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) { init(&full, 1); init(&empty, 1); asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
    __syncthreads();
    if (threadIdx.x >= 128) {
        if (threadIdx.x == 128)
            for (int i = 0; i < rounds; ++i) {
                if (i > 0) wait(&empty, (i - 1) & 1);
                expect(&full, 2048 + 256);
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(sa(a)), "l"(in + i * 1152), "r"(2048), "r"(sa(&full)) : "memory");
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(sa(b)), "l"(in + i * 1152 + 1024), "r"(256), "r"(sa(&full)) : "memory");
            }
    } else {
        float d[4] = {};
        for (int i = 0; i < rounds; ++i) {
            wait(&full, i & 1);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            asm volatile("{.reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0;}"
                         : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(descriptor(a)), "l"(descriptor(b)));
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#ifndef WITHOUT_WAIT
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
            if (threadIdx.x == 0) arrive(&empty);
        }
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
    }
}
int main()
{
    const int rounds = 5, n = 1152 * rounds;
    __nv_bfloat16 *in, host[n];
    float *out, results[128];
    for (int i = 0; i < n; ++i) host[i] = float(i / 1152 + 1);
    cudaMalloc(&in, sizeof host); cudaMalloc(&out, 512);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    staged<<<1, 160>>>(in, out, rounds);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaMemcpy(results, out, 512, cudaMemcpyDeviceToHost);
    printf("%g %g\n", results[0], results[127]);
    cudaFree(in); cudaFree(out);
}
""",),
    # The second kernel may start before the first has ended. EARLY: it reads before it waits; NEVER: it does not wait.
    "dependent": (r"""
#include <cstdio>
__global__ void first(float* values, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaTriggerProgrammaticLaunchCompletion();
    if (i < n) values[i] = 2.0f * i;
}
__global__ void second(const float* values, const float* weights, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float weight = i < n ? weights[i] : 0;
#ifdef EARLY
    const float value = i < n ? values[i] : 0;
    cudaGridDependencySynchronize();
#else
#ifndef NEVER
    cudaGridDependencySynchronize();
#endif
    const float value = i < n ? values[i] : 0;
#endif
    if (i < n) out[i] = value * weight;
}
int main()
{
    int n = 1000;
    float *values, *weights, *out, last = 0;
    cudaMalloc(&values, n * sizeof(float));
    cudaMalloc(&weights, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemset(weights, 0, n * sizeof(float));
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = 4;
    config.blockDim = 256;
    config.attrs = &attribute;
    config.numAttrs = 1;
    for (int step = 0; step < 2; ++step) {
        first<<<4, 256>>>(values, n);
        cudaLaunchKernelEx(&config, second, (const float*)values, (const float*)weights, out, n);
    }
    cudaMemcpy(&last, out + n - 1, sizeof last, cudaMemcpyDeviceToHost);
    std::printf("%g\n", last);
    cudaFree(values);
    cudaFree(weights);
    cudaFree(out);
}
""",),
    "shares": (r"""
int main()
{
    int* values;
    cudaMalloc(&values, 128);
    cudaIpcMemHandle_t handle;
    const cudaError_t status = cudaIpcGetMemHandle(&handle, values);
    cudaGetLastError();
    cudaFree(values);
    return status != cudaErrorNotSupported;
}
""",),
    "slow": (r"""
__global__ void count(unsigned* out)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < 4000000000u; ++i) sum = sum * 1664525u + (i ^ sum);
    out[blockIdx.x] = sum;
}
int main()
{
    unsigned* out;
    cudaMalloc(&out, 400);
    count<<<100, 32>>>(out);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaFree(out);
    return status != cudaSuccess;
}
""",),
}


def problems_of_sources(lanescope, folder):
    """Sources that one command builds and runs: several files, an older CUDA, refused and slow kernels, targets."""
    problems = []
    files = {}
    for name, texts in SOURCES.items():
        files[name] = [os.path.join(folder, f"{name}_{number}.cu") for number in range(len(texts))]
        for file, text in zip(files[name], texts):
            with open(file, "w", encoding="utf-8") as out:
                out.write(text)

    def check(name, arguments, status, output, report):
        done = subprocess.run([lanescope, "program", *files[name], *arguments], capture_output=True, text=True)
        if done.returncode != status or output not in done.stdout or report not in done.stderr + done.stdout:
            problems.append(f"lanescope program {name} {arguments}: {done.returncode} {done.stdout!r} {done.stderr!r}")

    check("two_files", [], 0, "350 33", "1 launch, 0 faults, 0 warnings")
    check("older", [], 0, "6\n", "CUDA 13 removed cudaThreadSynchronize")
    check("refused", ["--arch", "sm_90"], 7, "", "memory of several GPUs (multimem) is not supported")
    check("refused", ["--arch", "sm_90", "--json"], 7, "", "memory of several GPUs (multimem) is not supported")
    check("clusters", ["--arch", "sm_90"], 0, "1: 3 7 11 15\n10 26, 1 8, width 2\n", "2 launches, 0 faults, 0 warnings")
    check("wrong_clusters", ["--arch", "sm_90"], 5, "", "a grid of (5, 1, 1) blocks is not a multiple of its clusters of (2, 1, 1)")
    check("wrong_clusters", ["--arch", "sm_90"], 5, "", "without cudaFuncAttributeNonPortableClusterSizeAllowed")
    for architecture in (75, 80, 90):
        check("targets", ["--arch", f"sm_{architecture}"], 0, f"ptx {architecture}\n", "0 faults")
    check("targets", ["--suppress", "out_of_bunds"], 2, "", "out_of_bounds")
    check("unawaited", [], 0, "", "is checked with --arch sm_80")
    check("unawaited", ["--arch", "sm_80"], 5, "", "fault: race")
    check("many_blocks", ["--sample"], 0, "sum 396800", "(first, last, edges, others by seed 1); bounds in all\n")
    check("many_blocks", ["--sample"], 0, "sum 396800", " of 500 blocks in 2 launches (")
    check("many_blocks", ["--sample", "--json"], 0, "396800", '"of": 400')
    check("many_blocks", ["--sample", "--", "399"], 5, "sum ", "fault: race")
    check("many_blocks", ["--quick", "--", "399"], 0, "sum ", "\nchecked: only bounds and alignment, in all blocks\n")
    check("slow", ["--launch-limit", "0.5"], 6, "", "warning: time_limit: The launch of count was stopped after 0.5 s")
    check("endless_graph", ["--launch-limit", "1"], 6, "", "warning: time_limit: A while node of the graph was stopped after 1 s")
    check("endless_graph", ["--", "end"], 0, "", "1 launch, 0 faults, 0 warnings")
    check("stage", ["--arch", "sm_90a"], 0, "3520 3520", "1 launch, 0 faults, 0 warnings")
    check("stage", ["--arch", "sm_90a", "-D", "WITHOUT_WAIT"], 5, "", "starts a bulk copy that writes shared memory")
    check("dependent", ["--arch", "sm_90"], 0, "0\n", "4 launches, 0 faults, 0 warnings")
    for when, line, words in (("EARLY", 14, "before it waits"), ("NEVER", 20, "without waiting for it")):
        check("dependent", ["--arch", "sm_90", "-D", when], 5, "", f"{files['dependent'][0]}:{line}: fault: unordered")
        check("dependent", ["--arch", "sm_90", "-D", when], 5, "", words)
    check("shares", [], 7, "", "The program calls cudaIpcGetMemHandle, which returns cudaErrorNotSupported: on the lockstep")
    check("slow", ["--launch-limit", "0.5", "--only", "cuont"], 3, "", "It launched: count.")
    return problems


def packing_of_text(program):
    """Compression of the first text in the program's fat binary, from its header flags."""
    with open(program, "rb") as file:
        data = file.read()
    for found in re.finditer(re.escape(struct.pack("<I", 0xba55ed50)), data):
        at = found.end() + 12
        end = at + struct.unpack_from("<Q", data, at - 8)[0]
        while at < end:
            kind, header_bytes, stored_bytes = struct.unpack_from("<HxxIQ", data, at)
            if kind == 1:
                flags = struct.unpack_from("<Q", data, at + 40)[0]
                return {0: "none", 0x2000: "LZ4", 0x8000: "Zstandard"}.get(flags & 0xa000, hex(flags))
            at += header_bytes + stored_bytes
    return "no text"


def problems_of_compressed(lanescope, folder, quick):
    """Checks kernels compressed by nvcc."""
    source = os.path.join(folder, "one_file.cu")
    problems = []
    modes = {"speed": "LZ4", "size": "Zstandard"}
    if not quick:
        modes |= {"balance": "Zstandard", "none": "none"}
    for mode, packing in modes.items():
        program = build(source, folder, f"--compress-mode={mode}")
        if packing_of_text(program) != packing:
            problems.append(f"{mode}: compressed by {packing_of_text(program)}, not {packing}")
        status, result = run(lanescope, program, ["31"])
        if status != 3 or result["output"] != "last 1\n" or result["findings"]:
            problems.append(f"kernels compressed for {mode}: {status} {result}")
    return problems


KEEPING = r"""
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
__device__ float offset = 0.5f;
__global__ void scale(float* values, float by, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = by * values[i] + offset;
}
int main(int count, char** words)
{
    float* values;
    float* large;
    cudaMalloc(&values, 1000 * sizeof(float));
    cudaMalloc(&large, 80 << 20);
    cudaMemset(values, 0, 1000 * sizeof(float));
    for (int i = 0; count > 1 && i < std::atoi(words[1]); ++i) scale<<<1, 1>>>(values, 2, 1);
    scale<<<4, 256>>>(values, 2, 1000);
    scale<<<4, 256>>>(values, 2, 1000);
    cudaMemset(large, 0, 4096);
    scale<<<4, 256>>>(large, 3, 1000);
    cudaFree(values);
    cudaFree(large);
    cudaDeviceSynchronize();
}
"""


def problems_of_keeping(lanescope, folder, device):
    """Checks that launches are captured with their initial memory, and that those too large are skipped with a message."""
    folder = os.path.join(folder, device)
    os.mkdir(folder)
    source = os.path.join(folder, "keeping.cu")
    with open(source, "w", encoding="utf-8") as text:
        text.write(KEEPING)
    program = build(source, folder)
    problems = []

    def keep(name, *options):
        kept = os.path.join(folder, name)
        done = subprocess.run([lanescope, "program", program, "--json", "--device", device, "--keep", kept,
                               *options], capture_output=True, text=True, env=as_on_gpu())
        try:
            return kept, json.loads(done.stdout).get("launches", done.stdout)
        except json.JSONDecodeError:
            return kept, done.stdout + done.stderr

    kept, launches = keep("all")
    if not isinstance(launches, list) or len(launches) != 3:
        return [f"keeping on {device}: {launches}"]
    labs = [launch.get("lab") for launch in launches]
    if not labs[0] or not labs[1] or labs[2]:
        problems.append(f"keeping: {launches}")
    elif "64.0 MiB" not in launches[2].get("not_kept", ""):
        problems.append(f"keeping: too large an allocation: {launches[2]}")
    else:
        before = [struct.unpack("<1000f", open(os.path.join(lab, "memory_0.bin"), "rb").read()) for lab in labs[:2]]
        if set(before[0]) != {0.0} or set(before[1]) != {0.5}:
            problems.append(f"keeping: memory before the launches: {set(before[0])} {set(before[1])}")
        if not os.path.exists(os.path.join(labs[0], "keeping.cu")):
            problems.append("keeping: the source is missing")
        if os.path.exists(os.path.join(kept, "002_scale")):
            problems.append("keeping: something is left of a launch that was not kept")
        picture = os.path.join(folder, "kept.png")
        for command in (["run", labs[1], "--steps", "2"], ["shot", labs[1], "-o", picture], ["trace", labs[1]],
                        ["why", labs[1], "--at", "3,0"]):
            done = subprocess.run([lanescope, *command, "--device", "simt"], capture_output=True, text=True)
            if done.returncode != 0:
                problems.append(f"keeping: {command}: {done.returncode} {done.stdout} {done.stderr}")
    again = subprocess.run([lanescope, "program", program, "--keep", kept], capture_output=True, text=True)
    if again.returncode != 2 or "nothing is overwritten" not in again.stderr:
        problems.append(f"keeping: into a folder that is there: {again.returncode} {again.stderr}")
    if device == "cuda":
        _, launches = keep("only", "--only", "another")
        if any("lab" in launch for launch in launches) or len(launches) != 3:
            problems.append(f"keeping: only another kernel: {launches}")
    _, launches = keep("one", "--keep-launch", "1")
    if ["lab" in launch for launch in launches] != [False, True, False]:
        problems.append(f"keeping: one launch: {launches}")
    # The limit includes folders and records, since otherwise small launches would fill the disk.
    kept, launches = keep("many", "--keep-limit", "1", "--", "300")
    used = sum(os.lstat(os.path.join(place, name)).st_blocks * 512 // os.lstat(os.path.join(place, name)).st_nlink
               for place, folders, files in os.walk(kept) for name in files) + sum(4096 for _ in os.walk(kept))
    first_left_out = next((launch.get("not_kept", "") for launch in launches if "lab" not in launch), "")
    if not 500_000 < used < 1_200_000 or "--keep-limit" not in first_left_out or "lab" not in launches[0]:
        problems.append(f"keeping: {used} bytes of many launches under a limit of 1 MiB, then: {first_left_out}")
    return problems


ORDER = r"""
#include <cuda_runtime.h>
__global__ void add(int* values) { values[threadIdx.x] += 1; }
int main()
{
    int* values;
    cudaMalloc(&values, 3 * 32 * sizeof(int));
    cudaMemset(values, 0, 3 * 32 * sizeof(int));
    cudaDeviceSynchronize();
    cudaStream_t streams[4];
    for (auto& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEvent_t over;
    cudaEventCreate(&over);
    add<<<1, 32, 0, streams[0]>>>(values);
    add<<<1, 32, 0, streams[0]>>>(values);
    cudaEventRecord(over, streams[0]);
    add<<<1, 32, 0, streams[1]>>>(values + 32);
    cudaStreamWaitEvent(streams[1], over, 0);
    add<<<1, 32, 0, streams[1]>>>(values);
    add<<<1, 32, 0, streams[2]>>>(values + 64);
    cudaStreamSynchronize(streams[1]);
    add<<<1, 32, 0, streams[2]>>>(values);
    cudaDeviceSynchronize();
    add<<<1, 32, 0, streams[3]>>>(values);
    cudaDeviceSynchronize();
    for (auto& stream : streams) cudaStreamDestroy(stream);
    cudaEventDestroy(over);
    cudaFree(values);
}
"""


def problems_of_order(lanescope, folder):
    """Checks a launch's predecessors: its stream, an event that its stream waits for, work that the host has waited for."""
    source = os.path.join(folder, "order.cu")
    with open(source, "w", encoding="utf-8") as text:
        text.write(ORDER)
    program = build(source, folder)
    problems = []
    for device in ("simt", "cuda"):
        launches = run(lanescope, program, [], device)[1].get("launches", [])
        reported = [(launch["stream"], launch["place"]) for launch in launches]
        if reported != [("stream[0]", 0), ("stream[0]", 1), ("stream[1]", 0), ("stream[1]", 2), ("stream[2]", 0),
                    ("stream[2]", 3), ("stream[3]", 4)]:
            problems.append(f"order on {device}: {reported}")
    return problems


INTERRUPTED = """#include <cstdio>
__global__ void counts(unsigned long long* to, unsigned long long turns)
{
    unsigned long long n = 0;
    while (n < turns) n += 1 + to[32 + threadIdx.x];
    to[threadIdx.x] = n;
}
int main()
{
    unsigned long long* to;
    cudaMalloc(&to, 1024);
    cudaMemset(to, 0, 1024);
    for (int i = 0; i < 2; ++i) counts<<<1, 32>>>(to, 10);
    std::printf("begins\\n");
    std::fflush(stdout);
    counts<<<4, 32>>>(to, 1000000000000ULL);
    cudaDeviceSynchronize();
    std::printf("never printed\\n");
}
"""


def problems_of_interrupts(lanescope, folder):
    """Checks Ctrl C at different moments of an endless launch: the report lists it and the launches before."""
    source = os.path.join(folder, "interrupted.cu")
    with open(source, "w", encoding="utf-8") as text:
        text.write(INTERRUPTED)
    program = build(source, folder)
    problems = []
    for moment in range(12):
        # Python's children inherit an ignored SIGINT from a shell that runs this in the background.
        process = subprocess.Popen([lanescope, "program", program], text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        first = process.stdout.readline()
        time.sleep(0.1 + 0.017 * moment)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        if (process.returncode != -signal.SIGINT or first != "begins\n" or "never" in output
                or "3 launches" not in errors or "ended on request" not in errors):
            problems.append(f"interrupted at moment {moment}: {process.returncode}, {first!r}, {output!r}, {errors!r}")
    return problems


def ask_for_window(lanescope, job):
    """Runs a program like the window, in a process that keeps captured launches until its input ends."""
    ours, theirs = socket.socketpair()
    process = subprocess.Popen([lanescope, "--program-for-window"], stdin=theirs, env=as_on_gpu())
    theirs.close()
    text = json.dumps({"edits": {}, "definitions": [], "architecture": "compute_75", "folders": [], "run": 1, **job}).encode()
    ours.sendall(struct.pack("<Q", len(text)) + text)
    answer = ours.makefile("rb")
    size = struct.unpack("<Q", answer.read(8))[0]
    return json.loads(answer.read(size)), ours, process


def problems_of_window(lanescope, folder):
    """Checks that on a GPU no launch's memory is read until one is opened, which takes a second run."""
    source = os.path.join(folder, "keeping.cu")
    problems = []
    for keep_launch in (-1, 1):
        result, ours, process = ask_for_window(lanescope, {"file": source, "keep_launch": keep_launch, "on_gpu": True})
        labs = [launch.get("lab") for launch in result.get("launches", [])]
        there = [lab is not None and os.path.exists(os.path.join(lab, "lab.json")) for lab in labs]
        if result.get("engine") != "cuda" or there != [False, keep_launch == 1, False]:
            problems.append(f"for the window, launch {keep_launch}: {result}")
        ours.shutdown(socket.SHUT_RDWR)
        ours.close()
        if process.wait(30) != 0 or any(lab and os.path.exists(lab) for lab in labs):
            problems.append(f"for the window, launch {keep_launch}: {process.returncode}, something is left")
    return problems


def listed(result):
    """Launches and copies in the form that both engines report."""
    launches = [[launch[key] for key in ("index", "kernel", "grid", "block", "dynamic_shared_bytes", "stream",
                                         "device", "place", "launched_at")] for launch in result["launches"]]
    copies = [[copy[key] for key in ("call", "direction", "bytes", "stream", "device", "place", "copied_at")]
              for copy in result["each_copy"]]
    return launches, copies


def problems_of_passing(lanescope, program, each, expected):
    """Checks that output and lists are the same as on a GPU, except for launches by graphs and kernels."""
    status, passed = run(lanescope, program, [each], "cuda")
    if "launches" not in passed:
        return [f"{each} passed on: {passed}"]
    if is_of_driver(program): # its launches are not listed
        return [f"{each} passed on: {key} {passed[key]!r}, not {expected[key]!r}"
                for key in ("exit_status", "output", "finished") if passed[key] != expected[key]]
    # If no parent reads its report, the lockstep machine's library prints findings to stderr.
    passed["error_output"] = "".join(line for line in passed["error_output"].splitlines(True)
                                     if not line.startswith("lanescope: "))
    problems = [f"{each} passed on: {key} {passed[key]!r}, not {expected[key]!r}"
                for key in ("exit_status", "output", "error_output", "finished") if passed[key] != expected[key]]
    within = passed["graph_launches"] > 0 or any("parent" in launch for launch in expected["launches"])
    if not within and listed(passed) != listed(expected):
        problems.append(f"{each} passed on: {listed(passed)}, not {listed(expected)}")
    if not all(work.get("gpu_ms", -1) >= 0 for work in passed["launches"] + passed["each_copy"]):
        problems.append(f"{each} passed on: not all is measured: {passed['launches']} {passed['each_copy']}")
    if passed["findings"] or passed["missing"]:
        problems.append(f"{each} passed on: {passed['findings']} {passed['missing']}")
    return problems


def differing_files(simt, cuda):
    """Files that differ between two folders of captured launches. On a GPU, uninitialised memory is included too."""
    different = []
    for folder, _, files in os.walk(simt):
        launch = os.path.relpath(folder, simt)
        beside = os.path.join(cuda, launch)
        more = set(os.listdir(beside)) - set(os.listdir(folder))
        _, changed, errors = filecmp.cmpfiles(folder, beside, files, shallow=False)
        different += [os.path.join(launch, name) for name in changed + errors
                      if not (name == "lab.json" and any(one.startswith("memory_") for one in more))]
    return different


def kill_children(launch, counted):
    """Warp instructions of a launch and of its child launches: a captured launch counts both."""
    return launch["counts"]["warp_instructions"] + sum(kill_children(child, counted) for child in counted
                                                       if child.get("parent") == launch["index"])


def problems_of_kept(lanescope, program, each, folder, device, counted):
    """Checks that a captured launch alone has the same counts as in its program: `counted`, on the lockstep machine."""
    kept = os.path.join(folder, "kept_" + each)
    devices = "2" if os.path.basename(program) == "peers" else "1"
    done = subprocess.run([lanescope, "program", program, "--json", "--devices", devices, "--device", device,
                           "--keep", kept, "--", each], capture_output=True, text=True, env=as_on_gpu())
    launches = json.loads(done.stdout)["launches"]
    problems = [f"{each}: launch {one['index']} is not kept on {device}: {one.get('not_kept')}" for one in launches
                if "lab" not in one]
    on_simt = os.path.join(folder, "simt_" + each)
    if device == "simt":
        shutil.copytree(kept, on_simt)
    elif REAL is None:
        problems += [f"{each}: kept otherwise as on a GPU: {name}" for name in differing_files(on_simt, kept)]
    for launch, expected in zip(launches[:3], counted):
        if "lab" not in launch:
            continue
        done = subprocess.run([lanescope, "run", launch["lab"], "--device", "simt", "--steps", "2", "--json"],
                              capture_output=True, text=True)
        try:
            alone = json.loads(done.stdout)["runs"][0]["warp_instructions_per_step"]
        except (json.JSONDecodeError, KeyError):
            alone = done.stdout + done.stderr
        if alone != kill_children(expected, counted):
            problems.append(f"{each}: launch {launch['index']} of {device} alone: {alone} warp instructions, "
                            f"in the program {kill_children(expected, counted)}")
    shutil.rmtree(kept)
    return len(launches[:3]) - len(problems), problems


def main():
    global RUNTIME, REAL
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--lanescope", default=os.path.join(ROOT, "build", "ci", "lanescope"))
    options.add_argument("--quick", action="store_true")
    options.add_argument("--only")
    options.add_argument("--programs", help="a folder with the programs as they were built before")
    options.add_argument("--real", help="NVIDIA's library, to which calls are passed on a machine with a GPU")
    options.add_argument("--output", help="write what each program prints to this folder")
    options.add_argument("files", nargs="*")
    chosen = options.parse_args()
    RUNTIME = os.path.join(os.path.dirname(os.path.abspath(chosen.lanescope)), "runtime")
    REAL = chosen.real
    failures = []
    counts = {"right": 0, "found": 0, "silent": 0, "calls": 0, "kept": 0, "passed": 0}
    begin = time.time()
    with tempfile.TemporaryDirectory() as folder:
        if not chosen.programs and not chosen.only:
            failures += problems_of_one_file(chosen.lanescope, folder)
            failures += problems_of_sources(chosen.lanescope, folder)
            failures += problems_of_opengl(chosen.lanescope, folder)
            failures += problems_of_saved(chosen.lanescope, folder, chosen.quick)
            failures += problems_of_compressed(chosen.lanescope, folder, chosen.quick)
            for device in ("simt", "cuda"):
                failures += problems_of_keeping(chosen.lanescope, folder, device)
            failures += problems_of_order(chosen.lanescope, folder)
            failures += problems_of_interrupts(chosen.lanescope, folder)
            failures += problems_of_window(chosen.lanescope, os.path.join(folder, "cuda"))
        for name in chosen.files or (QUICK if chosen.quick else ALL):
            source = os.path.join(FOLDER, os.path.basename(name))
            if chosen.programs:
                program = os.path.join(chosen.programs, os.path.basename(name)[:-3])
            else:
                program = build(source, folder)
            can_pass = not is_of_driver(program) or REAL is not None
            if os.path.basename(name)[:-3] in RETURNS:
                for device in ("simt", "cuda") if can_pass else ("simt",):
                    failures += differing_calls(chosen.lanescope, program, device, counts)
                continue
            wanted = expected_findings(source)
            for each in names_of(program):
                if chosen.only and chosen.only != each:
                    continue
                defect = wanted.get(each)
                status, result = run(chosen.lanescope, program, [each])
                findings = [(finding["line"], finding["kind"]) for finding in result["findings"]]
                if defect:
                    hit = any(line == defect[0] and kind == defect[1] for line, kind in findings)
                    failures += [f"{each}: there is no file {finding['file']}" for finding in result["findings"]
                                 if finding.get("file") and not os.path.exists(finding["file"])]
                    counts["found"] += hit
                    if not hit:
                        failures.append(f"{each}: wanted {defect[1]} at line {defect[0]}, got {findings} "
                                        f"{result.get('error', '')}")
                    status, result = run(chosen.lanescope, program, [each, "mended"])
                    findings = [(finding["line"], finding["kind"]) for finding in result["findings"]]
                    silent = not findings and status == 0 and not result.get("missing")
                    counts["silent"] += silent
                    if not silent:
                        failures.append(f"{each} mended: status {status}, {findings} {result.get('missing')} "
                                        f"{result.get('error', '')}")
                    continue
                if chosen.output:
                    with open(os.path.join(chosen.output, each + ".txt"), "w", encoding="utf-8") as text:
                        text.write(result["output"])
                output = expected_output(each)
                expects_refusals = each == "refused_launches"
                right = (expects_refusals or (status == 0 and not findings)) and not result.get("missing")
                right = right and "FAILED" not in result["output"]
                right = right and (output is None or output == result["output"])
                counts["right"] += right
                if right and can_pass:
                    problems = problems_of_passing(chosen.lanescope, program, each, result)
                    counts["passed"] += not problems
                    failures += problems
                if right and not expects_refusals and each not in NOT_KEPT:
                    nested = any("parent" in launch for launch in result["launches"])
                    simt_alone = (nested or each.startswith("graph") or is_of_driver(program)
                                  or each in NOT_KEPT_ON_GPU)
                    for device in ("simt",) if simt_alone else ("simt", "cuda"):
                        kept, problems = problems_of_kept(chosen.lanescope, program, each, folder, device,
                                                          result["launches"])
                        counts["kept"] += kept
                        failures += problems
                if not right:
                    failures.append(f"{each}: status {status}, {findings} {result.get('missing')} "
                                    f"{result['output']!r} {result.get('error', '')}")
    for failure in failures:
        print(failure)
    print(f"{counts['right']} right programs as they should be, {counts['found']} defects found at their lines, "
          f"{counts['silent']} mended programs silent, {counts['calls']} calls compared, {counts['kept']} kept launches count the same, "
          f"{counts['passed']} programs the same when passed on; {len(failures)} failures; {time.time() - begin:.0f} s")
    return 1 if failures or sum(counts.values()) == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
