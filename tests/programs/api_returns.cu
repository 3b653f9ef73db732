// Return values of runtime calls, with valid and invalid arguments: one line each, the same on a
// GPU and on the lockstep machine.
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

__global__ void set_kernel(int* values, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = i;
}
__global__ void __launch_bounds__(64) bounded_kernel(int* values) { *values = 1; }
__global__ void cooperative_kernel(int* values) { *values = 2; }
__device__ int variable[8];
__constant__ float constants[4];

static int calls = 0;
static void say(const char* text, cudaError_t result)
{
    std::printf("%3d %s -> %s", ++calls, text, cudaGetErrorName(result));
    const cudaError_t last = cudaGetLastError();
    if (last != result) std::printf(", last error %s", cudaGetErrorName(last));
    std::printf("\n");
}
#define SAY(call) say(#call, call)
#define SAY_LAUNCH(...)                                                                            \
    do {                                                                                           \
        __VA_ARGS__;                                                                               \
        say(#__VA_ARGS__, cudaPeekAtLastError());                                                  \
    } while (false)

static void host_function(void*) {}
static void callback(cudaStream_t, cudaError_t, void*) {}

static void devices()
{
    int count = 0, device = 0, value = 0;
    char bus[32];
    size_t size = 0;
    unsigned flags = 0;
    cudaDeviceProp properties;
    SAY(cudaGetDeviceCount(&count));
    SAY(cudaGetDeviceCount(nullptr));
    SAY(cudaGetDevice(&device));
    SAY(cudaGetDevice(nullptr));
    SAY(cudaSetDevice(0));
    SAY(cudaSetDevice(-1));
    SAY(cudaSetDevice(1000));
    SAY(cudaGetDeviceProperties(&properties, 0));
    SAY(cudaGetDeviceProperties(&properties, -1));
    SAY(cudaGetDeviceProperties(&properties, 1000));
    SAY(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
    std::printf("%d\n", value);
    SAY(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0));
    std::printf("%d\n", value);
    SAY(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    std::printf("%d\n", value);
    SAY(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
    std::printf("%d\n", value);
    SAY(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
    SAY(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)0, 0));
    SAY(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)5000, 0));
    SAY(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 1000));
    SAY(cudaChooseDevice(&device, &properties));
    SAY(cudaChooseDevice(nullptr, &properties));
    SAY(cudaDeviceGetPCIBusId(bus, 32, 0));
    SAY(cudaDeviceGetPCIBusId(bus, 4, 0));
    SAY(cudaDeviceGetPCIBusId(bus, 32, 1000));
    SAY(cudaDeviceGetByPCIBusId(&device, "ffff:ff:ff.0"));
    SAY(cudaDeviceCanAccessPeer(&value, 0, 0));
    std::printf("%d\n", value);
    SAY(cudaDeviceCanAccessPeer(&value, 0, 1000));
    SAY(cudaDeviceCanAccessPeer(nullptr, 0, 0));
    SAY(cudaDeviceEnablePeerAccess(0, 0));
    SAY(cudaDeviceEnablePeerAccess(1000, 0));
    SAY(cudaDeviceDisablePeerAccess(1000));
    SAY(cudaDeviceGetLimit(&size, cudaLimitMallocHeapSize));
    std::printf("%zu\n", size);
    SAY(cudaDeviceGetLimit(&size, cudaLimitStackSize));
    SAY(cudaDeviceGetLimit(nullptr, cudaLimitStackSize));
    SAY(cudaDeviceGetLimit(&size, (cudaLimit)99));
    SAY(cudaDeviceSetLimit(cudaLimitStackSize, 2048));
    SAY(cudaDeviceSetLimit((cudaLimit)99, 1));
    SAY(cudaSetDeviceFlags(cudaDeviceScheduleAuto));
    SAY(cudaSetDeviceFlags(0xffff));
    SAY(cudaGetDeviceFlags(&flags));
    SAY(cudaGetDeviceFlags(nullptr));
    SAY(cudaDeviceSynchronize());
    SAY(cudaDriverGetVersion(&value));
    SAY(cudaDriverGetVersion(nullptr));
    SAY(cudaRuntimeGetVersion(&value));
    std::printf("%d\n", value / 1000);
    SAY(cudaRuntimeGetVersion(nullptr));
    int least = 0, greatest = 0;
    SAY(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    std::printf("%d %d\n", least, greatest);
    SAY(cudaDeviceGetStreamPriorityRange(nullptr, nullptr));
    cudaFuncCache config;
    SAY(cudaDeviceGetCacheConfig(&config));
    SAY(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
    SAY(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0));
}

static void memory()
{
    int *a = nullptr, *b = nullptr, *host = nullptr, *managed = nullptr;
    size_t free_bytes = 0, total = 0, pitch = 0;
    SAY(cudaMalloc(&a, 1024));
    SAY(cudaMalloc(&b, 1024));
    SAY(cudaMalloc(&host, 0));
    std::printf("%d\n", host == nullptr);
    SAY(cudaMalloc((void**)nullptr, 16));
    SAY(cudaMalloc(&host, (size_t)1 << 60));
    SAY(cudaMallocHost(&host, 1024));
    SAY(cudaMallocHost((void**)nullptr, 16));
    SAY(cudaMallocManaged(&managed, 1024));
    int* other = nullptr;
    SAY(cudaMallocManaged(&other, 0));
    SAY(cudaMallocManaged(&other, 16, 77));
    SAY(cudaMallocManaged((void**)nullptr, 16));
    SAY(cudaMallocPitch(&other, &pitch, 100, 10));
    std::printf("%zu\n", pitch);
    SAY(cudaFree(other));
    SAY(cudaMallocPitch(&other, nullptr, 100, 10));
    SAY(cudaMemGetInfo(&free_bytes, &total));
    SAY(cudaMemGetInfo(nullptr, &total));
    SAY(cudaMemcpy(a, host, 1024, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(host, a, 1024, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy(b, a, 1024, cudaMemcpyDeviceToDevice));
    SAY(cudaMemcpy(b, a, 1024, cudaMemcpyDefault));
    SAY(cudaMemcpy(host, host, 16, cudaMemcpyHostToHost));
    SAY(cudaMemcpy(a, host, 1024, (cudaMemcpyKind)7));
    SAY(cudaMemcpy(a, host, 0, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(nullptr, host, 16, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(a, nullptr, 16, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDeviceToDevice));
    int local[256];
    SAY(cudaMemcpy(local, a, 1024, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy(local, a, 1024, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(a, local, 1024, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy(a, local, 1024, cudaMemcpyDeviceToDevice));
    SAY(cudaMemcpy(a, b, 1024, cudaMemcpyHostToDevice));
    SAY(cudaMemcpyAsync(a, host, 1024, cudaMemcpyHostToDevice));
    SAY(cudaMemcpyAsync(a, host, 1024, (cudaMemcpyKind)-1));
    SAY(cudaMemset(a, 0, 1024));
    SAY(cudaMemset(nullptr, 0, 1024));
    SAY(cudaMemset(a, 0, 0));
    SAY(cudaMemset(local, 0, 16));
    SAY(cudaMemsetAsync(a, 1, 16));
    SAY(cudaMemset2D(a, 64, 0, 32, 4));
    SAY(cudaMemset2D(a, 16, 0, 32, 4));
    SAY(cudaMemcpy2D(a, 64, local, 64, 32, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2D(a, 16, local, 64, 32, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2D(a, 64, local, 64, 0, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2D(a, 64, local, 64, 32, 4, (cudaMemcpyKind)9));
    cudaPitchedPtr cube;
    SAY(cudaMalloc3D(&cube, make_cudaExtent(10, 4, 3)));
    SAY(cudaMemset3D(cube, 0, make_cudaExtent(10, 4, 3)));
    cudaMemcpy3DParms copy{};
    SAY(cudaMemcpy3D(&copy));
    SAY(cudaMemcpy3D(nullptr));
    SAY(cudaFree(cube.ptr));
    cudaPointerAttributes attributes;
    SAY(cudaPointerGetAttributes(&attributes, a));
    std::printf("%d\n", attributes.type);
    SAY(cudaPointerGetAttributes(&attributes, host));
    std::printf("%d\n", attributes.type);
    SAY(cudaPointerGetAttributes(&attributes, managed));
    std::printf("%d\n", attributes.type);
    SAY(cudaPointerGetAttributes(&attributes, local));
    std::printf("%d\n", attributes.type);
    SAY(cudaPointerGetAttributes(nullptr, a));
    void* mapped = nullptr;
    unsigned flags = 0;
    SAY(cudaHostGetDevicePointer(&mapped, host, 0));
    SAY(cudaHostGetDevicePointer(&mapped, local, 0));
    SAY(cudaHostGetDevicePointer(&mapped, host, 1));
    SAY(cudaHostGetFlags(&flags, host));
    SAY(cudaHostGetFlags(&flags, local));
    SAY(cudaHostRegister(local, sizeof local, cudaHostRegisterDefault));
    SAY(cudaHostRegister(local, sizeof local, cudaHostRegisterDefault));
    SAY(cudaHostUnregister(local));
    SAY(cudaHostUnregister(local));
    SAY(cudaHostRegister(nullptr, 16, 0));
    int* late = nullptr;
    SAY(cudaHostAlloc(&late, 16, cudaHostAllocPortable));
    SAY(cudaFreeHost(late));
    SAY(cudaHostAlloc(&late, 16, 0x100));
    SAY(cudaMemcpyToSymbol(variable, local, sizeof variable));
    SAY(cudaMemcpyToSymbol(variable, local, 64));
    SAY(cudaMemcpyToSymbol(variable, local, 16, 16));
    SAY(cudaMemcpyToSymbol(variable, local, 16, 24));
    SAY(cudaMemcpyToSymbol(local, local, 16));
    SAY(cudaMemcpyFromSymbol(local, variable, 16));
    SAY(cudaMemcpyFromSymbol(local, constants, 16));
    SAY(cudaMemcpyFromSymbol(local, constants, 17));
    void* address = nullptr;
    size_t bytes = 0;
    SAY(cudaGetSymbolAddress(&address, variable));
    SAY(cudaGetSymbolAddress(&address, local));
    SAY(cudaGetSymbolSize(&bytes, variable));
    std::printf("%zu\n", bytes);
    SAY(cudaGetSymbolSize(&bytes, local));
    SAY(cudaMemAdvise(managed, 1024, cudaMemAdviseSetReadMostly, {cudaMemLocationTypeDevice, 0}));
    SAY(cudaMemPrefetchAsync(managed, 1024, {cudaMemLocationTypeDevice, 0}, 0, nullptr));
    SAY(cudaMemcpyPeer(a, 0, b, 0, 16));
    SAY(cudaMemcpyPeer(a, 1000, b, 0, 16));
    SAY(cudaFree(a));
    SAY(cudaFree(a));
    SAY(cudaFree(b + 1));
    SAY(cudaFree(b));
    SAY(cudaFree(nullptr));
    SAY(cudaFree(local));
    SAY(cudaFreeHost(host));
    SAY(cudaFreeHost(host));
    SAY(cudaFreeHost(nullptr));
    SAY(cudaFree(managed));
}

static void pools()
{
    cudaMemPool_t pool = nullptr;
    int* values = nullptr;
    unsigned long long threshold = 0;
    SAY(cudaDeviceGetDefaultMemPool(&pool, 0));
    SAY(cudaDeviceGetDefaultMemPool(nullptr, 0));
    SAY(cudaDeviceGetDefaultMemPool(&pool, 1000));
    SAY(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    std::printf("%llu\n", threshold);
    SAY(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    SAY(cudaMemPoolTrimTo(pool, 0));
    SAY(cudaMallocAsync(&values, 256, 0));
    SAY(cudaMemsetAsync(values, 0, 256));
    SAY(cudaFreeAsync(values, 0));
    SAY(cudaDeviceSynchronize());
    SAY(cudaMallocAsync((void**)nullptr, 256, 0));
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, 0};
    cudaMemPool_t own = nullptr;
    SAY(cudaMemPoolCreate(&own, &properties));
    SAY(cudaMallocFromPoolAsync(&values, 64, own, 0));
    SAY(cudaFreeAsync(values, 0));
    SAY(cudaDeviceSynchronize());
    SAY(cudaMemPoolDestroy(own));
    SAY(cudaMemPoolCreate(nullptr, &properties));
}

static void streams()
{
    cudaStream_t stream = nullptr, second = nullptr;
    cudaEvent_t event = nullptr, untimed = nullptr, unrecorded = nullptr;
    unsigned flags = 0;
    int priority = 0;
    float ms = 0;
    SAY(cudaStreamCreate(&stream));
    SAY(cudaStreamCreate(nullptr));
    SAY(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    cudaStream_t wrong = nullptr;
    SAY(cudaStreamCreateWithFlags(&wrong, 77));
    SAY(cudaStreamGetFlags(second, &flags));
    std::printf("%u\n", flags);
    SAY(cudaStreamGetFlags(nullptr, &flags));
    SAY(cudaStreamGetPriority(stream, &priority));
    SAY(cudaStreamGetPriority(stream, nullptr));
    SAY(cudaStreamQuery(stream));
    SAY(cudaStreamQuery(nullptr));
    SAY(cudaStreamSynchronize(stream));
    SAY(cudaStreamSynchronize(nullptr));
    SAY(cudaEventCreate(&event));
    SAY(cudaEventCreate(nullptr));
    SAY(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    cudaEvent_t bad = nullptr;
    SAY(cudaEventCreateWithFlags(&bad, 0x100));
    SAY(cudaEventCreateWithFlags(&bad, cudaEventInterprocess));
    SAY(cudaEventCreate(&unrecorded));
    SAY(cudaEventRecord(event, stream));
    SAY(cudaEventRecord(untimed, stream));
    SAY(cudaEventSynchronize(event));
    SAY(cudaEventQuery(event));
    SAY(cudaEventQuery(unrecorded));
    SAY(cudaEventElapsedTime(&ms, event, event));
    SAY(cudaEventElapsedTime(&ms, event, untimed));
    SAY(cudaEventElapsedTime(&ms, event, unrecorded));
    SAY(cudaEventElapsedTime(nullptr, event, event));
    SAY(cudaEventRecord(nullptr, stream));
    SAY(cudaEventSynchronize(nullptr));
    SAY(cudaEventDestroy(nullptr));
    SAY(cudaStreamWaitEvent(second, event, 0));
    SAY(cudaStreamWaitEvent(second, unrecorded, 0));
    SAY(cudaStreamWaitEvent(second, nullptr, 0));
    SAY(cudaLaunchHostFunc(stream, host_function, nullptr));
    SAY(cudaLaunchHostFunc(stream, nullptr, nullptr));
    SAY(cudaStreamAddCallback(stream, callback, nullptr, 0));
    SAY(cudaStreamAddCallback(stream, callback, nullptr, 1));
    SAY(cudaStreamAddCallback(stream, nullptr, nullptr, 0));
    cudaStreamCaptureStatus status;
    SAY(cudaStreamIsCapturing(stream, &status));
    SAY(cudaStreamIsCapturing(stream, nullptr));
    SAY(cudaEventDestroy(event));
    SAY(cudaEventDestroy(untimed));
    SAY(cudaEventDestroy(unrecorded));
    SAY(cudaStreamDestroy(stream));
    SAY(cudaStreamDestroy(second));
    SAY(cudaStreamDestroy(nullptr));
}

static void launches()
{
    int* values = nullptr;
    cudaMalloc(&values, 4096);
    SAY_LAUNCH(set_kernel<<<1, 32>>>(values, 32));
    SAY_LAUNCH(set_kernel<<<0, 32>>>(values, 32));
    SAY_LAUNCH(set_kernel<<<1, 0>>>(values, 32));
    SAY_LAUNCH(set_kernel<<<1, 1025>>>(values, 32));
    SAY_LAUNCH(set_kernel<<<dim3(1, 65536), 32>>>(values, 32));
    SAY_LAUNCH(set_kernel<<<1, dim3(1, 1, 65)>>>(values, 32));
    SAY_LAUNCH(set_kernel<<<1, 32, 49152>>>(values, 32));
    SAY_LAUNCH(set_kernel<<<1, 32, 49153>>>(values, 32));
    SAY_LAUNCH(set_kernel<<<1, 32, 1 << 20>>>(values, 32));
    SAY_LAUNCH(bounded_kernel<<<1, 64>>>(values));
    SAY_LAUNCH(bounded_kernel<<<1, 65>>>(values));
    void* arguments[] = {&values};
    SAY(cudaLaunchKernel((const void*)cooperative_kernel, dim3(1), dim3(1), arguments, 0, nullptr));
    SAY(cudaLaunchKernel((const void*)&values, dim3(1), dim3(1), arguments, 0, nullptr));
    SAY(cudaLaunchKernel(nullptr, dim3(1), dim3(1), arguments, 0, nullptr));
    SAY(cudaLaunchCooperativeKernel((const void*)cooperative_kernel, dim3(4), dim3(32), arguments, 0, nullptr));
    SAY(cudaLaunchCooperativeKernel((const void*)cooperative_kernel, dim3(1 << 20), dim3(32), arguments, 0, nullptr));
    cudaFuncAttributes attributes;
    SAY(cudaFuncGetAttributes(&attributes, set_kernel));
    std::printf("%d %zu\n", attributes.maxThreadsPerBlock, attributes.sharedSizeBytes);
    SAY(cudaFuncGetAttributes(&attributes, bounded_kernel));
    std::printf("%d\n", attributes.maxThreadsPerBlock);
    SAY(cudaFuncGetAttributes(nullptr, set_kernel));
    SAY(cudaFuncGetAttributes(&attributes, (const void*)&values));
    SAY(cudaFuncSetAttribute(set_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    SAY_LAUNCH(set_kernel<<<1, 32, 65536>>>(values, 32));
    SAY(cudaFuncSetAttribute(set_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
    SAY(cudaFuncSetAttribute(set_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    SAY(cudaFuncSetAttribute(set_kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    SAY(cudaFuncSetAttribute(set_kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
    SAY(cudaFuncSetAttribute(set_kernel, (cudaFuncAttribute)99, 1));
    SAY(cudaFuncSetCacheConfig(set_kernel, cudaFuncCachePreferL1));
    int blocks = 0;
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, set_kernel, 256, 0));
    std::printf("%d\n", blocks);
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, set_kernel, 1024, 0));
    std::printf("%d\n", blocks);
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, set_kernel, 2048, 0));
    std::printf("%d\n", blocks);
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, set_kernel, 256, 0));
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, set_kernel, 0, 0));
    SAY(cudaDeviceSynchronize());
    cudaFree(values);
}

static void arrays()
{
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    cudaArray_t array = nullptr;
    SAY(cudaMallocArray(&array, &channels, 16, 8));
    SAY(cudaMallocArray(nullptr, &channels, 16, 8));
    cudaArray_t other = nullptr;
    SAY(cudaMallocArray(&other, nullptr, 16, 8));
    SAY(cudaMallocArray(&other, &channels, 0, 8));
    std::vector<float> host(128);
    SAY(cudaMemcpy2DToArray(array, 0, 0, host.data(), 64, 64, 8, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(array, 0, 0, host.data(), 64, 64, 9, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(array, 4, 0, host.data(), 64, 64, 8, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DFromArray(host.data(), 64, array, 0, 0, 64, 8, cudaMemcpyDeviceToHost));
    cudaExtent extent;
    unsigned flags = 0;
    SAY(cudaArrayGetInfo(&channels, &extent, &flags, array));
    std::printf("%zu %zu %zu %u\n", extent.width, extent.height, extent.depth, flags);
    SAY(cudaGetChannelDesc(&channels, array));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description{};
    cudaTextureObject_t texture = 0;
    SAY(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    SAY(cudaCreateTextureObject(nullptr, &resource, &description, nullptr));
    SAY(cudaCreateTextureObject(&texture, nullptr, &description, nullptr));
    SAY(cudaGetTextureObjectResourceDesc(&resource, texture));
    SAY(cudaDestroyTextureObject(texture));
    cudaSurfaceObject_t surface = 0;
    SAY(cudaCreateSurfaceObject(&surface, &resource));
    SAY(cudaFreeArray(array));
    SAY(cudaFreeArray(nullptr));
}

static void graphs()
{
    int* values = nullptr;
    cudaMalloc(&values, 256);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    cudaGraphNode_t node = nullptr, second = nullptr;
    SAY(cudaGraphCreate(&graph, 0));
    SAY(cudaGraphCreate(&graph, 1));
    SAY(cudaGraphCreate(nullptr, 0));
    SAY(cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
    SAY(cudaGraphAddEmptyNode(nullptr, graph, nullptr, 0));
    cudaMemsetParams fill{};
    fill.dst = values;
    fill.elementSize = 4;
    fill.width = 64;
    fill.height = 1;
    SAY(cudaGraphAddMemsetNode(&second, graph, &node, 1, &fill));
    fill.elementSize = 3;
    cudaGraphNode_t third = nullptr;
    SAY(cudaGraphAddMemsetNode(&third, graph, nullptr, 0, &fill));
    size_t count = 0;
    SAY(cudaGraphGetNodes(graph, nullptr, &count));
    std::printf("%zu\n", count);
    SAY(cudaGraphGetRootNodes(graph, nullptr, &count));
    std::printf("%zu\n", count);
    SAY(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
    std::printf("%zu\n", count);
    cudaGraphNodeType type;
    SAY(cudaGraphNodeGetType(second, &type));
    std::printf("%d\n", type);
    SAY(cudaGraphAddDependencies(graph, &node, &second, nullptr, 1));
    SAY(cudaGraphInstantiate(&executable, graph, 0));
    SAY(cudaGraphLaunch(executable, stream));
    SAY(cudaStreamSynchronize(stream));
    SAY(cudaGraphLaunch(nullptr, stream));
    SAY(cudaGraphExecDestroy(executable));
    SAY(cudaGraphDestroy(graph));
    SAY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    SAY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    SAY(cudaMemsetAsync(values, 0, 16, stream));
    SAY(cudaStreamSynchronize(stream));
    cudaGraph_t captured = nullptr;
    SAY(cudaStreamEndCapture(stream, &captured));
    SAY(cudaStreamEndCapture(stream, &captured));
    SAY(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
    SAY(cudaStreamBeginCapture(stream, (cudaStreamCaptureMode)9));
    cudaStreamDestroy(stream);
    cudaFree(values);
}

// Stays close to the allocation: an address far past it may be in another memory space, which is a
// different error.
__global__ void wrong_address_kernel(int* values) { values[16] = 1; }

// Comes last, because the context does not survive it.
static void sticky()
{
    int* values = nullptr;
    cudaMalloc(&values, 64);
    int* nowhere = nullptr;
    SAY_LAUNCH(wrong_address_kernel<<<1, 1>>>(nowhere));
    SAY(cudaDeviceSynchronize());
    SAY(cudaDeviceSynchronize());
    SAY(cudaGetLastError());
    SAY(cudaPeekAtLastError());
    int* more = nullptr;
    SAY(cudaMalloc(&more, 64));
    SAY(cudaMemset(values, 0, 64));
    SAY_LAUNCH(set_kernel<<<1, 1>>>(values, 1));
    SAY(cudaFree(values));
    int device = 0;
    SAY(cudaGetDevice(&device));
    SAY(cudaGetDeviceCount(&device));
}

int main()
{
    devices();
    memory();
    pools();
    streams();
    launches();
    arrays();
    graphs();
    sticky();
    std::printf("%d calls\n", calls);
}
