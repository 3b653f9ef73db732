// The replacements are C++ overloads and a derived struct, so that code for CUDA 13 still works in
// the same file.
#include "app/run/program/older_cuda.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace lanescope::app {

namespace {

struct Change {
    std::string_view sign; // text in the compiler's messages
    std::string_view what; // completes "CUDA 13 "
};
constexpr std::array<Change, 18> changes{{
    {"cudaThreadSynchronize", "removed cudaThreadSynchronize: call cudaDeviceSynchronize"},
    {"cudaThreadExit", "removed cudaThreadExit: call cudaDeviceReset"},
    {"cudaThreadSetLimit", "removed cudaThreadSetLimit: call cudaDeviceSetLimit"},
    {"cudaThreadGetLimit", "removed cudaThreadGetLimit: call cudaDeviceGetLimit"},
    {"cudaThreadSetCacheConfig", "removed cudaThreadSetCacheConfig: call cudaDeviceSetCacheConfig"},
    {"cudaThreadGetCacheConfig", "removed cudaThreadGetCacheConfig: call cudaDeviceGetCacheConfig"},
    {"cudaMemPrefetchAsync", "gave cudaMemPrefetchAsync a cudaMemLocation in place of a device"},
    {"cudaMemAdvise", "gave cudaMemAdvise a cudaMemLocation in place of a device"},
    {"cuCtxCreate", "gave cuCtxCreate a second parameter, CUctxCreateParams"},
    {"\"clockRate\"", "removed cudaDeviceProp::clockRate: ask for cudaDevAttrClockRate"},
    {"\"memoryClockRate\"",
     "removed cudaDeviceProp::memoryClockRate: ask for cudaDevAttrMemoryClockRate"},
    {"\"deviceOverlap\"", "removed cudaDeviceProp::deviceOverlap: use asyncEngineCount"},
    {"\"kernelExecTimeoutEnabled\"", "removed cudaDeviceProp::kernelExecTimeoutEnabled: ask for "
                                     "cudaDevAttrKernelExecTimeout"},
    {"\"computeMode\"", "removed cudaDeviceProp::computeMode: ask for cudaDevAttrComputeMode"},
    {"\"maxTexture1DLinear\"", "removed cudaDeviceProp::maxTexture1DLinear: call "
                               "cudaDeviceGetTexture1DLinearMaxWidth"},
    {"\"singleToDoublePrecisionPerfRatio\"",
     "removed cudaDeviceProp::singleToDoublePrecisionPerfRatio: ask for "
     "cudaDevAttrSingleToDoublePrecisionPerfRatio"},
    {"\"cooperativeMultiDeviceLaunch\"", "removed cudaDeviceProp::cooperativeMultiDeviceLaunch"},
    // g++ prints names in other quotes.
    {"has no member named", "removed fields of cudaDeviceProp"},
}};

constexpr std::string_view header = R"(
#pragma once
#if defined(__cplusplus)
#include <cuda_runtime.h>
#if CUDART_VERSION >= 13000
struct cudaDeviceProp_before_13 : cudaDeviceProp
{
    int clockRate, deviceOverlap, kernelExecTimeoutEnabled, computeMode, maxTexture1DLinear,
        memoryClockRate, singleToDoublePrecisionPerfRatio, cooperativeMultiDeviceLaunch;
};
static inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp_before_13* properties, int device)
{
    const cudaError_t error =
        cudaGetDeviceProperties(static_cast<cudaDeviceProp*>(properties), device);
    if (error != cudaSuccess) return error;
    cudaDeviceGetAttribute(&properties->clockRate, cudaDevAttrClockRate, device);
    cudaDeviceGetAttribute(&properties->deviceOverlap, cudaDevAttrGpuOverlap, device);
    cudaDeviceGetAttribute(&properties->kernelExecTimeoutEnabled, cudaDevAttrKernelExecTimeout,
                           device);
    cudaDeviceGetAttribute(&properties->computeMode, cudaDevAttrComputeMode, device);
    properties->maxTexture1DLinear = 1 << 28;
    cudaDeviceGetAttribute(&properties->memoryClockRate, cudaDevAttrMemoryClockRate, device);
    cudaDeviceGetAttribute(&properties->singleToDoublePrecisionPerfRatio,
                           cudaDevAttrSingleToDoublePrecisionPerfRatio, device);
    properties->cooperativeMultiDeviceLaunch = 0;
    return cudaSuccess;
}
#define cudaDeviceProp cudaDeviceProp_before_13
static inline cudaMemLocation cudaLocation_before_13(int device)
{
    cudaMemLocation location = {};
    location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    location.id = device == cudaCpuDeviceId ? 0 : device;
    return location;
}
static inline cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice,
                                        int device)
{
    return cudaMemAdvise(pointer, bytes, advice, cudaLocation_before_13(device));
}
static inline cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, int device,
                                               cudaStream_t stream = 0)
{
    return cudaMemPrefetchAsync(pointer, bytes, cudaLocation_before_13(device), 0, stream);
}
static inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
static inline cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
static inline cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value)
{
    return cudaDeviceSetLimit(limit, value);
}
static inline cudaError_t cudaThreadGetLimit(size_t* value, cudaLimit limit)
{
    return cudaDeviceGetLimit(value, limit);
}
static inline cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config)
{
    return cudaDeviceSetCacheConfig(config);
}
static inline cudaError_t cudaThreadGetCacheConfig(cudaFuncCache* config)
{
    return cudaDeviceGetCacheConfig(config);
}
#include <cuda.h>
static inline CUresult cuCtxCreate_v4(CUcontext* context, unsigned flags, CUdevice device)
{
    return cuCtxCreate_v4(context, nullptr, flags, device);
}
#endif
#endif
)";

} // namespace

std::string_view older_cuda_header()
{
    return header;
}

std::vector<std::string> older_cuda_names(std::string_view compiler_output)
{
    std::vector<std::string> names;
    for (const Change& change : changes)
        if (compiler_output.find(change.sign) != compiler_output.npos)
            names.push_back(fmt::format("CUDA 13 {}.", change.what));
    return names;
}

} // namespace lanescope::app
