// The runtime functions that the program calls, implemented on an older driver (see
// older_driver.h); otherwise each forwards to the runtime. The linker sends every call of NAME to
// `__wrap_NAME` and names the runtime's own function `__real_NAME`. Handles, flags and error
// numbers of both APIs agree, except where something is converted here.
#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include "compute/cuda/driver/libcuda.h"
#include "compute/cuda/driver/older_driver.h"

using lanescope::cuda::Libcuda;
using lanescope::cuda::libcuda;

// Declares the runtime's function and defines its replacement; `answer` receives the driver, with
// this thread's context current.
#define FUNCTION(name, parameters, arguments)                                                      \
    extern "C" cudaError_t __real_##name parameters;                                               \
    static cudaError_t name##_by_driver parameters;                                                \
    extern "C" cudaError_t __wrap_##name parameters                                                \
    {                                                                                              \
        if (!libcuda()) return __real_##name arguments;                                            \
        const cudaError_t entered = enter();                                                       \
        return entered == cudaSuccess ? name##_by_driver arguments : entered;                      \
    }                                                                                              \
    static cudaError_t name##_by_driver parameters

namespace {

const Libcuda& driver()
{
    return *libcuda();
}

cudaError_t status(CUresult result)
{
    return static_cast<cudaError_t>(result);
}

cudaError_t started()
{
    static const cudaError_t first = status(driver().cuInit(0));
    return first;
}

// Makes the device's primary context current: the one that a CUDA runtime in this process would
// use, too. Retained once per GPU and never released.
cudaError_t make_current(int ordinal)
{
    static std::mutex mutex;
    static std::vector<std::pair<int, CUcontext>> made;
    const std::lock_guard lock(mutex);
    const auto found = std::ranges::find(made, ordinal, &std::pair<int, CUcontext>::first);
    if (found != made.end()) return status(driver().cuCtxSetCurrent(found->second));
    CUcontext context = nullptr;
    if (const CUresult result = driver().cuDevicePrimaryCtxRetain(&context, ordinal))
        return status(result);
    made.emplace_back(ordinal, context);
    return status(driver().cuCtxSetCurrent(context));
}

// Every thread uses the first GPU until it selects another.
thread_local bool has_context = false;

cudaError_t choose(int ordinal)
{
    if (const cudaError_t failed = started()) return failed;
    const cudaError_t result = make_current(ordinal);
    has_context |= result == cudaSuccess;
    return result;
}

cudaError_t enter()
{
    return has_context ? cudaSuccess : choose(0);
}

CUdeviceptr address(const void* pointer)
{
    return reinterpret_cast<CUdeviceptr>(pointer);
}

CUarray array_of(cudaArray_const_t array)
{
    return reinterpret_cast<CUarray>(const_cast<cudaArray*>(array));
}

CUmipmappedArray levels_of(cudaMipmappedArray_const_t array)
{
    return reinterpret_cast<CUmipmappedArray>(const_cast<cudaMipmappedArray*>(array));
}

CUgraphicsResource* resources_of(cudaGraphicsResource_t* resources)
{
    return reinterpret_cast<CUgraphicsResource*>(resources);
}

bool is_device_memory(const void* pointer)
{
    CUmemorytype type{};
    return driver().cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                          address(pointer)) == CUDA_SUCCESS &&
           type == CU_MEMORYTYPE_DEVICE;
}

// The channel formats that the program uses: unsigned bytes, halves and floats.
CUDA_ARRAY3D_DESCRIPTOR described(const cudaChannelFormatDesc& channels, const cudaExtent& extent,
                                  unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR array{};
    array.Width = extent.width;
    array.Height = extent.height;
    array.Depth = extent.depth;
    array.Format = channels.f == cudaChannelFormatKindUnsigned ? CU_AD_FORMAT_UNSIGNED_INT8
                   : channels.x == 16                          ? CU_AD_FORMAT_HALF
                                                               : CU_AD_FORMAT_FLOAT;
    array.NumChannels = static_cast<unsigned>((channels.x > 0) + (channels.y > 0) +
                                              (channels.z > 0) + (channels.w > 0));
    array.Flags = flags;
    return array;
}

std::size_t bytes_of(CUarray_format format)
{
    return format == CU_AD_FORMAT_UNSIGNED_INT8 ? 1 : format == CU_AD_FORMAT_HALF ? 2 : 4;
}

// A loaded text and its kernels, in place of the runtime's library.
struct Kernel {
    std::string name;
    CUfunction function = nullptr;
};
struct Library {
    CUmodule module = nullptr;
    std::vector<std::unique_ptr<Kernel>> kernels;
};

Library* own(cudaLibrary_t library)
{
    return reinterpret_cast<Library*>(library);
}

const Kernel* own(const void* kernel)
{
    return static_cast<const Kernel*>(kernel);
}

cudaKernel_t handle_of(const std::unique_ptr<Kernel>& kernel)
{
    return reinterpret_cast<cudaKernel_t>(kernel.get());
}

// The words that follow ".entry". A word inside a comment names no function and is skipped later.
std::vector<std::string> entries(std::string_view text)
{
    constexpr std::string_view before = ".entry";
    std::vector<std::string> names;
    for (std::size_t at = text.find(before); at != std::string_view::npos;
         at = text.find(before, at + 1)) {
        std::string_view rest = text.substr(at + before.size());
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
        names.emplace_back(rest.substr(0, rest.find_first_of(" \t\r\n(){};,")));
    }
    return names;
}

using LaunchFunction = decltype(&cuLaunchCooperativeKernel);

cudaError_t launch(const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                   cudaStream_t stream, LaunchFunction function)
{
    const CUresult result =
        function(own(kernel)->function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                 static_cast<unsigned>(shared), stream, arguments);
    // The driver has no separate error for an invalid configuration.
    return result == CUDA_ERROR_INVALID_VALUE ? cudaErrorInvalidConfiguration : status(result);
}

} // namespace

// Devices.

extern "C" cudaError_t __real_cudaDriverGetVersion(int* version);
extern "C" cudaError_t __wrap_cudaDriverGetVersion(int* version)
{
    return libcuda() ? status(driver().cuDriverGetVersion(version))
                     : __real_cudaDriverGetVersion(version);
}

extern "C" cudaError_t __real_cudaGetDeviceCount(int* count);
extern "C" cudaError_t __wrap_cudaGetDeviceCount(int* count)
{
    if (!libcuda()) return __real_cudaGetDeviceCount(count);
    *count = 0;
    if (const cudaError_t failed = started()) return failed;
    const CUresult result = driver().cuDeviceGetCount(count);
    return result == CUDA_SUCCESS && *count == 0 ? cudaErrorNoDevice : status(result);
}

extern "C" cudaError_t __real_cudaSetDevice(int ordinal);
extern "C" cudaError_t __wrap_cudaSetDevice(int ordinal)
{
    return libcuda() ? choose(ordinal) : __real_cudaSetDevice(ordinal);
}

// Fills in the properties that the program reads.
extern "C" cudaError_t __real_cudaGetDeviceProperties(cudaDeviceProp* properties, int ordinal);
extern "C" cudaError_t __wrap_cudaGetDeviceProperties(cudaDeviceProp* properties, int ordinal)
{
    if (!libcuda()) return __real_cudaGetDeviceProperties(properties, ordinal);
    if (const cudaError_t failed = started()) return failed;
    *properties = {};
    CUresult result =
        driver().cuDeviceGetName(properties->name, sizeof properties->name - 1, ordinal);
    if (result == CUDA_SUCCESS)
        result = driver().cuDeviceTotalMem(&properties->totalGlobalMem, ordinal);
    const auto read = [&](auto& into, CUdevice_attribute attribute) {
        int value = 0;
        if (result == CUDA_SUCCESS)
            result = driver().cuDeviceGetAttribute(&value, attribute, ordinal);
        into = static_cast<std::remove_reference_t<decltype(into)>>(value);
    };
    read(properties->major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    read(properties->minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    read(properties->multiProcessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    read(properties->l2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    read(properties->warpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    read(properties->maxThreadsPerMultiProcessor,
         CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    read(properties->regsPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
    read(properties->sharedMemPerMultiprocessor,
         CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    read(properties->sharedMemPerBlockOptin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    return status(result);
}

// The driver has no last error: every call returns its own.
extern "C" cudaError_t __real_cudaGetLastError();
extern "C" cudaError_t __wrap_cudaGetLastError()
{
    return libcuda() ? cudaSuccess : __real_cudaGetLastError();
}

extern "C" cudaError_t
__real_cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version,
                                        unsigned long long flags,
                                        cudaDriverEntryPointQueryResult* found);
extern "C" cudaError_t
__wrap_cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version,
                                        unsigned long long flags,
                                        cudaDriverEntryPointQueryResult* found)
{
    if (!libcuda())
        return __real_cudaGetDriverEntryPointByVersion(symbol, function, version, flags, found);
    // The runtime would return the newest version of the function.
    *function = driver().find((std::string(symbol) + "_v2").c_str());
    if (!*function) *function = driver().find(symbol);
    return *function ? cudaSuccess : cudaErrorSymbolNotFound;
}

FUNCTION(cudaDeviceSetLimit, (cudaLimit limit, std::size_t value), (limit, value))
{
    return status(driver().cuCtxSetLimit(static_cast<CUlimit>(limit), value));
}

// Memory.

FUNCTION(cudaMalloc, (void** pointer, std::size_t bytes), (pointer, bytes))
{
    CUdeviceptr allocated = 0;
    const CUresult result = driver().cuMemAlloc(&allocated, bytes);
    *pointer = reinterpret_cast<void*>(allocated);
    return status(result);
}

FUNCTION(cudaFree, (void* pointer), (pointer))
{
    return status(driver().cuMemFree(address(pointer)));
}

FUNCTION(cudaMallocHost, (void** pointer, std::size_t bytes), (pointer, bytes))
{
    return status(driver().cuMemAllocHost(pointer, bytes));
}

FUNCTION(cudaFreeHost, (void* pointer), (pointer))
{
    return status(driver().cuMemFreeHost(pointer));
}

FUNCTION(cudaMemGetInfo, (std::size_t * free, std::size_t* all), (free, all))
{
    return status(driver().cuMemGetInfo(free, all));
}

FUNCTION(cudaMemcpyAsync,
         (void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream),
         (to, from, bytes, kind, stream))
{
    switch (kind) {
    case cudaMemcpyHostToDevice:
        return status(driver().cuMemcpyHtoDAsync(address(to), from, bytes, stream));
    case cudaMemcpyDeviceToHost:
        return status(driver().cuMemcpyDtoHAsync(to, address(from), bytes, stream));
    case cudaMemcpyDeviceToDevice:
        return status(driver().cuMemcpyDtoDAsync(address(to), address(from), bytes, stream));
    default: return cudaErrorInvalidMemcpyDirection;
    }
}

// Copies between an array and linear memory of host or device.
FUNCTION(cudaMemcpy3DAsync, (const cudaMemcpy3DParms* from, cudaStream_t stream), (from, stream))
{
    const bool reads_array = from->srcArray != nullptr;
    const CUarray array = array_of(reads_array ? from->srcArray : from->dstArray);
    const cudaPitchedPtr& linear = reads_array ? from->dstPtr : from->srcPtr;
    CUDA_ARRAY3D_DESCRIPTOR texels{};
    if (const CUresult result = driver().cuArray3DGetDescriptor(&texels, array))
        return status(result);
    const bool on_device = is_device_memory(linear.ptr);
    const CUmemorytype type = on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    CUDA_MEMCPY3D copy{};
    if (reads_array) {
        copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.srcArray = array;
        copy.dstMemoryType = type;
        if (on_device)
            copy.dstDevice = address(linear.ptr);
        else
            copy.dstHost = linear.ptr;
        copy.dstPitch = linear.pitch;
        copy.dstHeight = linear.ysize;
    } else {
        copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.dstArray = array;
        copy.srcMemoryType = type;
        if (on_device)
            copy.srcDevice = address(linear.ptr);
        else
            copy.srcHost = linear.ptr;
        copy.srcPitch = linear.pitch;
        copy.srcHeight = linear.ysize;
    }
    copy.WidthInBytes = from->extent.width * texels.NumChannels * bytes_of(texels.Format);
    copy.Height = from->extent.height;
    copy.Depth = from->extent.depth;
    return status(driver().cuMemcpy3DAsync(&copy, stream));
}

FUNCTION(cudaMemsetAsync, (void* to, int value, std::size_t bytes, cudaStream_t stream),
         (to, value, bytes, stream))
{
    return status(
        driver().cuMemsetD8Async(address(to), static_cast<unsigned char>(value), bytes, stream));
}

FUNCTION(cudaPointerGetAttributes, (cudaPointerAttributes * attributes, const void* pointer),
         (attributes, pointer))
{
    *attributes = {};
    CUmemorytype type{};
    const CUresult result =
        driver().cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address(pointer));
    attributes->type = result != CUDA_SUCCESS         ? cudaMemoryTypeUnregistered
                       : type == CU_MEMORYTYPE_DEVICE ? cudaMemoryTypeDevice
                                                      : cudaMemoryTypeHost;
    return cudaSuccess;
}

// Streams and events.

FUNCTION(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), (stream, flags))
{
    return status(driver().cuStreamCreate(stream, flags));
}

FUNCTION(cudaStreamDestroy, (cudaStream_t stream), (stream))
{
    return status(driver().cuStreamDestroy(stream));
}

FUNCTION(cudaStreamQuery, (cudaStream_t stream), (stream))
{
    return status(driver().cuStreamQuery(stream));
}

FUNCTION(cudaStreamSynchronize, (cudaStream_t stream), (stream))
{
    return status(driver().cuStreamSynchronize(stream));
}

FUNCTION(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
         (stream, event, flags))
{
    return status(driver().cuStreamWaitEvent(stream, event, flags));
}

// The following are called only if the driver has graphs (CudaDevice::has_graphs()).
FUNCTION(cudaStreamBeginCapture, (cudaStream_t stream, cudaStreamCaptureMode mode), (stream, mode))
{
    return status(driver().cuStreamBeginCapture(stream, static_cast<CUstreamCaptureMode>(mode)));
}

FUNCTION(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t* graph), (stream, graph))
{
    return status(driver().cuStreamEndCapture(stream, graph));
}

FUNCTION(cudaGraphInstantiate,
         (cudaGraphExec_t * executable, cudaGraph_t graph, unsigned long long flags),
         (executable, graph, flags))
{
    return status(driver().cuGraphInstantiateWithFlags(executable, graph, flags));
}

FUNCTION(cudaGraphLaunch, (cudaGraphExec_t executable, cudaStream_t stream), (executable, stream))
{
    return status(driver().cuGraphLaunch(executable, stream));
}

FUNCTION(cudaGraphExecDestroy, (cudaGraphExec_t executable), (executable))
{
    return status(driver().cuGraphExecDestroy(executable));
}

FUNCTION(cudaGraphDestroy, (cudaGraph_t graph), (graph))
{
    return status(driver().cuGraphDestroy(graph));
}

FUNCTION(cudaEventCreate, (cudaEvent_t * event), (event))
{
    return status(driver().cuEventCreate(event, CU_EVENT_DEFAULT));
}

FUNCTION(cudaEventDestroy, (cudaEvent_t event), (event))
{
    return status(driver().cuEventDestroy(event));
}

FUNCTION(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
{
    return status(driver().cuEventRecord(event, stream));
}

FUNCTION(cudaEventQuery, (cudaEvent_t event), (event))
{
    return status(driver().cuEventQuery(event));
}

FUNCTION(cudaEventSynchronize, (cudaEvent_t event), (event))
{
    return status(driver().cuEventSynchronize(event));
}

FUNCTION(cudaEventElapsedTime, (float* ms, cudaEvent_t begin, cudaEvent_t end), (ms, begin, end))
{
    return status(driver().cuEventElapsedTime(ms, begin, end));
}

// Images.

FUNCTION(cudaMalloc3DArray,
         (cudaArray_t * array, const cudaChannelFormatDesc* channels, cudaExtent extent,
          unsigned flags),
         (array, channels, extent, flags))
{
    const CUDA_ARRAY3D_DESCRIPTOR wanted = described(*channels, extent, flags);
    return status(driver().cuArray3DCreate(reinterpret_cast<CUarray*>(array), &wanted));
}

FUNCTION(cudaFreeArray, (cudaArray_t array), (array))
{
    return status(driver().cuArrayDestroy(array_of(array)));
}

FUNCTION(cudaMallocMipmappedArray,
         (cudaMipmappedArray_t * array, const cudaChannelFormatDesc* channels, cudaExtent extent,
          unsigned levels, unsigned flags),
         (array, channels, extent, levels, flags))
{
    const CUDA_ARRAY3D_DESCRIPTOR wanted = described(*channels, extent, flags);
    return status(driver().cuMipmappedArrayCreate(reinterpret_cast<CUmipmappedArray*>(array),
                                                  &wanted, levels));
}

FUNCTION(cudaFreeMipmappedArray, (cudaMipmappedArray_t array), (array))
{
    return status(driver().cuMipmappedArrayDestroy(levels_of(array)));
}

FUNCTION(cudaGetMipmappedArrayLevel,
         (cudaArray_t * array, cudaMipmappedArray_const_t levels, unsigned level),
         (array, levels, level))
{
    return status(driver().cuMipmappedArrayGetLevel(reinterpret_cast<CUarray*>(array),
                                                    levels_of(levels), level));
}

FUNCTION(cudaCreateSurfaceObject, (cudaSurfaceObject_t * surface, const cudaResourceDesc* resource),
         (surface, resource))
{
    CUDA_RESOURCE_DESC from{};
    from.resType = CU_RESOURCE_TYPE_ARRAY;
    from.res.array.hArray = array_of(resource->res.array.array);
    return status(driver().cuSurfObjectCreate(surface, &from));
}

FUNCTION(cudaDestroySurfaceObject, (cudaSurfaceObject_t surface), (surface))
{
    return status(driver().cuSurfObjectDestroy(surface));
}

FUNCTION(cudaCreateTextureObject,
         (cudaTextureObject_t * texture, const cudaResourceDesc* resource,
          const cudaTextureDesc* description, const cudaResourceViewDesc* view),
         (texture, resource, description, view))
{
    if (view) return cudaErrorNotSupported;
    CUDA_RESOURCE_DESC from{};
    CUarray texels = nullptr;
    if (resource->resType == cudaResourceTypeMipmappedArray) {
        from.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
        from.res.mipmap.hMipmappedArray = levels_of(resource->res.mipmap.mipmap);
        if (const CUresult result =
                driver().cuMipmappedArrayGetLevel(&texels, from.res.mipmap.hMipmappedArray, 0))
            return status(result);
    } else {
        from.resType = CU_RESOURCE_TYPE_ARRAY;
        texels = from.res.array.hArray = array_of(resource->res.array.array);
    }
    CUDA_ARRAY3D_DESCRIPTOR described{};
    if (const CUresult result = driver().cuArray3DGetDescriptor(&described, texels))
        return status(result);

    CUDA_TEXTURE_DESC wanted{};
    for (std::size_t i = 0; i < std::size(wanted.addressMode); ++i)
        wanted.addressMode[i] = static_cast<CUaddress_mode>(description->addressMode[i]);
    wanted.filterMode = static_cast<CUfilter_mode>(description->filterMode);
    const bool is_integer_format = described.Format == CU_AD_FORMAT_UNSIGNED_INT8;
    if (is_integer_format && description->readMode == cudaReadModeElementType)
        wanted.flags |= CU_TRSF_READ_AS_INTEGER;
    if (description->normalizedCoords) wanted.flags |= CU_TRSF_NORMALIZED_COORDINATES;
    wanted.mipmapFilterMode = static_cast<CUfilter_mode>(description->mipmapFilterMode);
    wanted.maxMipmapLevelClamp = description->maxMipmapLevelClamp;
    return status(driver().cuTexObjectCreate(texture, &from, &wanted, nullptr));
}

FUNCTION(cudaDestroyTextureObject, (cudaTextureObject_t texture), (texture))
{
    return status(driver().cuTexObjectDestroy(texture));
}

// Kernels.

FUNCTION(cudaLibraryLoadData,
         (cudaLibrary_t * library, const void* code, cudaJitOption* options, void** values,
          unsigned count, cudaLibraryOption* more, void** more_values, unsigned more_count),
         (library, code, options, values, count, more, more_values, more_count))
{
    if (more_count > 0 || more || more_values) return cudaErrorNotSupported;
    auto loaded = std::make_unique<Library>();
    std::vector<CUjit_option> same;
    for (unsigned i = 0; i < count; ++i) same.push_back(static_cast<CUjit_option>(options[i]));
    if (const CUresult result =
            driver().cuModuleLoadDataEx(&loaded->module, code, count, same.data(), values))
        return status(result);
    for (std::string& name : entries(static_cast<const char*>(code))) {
        CUfunction function = nullptr;
        if (driver().cuModuleGetFunction(&function, loaded->module, name.c_str()) == CUDA_SUCCESS)
            loaded->kernels.push_back(std::make_unique<Kernel>(Kernel{std::move(name), function}));
    }
    *library = reinterpret_cast<cudaLibrary_t>(loaded.release());
    return cudaSuccess;
}

FUNCTION(cudaLibraryUnload, (cudaLibrary_t library), (library))
{
    const std::unique_ptr<Library> unloaded(own(library));
    return unloaded ? status(driver().cuModuleUnload(unloaded->module)) : cudaSuccess;
}

FUNCTION(cudaLibraryGetKernelCount, (unsigned* count, cudaLibrary_t library), (count, library))
{
    *count = static_cast<unsigned>(own(library)->kernels.size());
    return cudaSuccess;
}

FUNCTION(cudaLibraryEnumerateKernels,
         (cudaKernel_t * kernels, unsigned max_kernels, cudaLibrary_t library),
         (kernels, max_kernels, library))
{
    for (const auto& kernel : own(library)->kernels)
        if (max_kernels-- > 0) *kernels++ = handle_of(kernel);
    return cudaSuccess;
}

FUNCTION(cudaLibraryGetKernel, (cudaKernel_t * found, cudaLibrary_t library, const char* name),
         (found, library, name))
{
    for (const auto& kernel : own(library)->kernels)
        if (kernel->name == name) {
            *found = handle_of(kernel);
            return cudaSuccess;
        }
    return cudaErrorSymbolNotFound;
}

FUNCTION(cudaLibraryGetGlobal,
         (void** pointer, std::size_t* bytes, cudaLibrary_t library, const char* name),
         (pointer, bytes, library, name))
{
    CUdeviceptr found = 0;
    const CUresult result = driver().cuModuleGetGlobal(&found, bytes, own(library)->module, name);
    *pointer = reinterpret_cast<void*>(found);
    return status(result);
}

FUNCTION(cudaFuncGetName, (const char** name, const void* kernel), (name, kernel))
{
    *name = own(kernel)->name.c_str();
    return cudaSuccess;
}

FUNCTION(cudaFuncGetParamInfo,
         (const void* kernel, std::size_t index, std::size_t* offset, std::size_t* bytes),
         (kernel, index, offset, bytes))
{
    if (!driver().cuFuncGetParamInfo) return cudaErrorNotSupported;
    return status(driver().cuFuncGetParamInfo(own(kernel)->function, index, offset, bytes));
}

// Fills in the attributes that the program reads.
FUNCTION(cudaFuncGetAttributes, (cudaFuncAttributes * attributes, const void* kernel),
         (attributes, kernel))
{
    *attributes = {};
    CUresult result = CUDA_SUCCESS;
    const auto read = [&](auto& into, CUfunction_attribute attribute) {
        int value = 0;
        if (result == CUDA_SUCCESS)
            result = driver().cuFuncGetAttribute(&value, attribute, own(kernel)->function);
        into = static_cast<std::remove_reference_t<decltype(into)>>(value);
    };
    read(attributes->numRegs, CU_FUNC_ATTRIBUTE_NUM_REGS);
    read(attributes->sharedSizeBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    read(attributes->localSizeBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    read(attributes->maxThreadsPerBlock, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    return status(result);
}

FUNCTION(cudaKernelSetAttributeForDevice,
         (cudaKernel_t kernel, cudaFuncAttribute attribute, int value, int ordinal),
         (kernel, attribute, value, ordinal))
{
    (void)ordinal; // the module belongs to one device
    return status(driver().cuFuncSetAttribute(own(kernel)->function,
                                              static_cast<CUfunction_attribute>(attribute), value));
}

FUNCTION(cudaLaunchKernel,
         (const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
          cudaStream_t stream),
         (kernel, grid, block, arguments, shared, stream))
{
    const auto plainly = [](CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                            unsigned by, unsigned bz, unsigned bytes, CUstream on, void** values) {
        return driver().cuLaunchKernel(function, gx, gy, gz, bx, by, bz, bytes, on, values,
                                       nullptr);
    };
    return launch(kernel, grid, block, arguments, shared, stream, plainly);
}

FUNCTION(cudaLaunchCooperativeKernel,
         (const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
          cudaStream_t stream),
         (kernel, grid, block, arguments, shared, stream))
{
    return launch(kernel, grid, block, arguments, shared, stream,
                  driver().cuLaunchCooperativeKernel);
}

// Memory shared with OpenGL.

FUNCTION(cudaGLGetDevices, (unsigned* count, int* ordinals, unsigned max_devices, int list),
         (count, ordinals, max_devices, list))
{
    if (!driver().get_gl_devices) return cudaErrorNotSupported;
    return status(driver().get_gl_devices(count, ordinals, max_devices, list));
}

FUNCTION(cudaGraphicsGLRegisterBuffer,
         (cudaGraphicsResource_t * resource, unsigned name, unsigned flags),
         (resource, name, flags))
{
    if (!driver().register_gl_buffer) return cudaErrorNotSupported;
    return status(driver().register_gl_buffer(resources_of(resource), name, flags));
}

FUNCTION(cudaGraphicsGLRegisterImage,
         (cudaGraphicsResource_t * resource, unsigned name, unsigned target, unsigned flags),
         (resource, name, target, flags))
{
    if (!driver().register_gl_image) return cudaErrorNotSupported;
    return status(driver().register_gl_image(resources_of(resource), name, target, flags));
}

FUNCTION(cudaGraphicsUnregisterResource, (cudaGraphicsResource_t resource), (resource))
{
    return status(
        driver().cuGraphicsUnregisterResource(reinterpret_cast<CUgraphicsResource>(resource)));
}

FUNCTION(cudaGraphicsMapResources,
         (int count, cudaGraphicsResource_t* resources, cudaStream_t stream),
         (count, resources, stream))
{
    return status(driver().cuGraphicsMapResources(static_cast<unsigned>(count),
                                                  resources_of(resources), stream));
}

FUNCTION(cudaGraphicsUnmapResources,
         (int count, cudaGraphicsResource_t* resources, cudaStream_t stream),
         (count, resources, stream))
{
    return status(driver().cuGraphicsUnmapResources(static_cast<unsigned>(count),
                                                    resources_of(resources), stream));
}

FUNCTION(cudaGraphicsResourceGetMappedPointer,
         (void** pointer, std::size_t* bytes, cudaGraphicsResource_t resource),
         (pointer, bytes, resource))
{
    CUdeviceptr mapped = 0;
    const CUresult result = driver().cuGraphicsResourceGetMappedPointer(
        &mapped, bytes, reinterpret_cast<CUgraphicsResource>(resource));
    *pointer = reinterpret_cast<void*>(mapped);
    return status(result);
}

FUNCTION(cudaGraphicsSubResourceGetMappedArray,
         (cudaArray_t * array, cudaGraphicsResource_t resource, unsigned index, unsigned level),
         (array, resource, index, level))
{
    return status(driver().cuGraphicsSubResourceGetMappedArray(
        reinterpret_cast<CUarray*>(array), reinterpret_cast<CUgraphicsResource>(resource), index,
        level));
}
