// Kernel launches by handle, and kernel attributes.
#include <algorithm>

#include "compute/runtime/driver/driver.h"
#include "compute/runtime/launches/clusters.h"

namespace lanescope::runtime {

namespace {

// Reads the `extra` list of cuLaunchKernel: names and values up to CU_LAUNCH_PARAM_END.
bool read_extra(void** extra, LaunchCall& call)
{
    const void* buffer = nullptr;
    const std::size_t* bytes = nullptr;
    for (void** at = extra; *at != CU_LAUNCH_PARAM_END; at += 2) {
        if (*at == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = at[1];
        else if (*at == CU_LAUNCH_PARAM_BUFFER_SIZE)
            bytes = static_cast<const std::size_t*>(at[1]);
        else
            return false;
    }
    if (buffer == nullptr || bytes == nullptr) return false;
    call.packed = {static_cast<const std::byte*>(buffer), *bytes};
    return true;
}

CUresult launch(const char* name, CUfunction handle, LaunchCall asked, void** extra)
{
    return driver(name, [&](Machine& machine) {
        Function* const function = function_of(machine, handle);
        if (function == nullptr) return cudaErrorInvalidResourceHandle;
        const Context& current = current_context();
        if (function->module->context != nullptr && function->module->context != &current)
            return cudaErrorInvalidResourceHandle;
        const Stream* const stream = machine.stream(asked.stream, this_thread().device);
        if (stream == nullptr || stream->in != &current) return cudaErrorInvalidResourceHandle;
        if (extra != nullptr && asked.arguments != nullptr) return cudaErrorInvalidValue;
        if (extra != nullptr && !read_extra(extra, asked)) return cudaErrorInvalidValue;
        asked.function = function;
        return runtime::launch(asked, name);
    });
}

// Runs `body` with a pointer that the runtime accepts as a kernel.
template <class Body>
CUresult with_function(const char* name, CUfunction handle, Body body, Needs needs = Needs::context)
{
    return driver(
        name,
        [&](Machine& machine) {
            Function* const function = function_of(machine, handle);
            return function == nullptr ? cudaErrorInvalidResourceHandle : body(machine, *function);
        },
        needs);
}

cudaError_t attribute_of(Machine& machine, Function& function, CUfunction_attribute wanted,
                         int* value)
{
    if (value == nullptr) return cudaErrorInvalidValue;
    const auto is = machine.kernel(function, this_thread().device).attributes();
    switch (wanted) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = is.max_threads_per_block; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = static_cast<int>(is.static_shared_bytes);
        break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = static_cast<int>(is.local_bytes); break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = is.registers; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = is.ptx_target; break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = simulated_gpu().capability(); break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = function.max_dynamic_shared_bytes;
        break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = function.carveout; break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET: *value = is.needs_cluster ? 1 : 0; break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
        *value = static_cast<int>(required_cluster(function, is).x);
        break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
        *value = static_cast<int>(required_cluster(function, is).y);
        break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        *value = static_cast<int>(required_cluster(function, is).z);
        break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        *value = function.large_clusters ? 1 : 0;
        break;
    default:
        if (wanted < 0 || wanted >= CU_FUNC_ATTRIBUTE_MAX) return cudaErrorInvalidValue;
        *value = 0;
    }
    return cudaSuccess;
}

// Searches as NVIDIA's cuda_occupancy.h does: the largest block size with maximum occupancy.
struct BlockSize {
    int blocks = 0, threads = 0;
};
BlockSize best_block_size(const device::Kernel& kernel, CUoccupancyB2DSize shared_of,
                          std::size_t shared_bytes, int limit)
{
    const int max_concurrent_threads =
        device_attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    const int max_threads = kernel.attributes().max_threads_per_block;
    limit = limit <= 0 ? max_threads : std::min(limit, max_threads);
    BlockSize best;
    int max_seen = 0;
    for (int aligned = (limit + 31) / 32 * 32; aligned > 0; aligned -= 32) {
        const int threads = std::min(aligned, limit);
        const std::size_t shared = shared_of == nullptr ? shared_bytes : shared_of(threads);
        const int blocks = blocks_per_multiprocessor(kernel, threads, shared);
        if (blocks * threads <= max_seen) continue;
        max_seen = blocks * threads;
        best = {blocks * simulated_gpu().multiprocessors, threads};
        if (max_seen == max_concurrent_threads) break;
    }
    return best;
}

} // namespace

} // namespace lanescope::runtime

using namespace lanescope::runtime;

extern "C" {

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void** arguments, void** extra)
{
    return launch(__func__, function,
                  {.grid = {grid_x, grid_y, grid_z},
                   .block = {block_x, block_y, block_z},
                   .arguments = arguments,
                   .shared_bytes = shared,
                   .stream = stream},
                  extra);
}
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared, CUstream stream,
                                   void** arguments)
{
    return launch(__func__, function,
                  {.grid = {grid_x, grid_y, grid_z},
                   .block = {block_x, block_y, block_z},
                   .arguments = arguments,
                   .shared_bytes = shared,
                   .stream = stream,
                   .cooperative = true},
                  nullptr);
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* is, CUfunction function, void** arguments,
                          void** extra)
{
    if (is == nullptr) return driver(__func__, [](Machine&) { return cudaErrorInvalidValue; });
    LaunchCall asked{.grid = {is->gridDimX, is->gridDimY, is->gridDimZ},
                     .block = {is->blockDimX, is->blockDimY, is->blockDimZ},
                     .arguments = arguments,
                     .shared_bytes = is->sharedMemBytes,
                     .stream = is->hStream};
    for (unsigned i = 0; i < is->numAttrs; ++i) {
        const CUlaunchAttribute& attribute = is->attrs[i];
        if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
            asked.cooperative = attribute.value.cooperative != 0;
        if (attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
            asked.dependent = attribute.value.programmaticStreamSerializationAllowed != 0;
        const auto& cluster = attribute.value.clusterDim;
        if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            asked.cluster = lanescope::Dim3{cluster.x, cluster.y, cluster.z};
    }
    return launch(__func__, function, asked, extra);
}

// --- Kernel attributes ---

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute wanted, CUfunction function)
{
    return with_function(__func__, function, [&](Machine& machine, Function& known) {
        return attribute_of(machine, known, wanted, value);
    });
}
// Only cuLaunchGrid would use the block, but PyCUDA sets it before cuLaunchKernel, too.
CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z)
{
    return with_function(__func__, function, [&](Machine&, Function&) {
        return x > 0 && y > 0 && z > 0 ? cudaSuccess : cudaErrorInvalidValue;
    });
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    return with_function(__func__, function, [&](Machine&, Function& known) {
        return cudaFuncSetAttribute(&known, static_cast<cudaFuncAttribute>(attribute), value);
    });
}
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
    return with_function(__func__, function, [&](Machine&, Function& known) {
        return cudaFuncSetCacheConfig(&known, static_cast<cudaFuncCache>(config));
    });
}
CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig)
{
    return with_function(__func__, function, [](Machine&, Function&) { return cudaSuccess; });
}
CUresult cuFuncGetModule(CUmodule* module, CUfunction function)
{
    return with_function(__func__, function, [&](Machine&, Function& known) {
        if (module == nullptr) return cudaErrorInvalidValue;
        *module = reinterpret_cast<CUmodule>(known.module);
        return cudaSuccess;
    });
}
CUresult cuFuncGetName(const char** name, CUfunction function)
{
    return with_function(__func__, function, [&](Machine&, Function& known) {
        if (name == nullptr) return cudaErrorInvalidValue;
        *name = known.symbol.c_str();
        return cudaSuccess;
    });
}
CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset,
                            std::size_t* bytes)
{
    return with_function(__func__, function, [&](Machine&, Function& known) {
        return cudaFuncGetParamInfo(&known, index, offset, bytes);
    });
}
CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function)
{
    return with_function(__func__, function, [&](Machine&, Function&) {
        if (state == nullptr) return cudaErrorInvalidValue;
        *state = CU_FUNCTION_LOADING_STATE_LOADED;
        return cudaSuccess;
    });
}
CUresult cuFuncLoad(CUfunction function)
{
    return with_function(__func__, function, [](Machine&, Function&) { return cudaSuccess; });
}
CUresult cuKernelGetAttribute(int* value, CUfunction_attribute wanted, CUkernel kernel, CUdevice)
{
    return with_function(
        __func__, reinterpret_cast<CUfunction>(kernel),
        [&](Machine& machine, Function& known) {
            return attribute_of(machine, known, wanted, value);
        },
        Needs::driver);
}
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice)
{
    return with_function(
        __func__, reinterpret_cast<CUfunction>(kernel),
        [&](Machine&, Function& known) {
            return cudaFuncSetAttribute(&known, static_cast<cudaFuncAttribute>(attribute), value);
        },
        Needs::driver);
}
CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice)
{
    return with_function(
        __func__, reinterpret_cast<CUfunction>(kernel),
        [&](Machine&, Function& known) {
            return cudaFuncSetCacheConfig(&known, static_cast<cudaFuncCache>(config));
        },
        Needs::driver);
}
CUresult cuKernelGetName(const char** name, CUkernel kernel)
{
    return cuFuncGetName(name, reinterpret_cast<CUfunction>(kernel));
}
CUresult cuKernelGetParamInfo(CUkernel kernel, std::size_t index, std::size_t* offset,
                              std::size_t* bytes)
{
    return cuFuncGetParamInfo(reinterpret_cast<CUfunction>(kernel), index, offset, bytes);
}

// --- Occupancy ---

namespace {

// The configuration as the runtime has it, with the cluster size as its only attribute.
struct RuntimeConfig {
    explicit RuntimeConfig(const CUlaunchConfig& from)
    {
        is.gridDim = {from.gridDimX, from.gridDimY, from.gridDimZ};
        is.blockDim = {from.blockDimX, from.blockDimY, from.blockDimZ};
        is.dynamicSmemBytes = from.sharedMemBytes;
        for (unsigned i = 0; i < from.numAttrs; ++i) {
            if (from.attrs[i].id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) continue;
            const auto& size = from.attrs[i].value.clusterDim;
            cluster.id = cudaLaunchAttributeClusterDimension;
            cluster.val.clusterDim.x = size.x;
            cluster.val.clusterDim.y = size.y;
            cluster.val.clusterDim.z = size.z;
            is.attrs = &cluster;
            is.numAttrs = 1;
        }
    }
    RuntimeConfig(const RuntimeConfig&) = delete;
    RuntimeConfig& operator=(const RuntimeConfig&) = delete;

    cudaLaunchAttribute cluster{};
    cudaLaunchConfig_t is{};
};

} // namespace

CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction function,
                                      const CUlaunchConfig* config)
{
    return with_function(__func__, function, [&](Machine&, Function& known) {
        if (config == nullptr) return cudaErrorInvalidValue;
        const RuntimeConfig asked(*config);
        return cudaOccupancyMaxActiveClusters(clusters, &known, &asked.is);
    });
}
CUresult cuOccupancyMaxPotentialClusterSize(int* size, CUfunction function,
                                            const CUlaunchConfig* config)
{
    return with_function(__func__, function, [&](Machine&, Function& known) {
        if (config == nullptr) return cudaErrorInvalidValue;
        const RuntimeConfig asked(*config);
        return cudaOccupancyMaxPotentialClusterSize(size, &known, &asked.is);
    });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function,
                                                              int threads, std::size_t shared,
                                                              unsigned flags)
{
    return with_function("cuOccupancyMaxActiveBlocksPerMultiprocessor", function,
                         [&](Machine&, Function& known) {
                             return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                                 blocks, &known, threads, shared, flags);
                         });
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                     std::size_t shared)
{
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared,
                                                                0);
}
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* blocks, int* threads, CUfunction function,
                                                   CUoccupancyB2DSize shared_of, std::size_t shared,
                                                   int limit, unsigned flags)
{
    return with_function(
        "cuOccupancyMaxPotentialBlockSize", function, [&](Machine& machine, Function& known) {
            if (blocks == nullptr || threads == nullptr || flags > 1) return cudaErrorInvalidValue;
            const BlockSize best = best_block_size(machine.kernel(known, this_thread().device),
                                                   shared_of, shared, limit);
            *blocks = best.blocks;
            *threads = best.threads;
            return cudaSuccess;
        });
}
CUresult cuOccupancyMaxPotentialBlockSize(int* blocks, int* threads, CUfunction function,
                                          CUoccupancyB2DSize shared_of, std::size_t shared,
                                          int limit)
{
    return cuOccupancyMaxPotentialBlockSizeWithFlags(blocks, threads, function, shared_of, shared,
                                                     limit, 0);
}
CUresult cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, CUfunction function,
                                                 int blocks, int threads)
{
    return with_function(__func__, function, [&](Machine&, Function& known) {
        return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, &known, blocks, threads);
    });
}

} // extern "C"
