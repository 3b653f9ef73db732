// The part of the API that only CUDA 12 has: names that CUDA 13 removed, and names with a different
// meaning there (names.txt). CUDA 12's headers map cudaGetDeviceProperties to
// cudaGetDeviceProperties_v2 and cudaStreamGetCaptureInfo to cudaStreamGetCaptureInfo_v2.
#include "compute/runtime/per_thread.h"
#include "compute/runtime/versions/device_properties.h"

using namespace lanescope::runtime;

namespace {

// CUDA 12's layout of cudaDeviceProp.
struct DeviceProperties {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned luidDeviceNodeMask;
    std::size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    std::size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    std::size_t totalConstMem;
    int major, minor;
    std::size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory,
        computeMode, maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2],
        maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3],
        maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3],
        maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2], maxSurface3D[3],
        maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap,
        maxSurfaceCubemapLayered[2];
    std::size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver,
        asyncEngineCount, unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize,
        persistingL2CacheMaxSize, maxThreadsPerMultiProcessor, streamPrioritiesSupported,
        globalL1CacheSupported, localL1CacheSupported;
    std::size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID,
        hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio, pageableMemoryAccess,
        concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem,
        cooperativeLaunch, cooperativeMultiDeviceLaunch;
    std::size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost,
        maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
    std::size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported,
        timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
    unsigned gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch,
        unifiedFunctionPointers, reserved[63];
};
static_assert(sizeof(DeviceProperties) == 1032);

// CUDA 12 identifies a location by a device number, which may be the host's.
cudaMemLocation location_of(int device)
{
    if (device == cudaCpuDeviceId) return {.type = cudaMemLocationTypeHost, .id = 0};
    return {.type = cudaMemLocationTypeDevice, .id = device};
}

} // namespace

extern "C" {

cudaError_t cudaGetDeviceProperties_v2(DeviceProperties* properties, int device)
{
    return device_properties(properties, device, [](DeviceProperties& is) {
        is.clockRate = device_attribute(13);
        is.deviceOverlap = device_attribute(15);
        is.kernelExecTimeoutEnabled = device_attribute(17);
        is.computeMode = device_attribute(20);
        is.memoryClockRate = device_attribute(36);
        is.singleToDoublePrecisionPerfRatio = device_attribute(87);
        is.cooperativeMultiDeviceLaunch = device_attribute(96);
    });
}

cudaError_t cudaRuntimeGetVersion(int* version)
{
    return call(Call::plain, __func__, [&](Machine&) {
        if (version == nullptr) return cudaErrorInvalidValue;
        *version = 12090;
        return cudaSuccess;
    });
}

// Conversions for devices without double precision, which CUDA no longer supports.
cudaError_t cudaSetDoubleForDevice(double*)
{
    return cudaSuccess;
}
cudaError_t cudaSetDoubleForHost(double*)
{
    return cudaSuccess;
}

// Same names, different parameters: CUDA 13's headers redirect them to these functions.
#undef cudaGraphAddDependencies
#undef cudaGraphAddNode
#undef cudaGraphGetEdges
#undef cudaGraphNodeGetDependencies
#undef cudaGraphNodeGetDependentNodes
#undef cudaGraphRemoveDependencies
#undef cudaMemAdvise
#undef cudaMemPrefetchAsync
#undef cudaStreamGetCaptureInfo

cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                          int device)
{
    return cudaMemAdvise_v2(pointer, bytes, advice, location_of(device));
}
cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int device,
                                 cudaStream_t stream)
{
    return cudaMemPrefetchAsync_v2(pointer, bytes, location_of(device), 0, stream);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, std::size_t count)
{
    return cudaGraphAddDependencies_v2(graph, from, to, nullptr, count);
}
cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                             const cudaGraphNode_t* before, std::size_t count,
                             cudaGraphNodeParams* parameters)
{
    return cudaGraphAddNode_v2(node, graph, before, nullptr, count, parameters);
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, std::size_t count)
{
    return cudaGraphRemoveDependencies_v2(graph, from, to, nullptr, count);
}
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              std::size_t* count)
{
    return cudaGraphGetEdges_v2(graph, from, to, nullptr, count);
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* before,
                                         std::size_t* count)
{
    return cudaGraphNodeGetDependencies_v2(node, before, nullptr, count);
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* after,
                                           std::size_t* count)
{
    return cudaGraphNodeGetDependentNodes_v2(node, after, nullptr, count);
}

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                        unsigned long long* id, cudaGraph_t* graph,
                                        const cudaGraphNode_t** before, std::size_t* count)
{
    return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, before, nullptr, count);
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id)
{
    return cudaStreamGetCaptureInfo_v3(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}

// Deprecated names of the functions for the current device.
cudaError_t cudaThreadExit()
{
    return cudaDeviceReset();
}
cudaError_t cudaThreadSynchronize()
{
    return cudaDeviceSynchronize();
}
cudaError_t cudaThreadSetLimit(cudaLimit limit, std::size_t value)
{
    return cudaDeviceSetLimit(limit, value);
}
cudaError_t cudaThreadGetLimit(std::size_t* value, cudaLimit limit)
{
    return cudaDeviceGetLimit(value, limit);
}
cudaError_t cudaThreadGetCacheConfig(cudaFuncCache* config)
{
    return cudaDeviceGetCacheConfig(config);
}
cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config)
{
    return cudaDeviceSetCacheConfig(config);
}
cudaError_t cudaEventElapsedTime_v2(float* ms, cudaEvent_t begin, cudaEvent_t end)
{
    return cudaEventElapsedTime(ms, begin, end);
}

} // extern "C"

#define PER_THREAD(name) ON_OWN_STREAM(name, _ptsz, name)
PER_THREAD(cudaMemPrefetchAsync)
PER_THREAD(cudaMemPrefetchAsync_v2)
PER_THREAD(cudaStreamGetCaptureInfo)
PER_THREAD(cudaStreamGetCaptureInfo_v2)
PER_THREAD(cudaStreamGetCaptureInfo_v3)
