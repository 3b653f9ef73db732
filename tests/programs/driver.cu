// Correct programs that use the driver API: modules from text, contexts, memory, streams, textures,
// and both APIs in one program.
#include "programs.h"
#include "driver.h"

// --- Kernels embedded as text ---

static const char* const add_ptx = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
    .reg .pred %p;
    .reg .b32 %r<6>;
    .reg .b64 %rd<8>;
    .reg .f32 %f<4>;
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u64 %rd3, [c];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.s32 %p, %r5, %r1;
    @%p bra done;
    cvta.to.global.u64 %rd1, %rd1;
    cvta.to.global.u64 %rd2, %rd2;
    cvta.to.global.u64 %rd3, %rd3;
    mul.wide.s32 %rd4, %r5, 4;
    add.s64 %rd5, %rd1, %rd4;
    add.s64 %rd6, %rd2, %rd4;
    add.s64 %rd7, %rd3, %rd4;
    ld.global.f32 %f1, [%rd5];
    ld.global.f32 %f2, [%rd6];
    add.f32 %f3, %f1, %f2;
    st.global.f32 [%rd7], %f3;
done:
    ret;
}
)";

PROGRAM(driver_vector_add)
{
    OK(cuInit(0));
    CUdevice device;
    CUcontext context;
    OK(cuDeviceGet(&device, 0));
    OK(cuCtxCreate(&context, nullptr, 0, device));
    CUmodule module;
    CUfunction add;
    OK(cuModuleLoadData(&module, add_ptx));
    OK(cuModuleGetFunction(&add, module, "add"));
    int n = 1000;
    std::vector<float> x(n), y(n);
    for (int i = 0; i < n; ++i) x[i] = i, y[i] = 2 * i;
    CUdeviceptr a, b, c;
    OK(cuMemAlloc(&a, n * sizeof(float)));
    OK(cuMemAlloc(&b, n * sizeof(float)));
    OK(cuMemAlloc(&c, n * sizeof(float)));
    OK(cuMemcpyHtoD(a, x.data(), n * sizeof(float)));
    OK(cuMemcpyHtoD(b, y.data(), n * sizeof(float)));
    void* arguments[] = {&a, &b, &c, &n};
    OK(cuLaunchKernel(add, 4, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr));
    OK(cuCtxSynchronize());
    const std::vector<float> sums = values_at<float>(c, n);
    bool right = true;
    for (int i = 0; i < n; ++i) right = right && sums[i] == 3.0f * i;
    std::printf("%g %g\n", sums[1], sums[999]);
    OK(cuMemFree(a));
    OK(cuMemFree(b));
    OK(cuMemFree(c));
    OK(cuModuleUnload(module));
    OK(cuCtxDestroy(context));
    return passed(right);
}

PROGRAM(driver_nvrtc)
{
    const Loaded loaded(compiled(SOURCE(R"(
template <class T> __device__ T square(T x) { return x * x; }
extern "C" __global__ void squares(double* values, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        values[i] = square((double)i);
}
)")),
                        "squares");
    OK(loaded.status);
    CUdeviceptr values;
    int n = 500;
    OK(cuMemAlloc(&values, n * sizeof(double)));
    void* arguments[] = {&values, &n};
    OK(cuLaunchKernel(loaded.kernel, 2, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
    const std::vector<double> is = values_at<double>(values, n);
    double sum = 0;
    for (const double each : is) sum += each;
    std::printf("%.0f\n", sum);
    OK(cuMemFree(values));
    return passed(is[499] == 499.0 * 499.0);
}

// Parameters of several sizes, as pointers and in one buffer.
PROGRAM(driver_parameters)
{
    const Loaded loaded(compiled(SOURCE(R"(
struct Pair { short a; double b; };
extern "C" __global__ void mixed(char c, double d, short s, Pair p, int* out)
{
    out[threadIdx.x] = (int)(c + d + s + p.a + p.b) + threadIdx.x;
}
)")),
                        "mixed");
    OK(loaded.status);
    struct Pair {
        short a;
        double b;
    };
    char c = 1;
    double d = 20;
    short s = 300;
    Pair p{4000, 50000};
    CUdeviceptr out;
    OK(cuMemAlloc(&out, 32 * sizeof(int)));
    void* arguments[] = {&c, &d, &s, &p, &out};
    OK(cuLaunchKernel(loaded.kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    std::printf("%d\n", values_at<int>(out, 32)[31]);
    struct {
        char c;
        double d;
        short s;
        Pair p;
        CUdeviceptr out;
    } buffer{2, 30, 400, {5000, 60000}, out};
    std::size_t bytes = sizeof buffer;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    OK(cuLaunchKernel(loaded.kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra));
    std::printf("%d\n", values_at<int>(out, 32)[31]);
    std::size_t offset = 0, size = 0;
    OK(cuFuncGetParamInfo(loaded.kernel, 1, &offset, &size));
    std::printf("%zu %zu\n", offset, size);
    OK(cuMemFree(out));
    return 0;
}

PROGRAM(driver_globals)
{
    const Loaded loaded(compiled(SOURCE(R"(
extern "C" {
__constant__ float weights[4];
__device__ int calls;
__global__ void weigh(float* values)
{
    values[threadIdx.x] *= weights[threadIdx.x % 4];
    if (threadIdx.x == 0) atomicAdd(&calls, 1);
}
}
)")),
                        "weigh");
    OK(loaded.status);
    CUdeviceptr weights, calls, values;
    std::size_t bytes = 0;
    OK(cuModuleGetGlobal(&weights, &bytes, loaded.module, "weights"));
    std::printf("%zu\n", bytes);
    OK(cuModuleGetGlobal(&calls, &bytes, loaded.module, "calls"));
    std::printf("%zu\n", bytes);
    const float host[] = {1, 10, 100, 1000};
    OK(cuMemcpyHtoD(weights, host, sizeof host));
    OK(cuMemAlloc(&values, 8 * sizeof(float)));
    OK(cuMemsetD32(values, 0x40000000, 8)); // 2.0f
    void* arguments[] = {&values};
    for (int i = 0; i < 2; ++i)
        OK(cuLaunchKernel(loaded.kernel, 1, 1, 1, 8, 1, 1, 0, nullptr, arguments, nullptr));
    const std::vector<float> is = values_at<float>(values, 8);
    std::printf("%g %g %g %g, %d\n", is[4], is[5], is[6], is[7], values_at<int>(calls, 1)[0]);
    OK(cuMemFree(values));
    return 0;
}

// --- Contexts ---

PROGRAM(driver_contexts)
{
    OK(cuInit(0));
    CUcontext first, second, current;
    CUdevice device = -1;
    std::printf("%s\n", error_name(cuCtxGetDevice(&device)));
    OK(cuCtxCreate(&first, nullptr, CU_CTX_SCHED_BLOCKING_SYNC, 0));
    OK(cuCtxCreate(&second, nullptr, 0, 0));
    OK(cuCtxGetCurrent(&current));
    std::printf("%d", current == second);
    OK(cuCtxPopCurrent(&current));
    std::printf("%d", current == second);
    OK(cuCtxGetCurrent(&current));
    std::printf("%d", current == first);
    OK(cuCtxPushCurrent(second));
    OK(cuCtxGetDevice(&device));
    std::printf("%d\n", device);
    CUdeviceptr memory;
    OK(cuMemAlloc(&memory, 1024));
    CUcontext owner = nullptr;
    OK(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, memory));
    std::printf("%d\n", owner == second);
    CUstream stream;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuStreamGetCtx(stream, &owner));
    std::printf("%d\n", owner == second);
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(memory));
    OK(cuCtxDestroy(second));
    OK(cuCtxGetCurrent(&current));
    std::printf("%d\n", current == first);
    unsigned flags = 0;
    OK(cuCtxGetFlags(&flags));
    std::printf("%d\n", (flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_BLOCKING_SYNC);
    OK(cuCtxDestroy(first));
    OK(cuCtxGetCurrent(&current));
    std::printf("%d\n", current == nullptr);
    return 0;
}

__global__ void add_one(int* values) { values[threadIdx.x] += 1; }

// The runtime's device is the driver's primary context.
PROGRAM(driver_and_runtime)
{
    int* values;
    CHECK(cudaMalloc(&values, 32 * sizeof(int)));
    CUcontext current, primary;
    OK(cuCtxGetCurrent(&current));
    OK(cuDevicePrimaryCtxRetain(&primary, 0));
    std::printf("%d\n", current == primary);
    const auto address = reinterpret_cast<CUdeviceptr>(values);
    OK(cuMemsetD32(address, 7, 32));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    add_one<<<1, 32, 0, stream>>>(values);
    const std::string ptx = compiled(SOURCE(R"(
extern "C" __global__ void twice(int* values) { values[threadIdx.x] *= 2; }
)"));
    CUmodule module;
    CUfunction twice;
    OK(cuModuleLoadData(&module, ptx.c_str()));
    OK(cuModuleGetFunction(&twice, module, "twice"));
    void* arguments[] = {&values};
    OK(cuLaunchKernel(twice, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr));
    CHECK(cudaStreamSynchronize(stream));
    std::printf("%d\n", host_copy(values, 32)[31]);
    CUdeviceptr base;
    std::size_t bytes = 0;
    OK(cuMemGetAddressRange(&base, &bytes, address + 40));
    std::printf("%d %zu\n", base == address, bytes);
    OK(cuMemFree(address));
    CHECK(cudaStreamDestroy(stream));
    OK(cuModuleUnload(module));
    OK(cuDevicePrimaryCtxRelease(0));
    return cudaGetLastError();
}

// --- Memory ---

PROGRAM(driver_fills)
{
    const Loaded loaded(add_ptx, "add");
    OK(loaded.status);
    CUdeviceptr row, plane;
    OK(cuMemAlloc(&row, 64));
    OK(cuMemsetD8(row, 0x11, 64));
    OK(cuMemsetD16(row + 16, 0x2233, 8));
    OK(cuMemsetD32(row + 32, 0x44556677, 4));
    const std::vector<unsigned> words = values_at<unsigned>(row, 16);
    std::printf("%08x %08x %08x %08x\n", words[0], words[4], words[8], words[15]);
    std::size_t pitch = 0;
    OK(cuMemAllocPitch(&plane, &pitch, 20, 5, 4));
    OK(cuMemsetD2D8(plane, pitch, 1, 20, 5));
    OK(cuMemsetD2D16(plane + 4, pitch, 0x0202, 3, 2));
    OK(cuMemsetD2D32(plane + 12, pitch, 0x03030303, 2, 3));
    unsigned char host[5][20] = {};
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = plane;
    copy.srcPitch = pitch;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = host;
    copy.dstPitch = 20;
    copy.WidthInBytes = 20;
    copy.Height = 5;
    OK(cuMemcpy2D(&copy));
    for (const auto& line : host) {
        for (const unsigned char each : line) std::printf("%d", each);
        std::printf("\n");
    }
    OK(cuMemFree(row));
    OK(cuMemFree(plane));
    return 0;
}

// Copies a part of a 2D array elsewhere and back.
PROGRAM(driver_planes)
{
    const Loaded loaded(add_ptx, "add");
    OK(loaded.status);
    constexpr std::size_t width = 16, height = 8;
    std::vector<unsigned char> from(width * height), to(width * height, 0);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i);
    CUdeviceptr plane;
    std::size_t pitch = 0;
    OK(cuMemAllocPitch(&plane, &pitch, width, height, 4));
    OK(cuMemsetD2D8(plane, pitch, 0xff, width, height));
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = from.data();
    copy.srcPitch = width;
    copy.srcXInBytes = 2;
    copy.srcY = 1;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = plane;
    copy.dstPitch = pitch;
    copy.dstXInBytes = 5;
    copy.dstY = 3;
    copy.WidthInBytes = 4;
    copy.Height = 2;
    OK(cuMemcpy2D(&copy));
    CUDA_MEMCPY3D back{};
    back.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    back.srcDevice = plane;
    back.srcPitch = pitch;
    back.srcHeight = height;
    back.dstMemoryType = CU_MEMORYTYPE_HOST;
    back.dstHost = to.data();
    back.dstPitch = width;
    back.dstHeight = height;
    back.WidthInBytes = width;
    back.Height = height;
    back.Depth = 1;
    OK(cuMemcpy3D(&back));
    std::printf("%d %d %d %d\n", to[3 * width + 5], to[4 * width + 8], to[3 * width + 9], to[0]);
    OK(cuMemFree(plane));
    return 0;
}

PROGRAM(driver_host_memory)
{
    const Loaded loaded(compiled(SOURCE(R"(
extern "C" __global__ void double_all(int* values) { values[threadIdx.x] *= 2; }
)")),
                        "double_all");
    OK(loaded.status);
    CUdeviceptr managed, mapped;
    OK(cuMemAllocManaged(&managed, 32 * sizeof(int), CU_MEM_ATTACH_GLOBAL));
    auto* const values = reinterpret_cast<int*>(managed);
    for (int i = 0; i < 32; ++i) values[i] = i;
    void* arguments[] = {&managed};
    OK(cuLaunchKernel(loaded.kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    OK(cuCtxSynchronize());
    std::printf("%d\n", values[31]);
    void* pinned = nullptr;
    OK(cuMemHostAlloc(&pinned, 32 * sizeof(int), CU_MEMHOSTALLOC_DEVICEMAP));
    OK(cuMemHostGetDevicePointer(&mapped, pinned, 0));
    for (int i = 0; i < 32; ++i) static_cast<int*>(pinned)[i] = 100 + i;
    void* mapped_arguments[] = {&mapped};
    OK(cuLaunchKernel(loaded.kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, mapped_arguments, nullptr));
    OK(cuCtxSynchronize());
    std::printf("%d\n", static_cast<int*>(pinned)[31]);
    int is_managed = 0;
    CUmemorytype type{};
    OK(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed));
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, mapped));
    std::printf("%d %d\n", is_managed & 1, type == CU_MEMORYTYPE_HOST);
    OK(cuMemFreeHost(pinned));
    OK(cuMemFree(managed));
    return 0;
}

PROGRAM(driver_texture)
{
    const Loaded loaded(compiled(SOURCE(R"(
extern "C" __global__ void sample(cudaTextureObject_t texture, cudaSurfaceObject_t surface, float* out)
{
    const int x = threadIdx.x, y = threadIdx.y;
    out[y * 4 + x] = tex2D<float>(texture, x + 1.0f, y + 0.5f);
    surf2Dwrite(-tex2D<float>(texture, x + 0.5f, y + 0.5f), surface, x * 4, y);
}
)")),
                        "sample");
    OK(loaded.status);
    CUDA_ARRAY3D_DESCRIPTOR shape{};
    shape.Width = 4;
    shape.Height = 4;
    shape.Format = CU_AD_FORMAT_FLOAT;
    shape.NumChannels = 1;
    shape.Flags = CUDA_ARRAY3D_SURFACE_LDST;
    CUarray from, to;
    OK(cuArray3DCreate(&from, &shape));
    OK(cuArray3DCreate(&to, &shape));
    float texels[16];
    for (int i = 0; i < 16; ++i) texels[i] = i;
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = texels;
    copy.srcPitch = 16;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = from;
    copy.WidthInBytes = 16;
    copy.Height = 4;
    OK(cuMemcpy2D(&copy));
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = from;
    CUDA_TEXTURE_DESC description{};
    for (auto& mode : description.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
    description.filterMode = CU_TR_FILTER_MODE_LINEAR;
    CUtexObject texture;
    OK(cuTexObjectCreate(&texture, &resource, &description, nullptr));
    resource.res.array.hArray = to;
    CUsurfObject surface;
    OK(cuSurfObjectCreate(&surface, &resource));
    CUdeviceptr out;
    OK(cuMemAlloc(&out, sizeof texels));
    void* arguments[] = {&texture, &surface, &out};
    OK(cuLaunchKernel(loaded.kernel, 1, 1, 1, 4, 4, 1, 0, nullptr, arguments, nullptr));
    const std::vector<float> is = values_at<float>(out, 16);
    std::printf("%g %g %g\n", is[0], is[3], is[14]);
    float row[4];
    OK(cuMemcpyAtoH(row, to, 0, sizeof row));
    std::printf("%g %g\n", row[1], row[3]);
    CUDA_ARRAY_DESCRIPTOR known{};
    OK(cuArrayGetDescriptor(&known, to));
    std::printf("%zu %zu %u\n", known.Width, known.Height, known.NumChannels);
    OK(cuSurfObjectDestroy(surface));
    OK(cuTexObjectDestroy(texture));
    OK(cuArrayDestroy(from));
    OK(cuArrayDestroy(to));
    OK(cuMemFree(out));
    return 0;
}

// --- Streams ---

static void CUDA_CB note_host(void* data) { *static_cast<int*>(data) += 1; }

PROGRAM(driver_streams)
{
    const Loaded loaded(compiled(SOURCE(R"(
extern "C" __global__ void step(int* values, int by)
{
    values[threadIdx.x] = values[threadIdx.x] * 3 + by;
}
)")),
                        "step");
    OK(loaded.status);
    CUstream upload, compute;
    CUevent there, begin, end;
    OK(cuStreamCreate(&upload, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreateWithPriority(&compute, CU_STREAM_NON_BLOCKING, 0));
    OK(cuEventCreate(&there, CU_EVENT_DISABLE_TIMING));
    OK(cuEventCreate(&begin, 0));
    OK(cuEventCreate(&end, 0));
    void* host = nullptr;
    CUdeviceptr values;
    OK(cuMemAllocHost(&host, 32 * sizeof(int)));
    for (int i = 0; i < 32; ++i) static_cast<int*>(host)[i] = i;
    OK(cuMemAlloc(&values, 32 * sizeof(int)));
    OK(cuMemcpyHtoDAsync(values, host, 32 * sizeof(int), upload));
    OK(cuEventRecord(there, upload));
    OK(cuStreamWaitEvent(compute, there, 0));
    OK(cuEventRecord(begin, compute));
    int host_calls = 0;
    for (int by = 1; by <= 2; ++by) {
        void* arguments[] = {&values, &by};
        OK(cuLaunchKernel(loaded.kernel, 1, 1, 1, 32, 1, 1, 0, compute, arguments, nullptr));
        OK(cuLaunchHostFunc(compute, note_host, &host_calls));
    }
    OK(cuEventRecord(end, compute));
    OK(cuMemcpyDtoHAsync(host, values, 32 * sizeof(int), compute));
    OK(cuStreamSynchronize(compute));
    OK(cuStreamQuery(upload));
    float ms = -1;
    OK(cuEventElapsedTime(&ms, begin, end));
    std::printf("%d %d %d\n", static_cast<int*>(host)[31], host_calls, ms >= 0);
    OK(cuMemFreeHost(host));
    OK(cuMemFree(values));
    for (CUevent event : {there, begin, end}) OK(cuEventDestroy(event));
    OK(cuStreamDestroy(upload));
    OK(cuStreamDestroy(compute));
    return 0;
}

PROGRAM(driver_graph)
{
    const Loaded loaded(compiled(SOURCE(R"(
extern "C" __global__ void count(int* value) { *value += 1; }
)")),
                        "count");
    OK(loaded.status);
    CUstream stream;
    CUdeviceptr value;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc(&value, sizeof(int)));
    OK(cuMemsetD32Async(value, 0, 1, stream));
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    void* arguments[] = {&value};
    for (int i = 0; i < 3; ++i)
        OK(cuLaunchKernel(loaded.kernel, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
    CUgraph graph;
    CUgraphExec executable;
    OK(cuStreamEndCapture(stream, &graph));
    std::size_t nodes = 0;
    OK(cuGraphGetNodes(graph, nullptr, &nodes));
    OK(cuGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < 4; ++i) OK(cuGraphLaunch(executable, stream));
    OK(cuStreamSynchronize(stream));
    std::printf("%zu nodes, %d\n", nodes, values_at<int>(value, 1)[0]);
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
    OK(cuMemFree(value));
    OK(cuStreamDestroy(stream));
    return 0;
}

// Fill, add and copy to the host, node by node; then with another argument.
PROGRAM(driver_graph_nodes)
{
    const Loaded loaded(compiled(SOURCE(R"(
extern "C" __global__ void add(int* values, int by) { values[threadIdx.x] += by; }
)")),
                        "add");
    OK(loaded.status);
    CUgraph graph;
    CUgraphNode fill, add, copy;
    CUdeviceptr values;
    std::vector<int> host(16, 0);
    OK(cuMemAlloc(&values, 16 * sizeof(int)));
    OK(cuGraphCreate(&graph, 0));
    CUDA_MEMSET_NODE_PARAMS filled{};
    filled.dst = values;
    filled.value = 5;
    filled.elementSize = 4;
    filled.width = 16;
    filled.height = 1;
    OK(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &filled, loaded.context));
    int by = 10;
    void* arguments[] = {&values, &by};
    CUDA_KERNEL_NODE_PARAMS launch{};
    launch.func = loaded.kernel;
    launch.gridDimX = launch.gridDimY = launch.gridDimZ = 1;
    launch.blockDimX = 16;
    launch.blockDimY = launch.blockDimZ = 1;
    launch.kernelParams = arguments;
    OK(cuGraphAddKernelNode(&add, graph, &fill, 1, &launch));
    CUDA_MEMCPY3D out{};
    out.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    out.srcDevice = values;
    out.srcPitch = out.dstPitch = 16 * sizeof(int);
    out.srcHeight = out.dstHeight = 1;
    out.dstMemoryType = CU_MEMORYTYPE_HOST;
    out.dstHost = host.data();
    out.WidthInBytes = 16 * sizeof(int);
    out.Height = out.Depth = 1;
    OK(cuGraphAddMemcpyNode(&copy, graph, &add, 1, &out, loaded.context));
    CUgraphNodeType type{};
    OK(cuGraphNodeGetType(copy, &type));
    std::printf("%d\n", type == CU_GRAPH_NODE_TYPE_MEMCPY);
    CUgraphExec executable;
    OK(cuGraphInstantiate(&executable, graph, 0));
    OK(cuGraphLaunch(executable, nullptr));
    OK(cuStreamSynchronize(nullptr));
    std::printf("%d\n", host[15]);
    by = 100;
    OK(cuGraphExecKernelNodeSetParams(executable, add, &launch));
    OK(cuGraphLaunch(executable, nullptr));
    OK(cuStreamSynchronize(nullptr));
    std::printf("%d\n", host[15]);
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
    OK(cuMemFree(values));
    return 0;
}

// --- Functions ---

PROGRAM(driver_attributes)
{
    const Loaded loaded(compiled(SOURCE(R"(
extern "C" __global__ void __launch_bounds__(512) tile(float* out)
{
    __shared__ float room[1024];
    extern __shared__ float more[];
    room[threadIdx.x] = threadIdx.x;
    more[threadIdx.x] = 2;
    __syncthreads();
    out[threadIdx.x] = room[511 - threadIdx.x] * more[threadIdx.x];
}
)")),
                        "tile");
    OK(loaded.status);
    int threads = 0, shared = 0, blocks = 0;
    OK(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, loaded.kernel));
    OK(cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, loaded.kernel));
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, loaded.kernel, 512, 2048));
    std::printf("%d %d %d\n", threads, shared, blocks);
    OK(cuFuncSetAttribute(loaded.kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
    CUdeviceptr out;
    OK(cuMemAlloc(&out, 512 * sizeof(float)));
    void* arguments[] = {&out};
    CUlaunchConfig config{};
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = 512;
    config.blockDimY = config.blockDimZ = 1;
    config.sharedMemBytes = 100000;
    OK(cuLaunchKernelEx(&config, loaded.kernel, arguments, nullptr));
    std::printf("%g\n", values_at<float>(out, 512)[0]);
    const char* name = nullptr;
    CUmodule module = nullptr;
    OK(cuFuncGetName(&name, loaded.kernel));
    OK(cuFuncGetModule(&module, loaded.kernel));
    std::printf("%s %d\n", name, module == loaded.module);
    OK(cuMemFree(out));
    return 0;
}

PROGRAM(driver_library)
{
    OK(cuInit(0));
    const std::string ptx = compiled(SOURCE(R"(
extern "C" {
__device__ int base = 40;
__global__ void fill(int* out) { out[threadIdx.x] = base + threadIdx.x; }
__global__ void other(int* out) { *out = 0; }
}
)"));
    CUlibrary library;
    CUkernel fill;
    OK(cuLibraryLoadData(&library, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    OK(cuLibraryGetKernel(&fill, library, "fill"));
    unsigned kernels = 0;
    OK(cuLibraryGetKernelCount(&kernels, library));
    CUcontext context;
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    CUdeviceptr base, out;
    std::size_t bytes = 0;
    OK(cuLibraryGetGlobal(&base, &bytes, library, "base"));
    OK(cuMemsetD32(base, 50, 1));
    OK(cuMemAlloc(&out, 8 * sizeof(int)));
    void* arguments[] = {&out};
    OK(cuLaunchKernel(reinterpret_cast<CUfunction>(fill), 1, 1, 1, 8, 1, 1, 0, nullptr, arguments,
                      nullptr));
    std::printf("%u %zu %d\n", kernels, bytes, values_at<int>(out, 8)[7]);
    OK(cuMemFree(out));
    OK(cuLibraryUnload(library));
    OK(cuDevicePrimaryCtxRelease(0));
    return 0;
}

// The same with the runtime API only.
PROGRAM(driver_runtime_library)
{
    const std::string ptx = compiled(SOURCE(R"(
extern "C" {
__device__ int base = 40;
__global__ void fill(int* out) { out[threadIdx.x] = base + threadIdx.x; }
}
)"));
    cudaLibrary_t library;
    cudaKernel_t fill;
    CHECK(cudaLibraryLoadData(&library, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    CHECK(cudaLibraryGetKernel(&fill, library, "fill"));
    void* base = nullptr;
    std::size_t bytes = 0;
    CHECK(cudaLibraryGetGlobal(&base, &bytes, library, "base"));
    const int other = 60;
    CHECK(cudaMemcpy(base, &other, sizeof other, cudaMemcpyHostToDevice));
    int* out = nullptr;
    CHECK(cudaMalloc(&out, 8 * sizeof(int)));
    void* arguments[] = {&out};
    CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(fill), dim3(1), dim3(8), arguments, 0,
                           nullptr));
    std::printf("%zu %d\n", bytes, host_copy(out, 8)[7]);
    CHECK(cudaFree(out));
    CHECK(cudaLibraryUnload(library));
    return 0;
}

PROGRAM(driver_linker)
{
    const Loaded loaded(add_ptx, "add");
    OK(loaded.status);
    const std::string ptx = compiled(SOURCE(R"(
extern "C" __global__ void ones(int* out) { out[threadIdx.x] = 1; }
)"));
    CUlinkState link;
    OK(cuLinkCreate(0, nullptr, nullptr, &link));
    OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(ptx.c_str()), ptx.size(), "ones", 0,
                     nullptr, nullptr));
    void* image = nullptr;
    std::size_t bytes = 0;
    OK(cuLinkComplete(link, &image, &bytes));
    CUmodule module;
    CUfunction ones;
    OK(cuModuleLoadData(&module, image));
    OK(cuLinkDestroy(link));
    OK(cuModuleGetFunction(&ones, module, "ones"));
    CUdeviceptr out;
    OK(cuMemAlloc(&out, 32 * sizeof(int)));
    void* arguments[] = {&out};
    OK(cuLaunchKernel(ones, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    int sum = 0;
    for (const int each : values_at<int>(out, 32)) sum += each;
    std::printf("%d %d\n", sum, bytes > 0);
    OK(cuMemFree(out));
    OK(cuModuleUnload(module));
    return 0;
}

// Looks up functions like a driver loader.
PROGRAM(driver_entry_points)
{
    OK(cuInit(0));
    CUdriverProcAddressQueryResult status{};
    void* found = nullptr;
    CUresult (*allocate)(CUdeviceptr*, std::size_t) = nullptr;
    OK(cuGetProcAddress("cuMemAlloc", reinterpret_cast<void**>(&allocate), 12000, 0, &status));
    std::printf("%d\n", status == CU_GET_PROC_ADDRESS_SUCCESS);
    std::printf("%s", error_name(cuGetProcAddress("cuNoSuchFunction", &found, 12000, 0, &status)));
    std::printf(" %d %d\n", status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, found == nullptr);
    std::printf("%s", error_name(cuGetProcAddress("cuLibraryLoadData", &found, 11000, 0, &status)));
    std::printf(" %d\n", status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    CUcontext context;
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    CUdeviceptr memory = 0;
    OK(allocate(&memory, 256));
    OK(cuMemFree(memory));
    OK(cuDevicePrimaryCtxRelease(0));
    return passed(memory != 0);
}

// A vector that grows in place: more physical memory is mapped after its end, and a copy and a kernel
// cross from one piece to the next. The same memory is then mapped at a second address.
PROGRAM(driver_virtual_memory)
{
    const Loaded loaded(compiled(SOURCE(R"(
extern "C" __global__ void count(int* values, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) values[i] += i;
}
)")),
                        "count");
    OK(loaded.status);
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    std::size_t piece = 0;
    OK(cuMemGetAllocationGranularity(&piece, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CUdeviceptr begin = 0, second = 0;
    OK(cuMemAddressReserve(&begin, 4 * piece, 0, 0, 0));
    OK(cuMemAddressReserve(&second, piece, 0, 0, 0));
    CUmemGenericAllocationHandle pieces[2];
    CUmemAccessDesc access{};
    access.location = properties.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    for (int i = 0; i < 2; ++i) {
        OK(cuMemCreate(&pieces[i], piece, &properties, 0));
        OK(cuMemMap(begin + i * piece, piece, 0, pieces[i], 0));
        OK(cuMemSetAccess(begin + i * piece, piece, &access, 1));
    }
    const int n = static_cast<int>(2 * piece / sizeof(int));
    std::vector<int> values(n, 1);
    OK(cuMemcpyHtoD(begin, values.data(), 2 * piece));
    int elements = n;
    void* arguments[] = {&begin, &elements};
    OK(cuLaunchKernel(loaded.kernel, 8, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr));
    OK(cuMemcpyDtoH(values.data(), begin, 2 * piece));
    OK(cuMemMap(second, piece, 0, pieces[1], 0));
    OK(cuMemSetAccess(second, piece, &access, 1));
    const int alias = values_at<int>(second, 1)[0];
    std::printf("%d %d %d\n", values[n - 1], values[n / 2], alias);
    std::printf("%s ", error_name(cuMemMap(begin, piece, 0, pieces[0], 0)));
    std::printf("%s ", error_name(cuMemAddressFree(begin, 4 * piece)));
    std::printf("%s\n", error_name(cuMemCreate(&pieces[0], piece + 1, &properties, 0)));
    OK(cuMemUnmap(second, piece));
    OK(cuMemUnmap(begin, 2 * piece));
    for (const auto handle : pieces) OK(cuMemRelease(handle));
    OK(cuMemAddressFree(second, piece));
    OK(cuMemAddressFree(begin, 4 * piece));
    return passed(values[n - 1] == n && values[n / 2] == 1 + n / 2 && alias == values[n / 2]);
}
