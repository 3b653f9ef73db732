// Kernel launches, and kernel attributes that can be queried or set.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "compute/counting/occupancy.h"
#include "compute/runtime/launches/clusters.h"
#include "compute/runtime/work.h"
#include "compute/simt/machine/memory/windows.h"
#include "compute/simt/machine/state/device_launches.h"

namespace lanescope::runtime {

int blocks_per_multiprocessor(const device::Kernel& kernel, int threads,
                              std::size_t dynamic_shared_bytes)
{
    const device::KernelAttributes attributes = kernel.attributes();
    if (threads <= 0) return 0;
    return counting::occupancy(
               simulated_gpu().limits(), threads, std::max(attributes.registers, 1),
               static_cast<int>(attributes.static_shared_bytes + dynamic_shared_bytes))
        .blocks;
}

namespace {

// Looks up a host function pointer or a kernel handle of this library.
Function* function_of(Machine& machine, const void* pointer)
{
    if (const auto found = machine.functions.find(pointer); found != machine.functions.end())
        return found->second;
    auto* const handle = static_cast<const Function*>(pointer);
    return machine.handles.contains(handle) ? const_cast<Function*>(handle) : nullptr;
}

// Reports a pointer that is not a kernel.
cudaError_t unknown(const void* pointer)
{
    return pointer == nullptr ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidResourceHandle;
}

// Splits a packed argument buffer by the kernel's parameter layout; false if bytes are missing.
bool take_packed(Machine& machine, const device::Kernel& kernel, const LaunchCall& asked,
                 LaunchRequest& request)
{
    simt::DeviceLaunch laid_out;
    laid_out.grid = asked.grid;
    laid_out.block = asked.block;
    laid_out.parameters.assign(asked.packed.begin(), asked.packed.end());
    std::size_t min_bytes = 0;
    for (const std::size_t bytes : kernel.parameter_sizes()) min_bytes += bytes;
    if (asked.packed.size() < min_bytes) return false;
    constexpr std::size_t padding = 256; // allowed after the last parameter of a buffer
    laid_out.parameters.resize(asked.packed.size() + padding);
    for (const device::Argument& argument :
         machine.simt().child_launch(kernel, laid_out).arguments) {
        const auto bytes = argument.bytes();
        request.arguments.emplace_back(bytes.begin(), bytes.end());
    }
    return true;
}

} // namespace

cudaError_t launch(const LaunchCall& asked, const char* name)
{
    return call(Call::queues, name, [&](Machine& machine) {
        Function* const function = function_of(machine, asked.function);
        if (function == nullptr) return unknown(asked.function);
        Stream* const stream = machine.stream(asked.stream, this_thread().device);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        LaunchRequest request;
        request.function = function;
        request.grid = asked.grid;
        request.block = asked.block;
        request.shared_bytes =
            static_cast<std::uint32_t>(std::min<std::size_t>(asked.shared_bytes, 0xffffffffu));
        request.cooperative = asked.cooperative;
        request.cluster = asked.cluster;
        request.dependent = asked.dependent;
        const auto& kernel = machine.kernel(*function, stream->device);
        if (asked.packed.data() != nullptr) {
            if (!take_packed(machine, kernel, asked, request)) return cudaErrorInvalidValue;
        } else {
            void** argument = asked.arguments;
            for (const std::size_t bytes : kernel.parameter_sizes()) {
                if (argument == nullptr || *argument == nullptr) return cudaErrorInvalidValue;
                const auto* from = static_cast<const std::byte*>(*argument++);
                request.arguments.emplace_back(from, from + bytes);
            }
        }
        return queue(machine, *stream, std::move(request), name);
    });
}

} // namespace lanescope::runtime

using namespace lanescope::runtime;
using lanescope::Dim3;

namespace {

Dim3 size_of(dim3 size)
{
    return {size.x, size.y, size.z};
}

// The last attribute that gives the cluster size.
std::optional<Dim3> cluster_in(const cudaLaunchConfig_t& config)
{
    std::optional<Dim3> found;
    for (unsigned i = 0; i < config.numAttrs; ++i) {
        const auto& cluster = config.attrs[i].val.clusterDim;
        if (config.attrs[i].id == cudaLaunchAttributeClusterDimension)
            found = Dim3{cluster.x, cluster.y, cluster.z};
    }
    return found;
}

cudaError_t launch(const void* pointer, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                   cudaStream_t stream, bool cooperative, const char* name)
{
    return lanescope::runtime::launch({.function = pointer,
                                       .grid = size_of(grid),
                                       .block = size_of(block),
                                       .arguments = arguments,
                                       .shared_bytes = shared,
                                       .stream = stream,
                                       .cooperative = cooperative},
                                      name);
}

template <class Body>
cudaError_t with_kernel(const char* name, const void* pointer, Body body)
{
    return call(Call::queues, name, [&](Machine& machine) {
        Function* const function = function_of(machine, pointer);
        if (function == nullptr) return unknown(pointer);
        return body(*function, machine.kernel(*function, this_thread().device));
    });
}

} // namespace

extern "C" {

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, CUstream_st* stream)
{
    this_thread().configurations.push_back({grid, block, shared, stream});
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream)
{
    auto& configurations = this_thread().configurations;
    if (configurations.empty()) return cudaErrorMissingConfiguration;
    const ThreadState::Configuration last = configurations.back();
    configurations.pop_back();
    *grid = last.grid;
    *block = last.block;
    *shared = last.shared;
    *static_cast<cudaStream_t*>(stream) = last.stream;
    return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host)
{
    return call(Call::plain, "cudaGetKernel", [&](Machine& machine) {
        Function* const function = function_of(machine, host);
        if (function == nullptr) return unknown(host);
        *kernel = reinterpret_cast<cudaKernel_t>(function);
        return cudaSuccess;
    });
}
cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* host)
{
    return kernel == nullptr
               ? call(Call::plain, __func__, [](Machine&) { return cudaErrorInvalidValue; })
               : __cudaGetKernel(kernel, host);
}
cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* symbol)
{
    return cudaGetKernel(reinterpret_cast<cudaKernel_t*>(function), symbol);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, cudaStream_t stream)
{
    return launch(kernel, grid, block, arguments, shared, stream, false, "cudaLaunchKernel");
}
cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared, cudaStream_t stream)
{
    return launch(function, grid, block, arguments, shared, stream, false, "cudaLaunchKernel");
}
cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, std::size_t shared, cudaStream_t stream)
{
    return launch(function, grid, block, arguments, shared, stream, true,
                  "cudaLaunchCooperativeKernel");
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments)
{
    if (config == nullptr)
        return call(Call::queues, __func__, [](Machine&) { return cudaErrorInvalidValue; });
    LaunchCall asked{.function = function,
                     .grid = size_of(config->gridDim),
                     .block = size_of(config->blockDim),
                     .arguments = arguments,
                     .shared_bytes = config->dynamicSmemBytes,
                     .stream = config->stream};
    for (unsigned i = 0; i < config->numAttrs; ++i) {
        const cudaLaunchAttribute& attribute = config->attrs[i];
        if (attribute.id == cudaLaunchAttributeCooperative)
            asked.cooperative = attribute.val.cooperative != 0;
        if (attribute.id == cudaLaunchAttributeProgrammaticStreamSerialization)
            asked.dependent = attribute.val.programmaticStreamSerializationAllowed != 0;
    }
    asked.cluster = cluster_in(*config);
    return lanescope::runtime::launch(asked, "cudaLaunchKernelEx");
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function)
{
    if (attributes == nullptr)
        return call(Call::queues, __func__, [](Machine&) { return cudaErrorInvalidValue; });
    return with_kernel(__func__, function,
                       [&](Function& known, const lanescope::device::Kernel& kernel) {
                           const auto is = kernel.attributes();
                           *attributes = {};
                           attributes->sharedSizeBytes = is.static_shared_bytes;
                           attributes->localSizeBytes = is.local_bytes;
                           attributes->maxThreadsPerBlock = is.max_threads_per_block;
                           attributes->numRegs = is.registers;
                           attributes->ptxVersion = is.ptx_target;
                           attributes->binaryVersion = simulated_gpu().capability();
                           attributes->maxDynamicSharedSizeBytes = known.max_dynamic_shared_bytes;
                           attributes->preferredShmemCarveout = known.carveout;
                           const Dim3 cluster = required_cluster(known, is);
                           attributes->clusterDimMustBeSet = is.needs_cluster ? 1 : 0;
                           attributes->requiredClusterWidth = static_cast<int>(cluster.x);
                           attributes->requiredClusterHeight = static_cast<int>(cluster.y);
                           attributes->requiredClusterDepth = static_cast<int>(cluster.z);
                           attributes->nonPortableClusterSizeAllowed = known.large_clusters ? 1 : 0;
                           return cudaSuccess;
                       });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value)
{
    return with_kernel(
        __func__, function, [&](Function& known, const lanescope::device::Kernel& kernel) {
            switch (attribute) {
            case cudaFuncAttributeMaxDynamicSharedMemorySize: {
                const int max_shared_bytes = simulated_gpu().limits().shared_bytes_per_block;
                const int fixed = static_cast<int>(kernel.attributes().static_shared_bytes);
                if (value < 0 || value > max_shared_bytes - fixed) return cudaErrorInvalidValue;
                known.max_dynamic_shared_bytes = value;
                return cudaSuccess;
            }
            case cudaFuncAttributePreferredSharedMemoryCarveout:
                if (value < -1 || value > 100) return cudaErrorInvalidValue;
                known.carveout = value;
                return cudaSuccess;
            case cudaFuncAttributeNonPortableClusterSizeAllowed:
                known.large_clusters = value != 0;
                return cudaSuccess;
            case cudaFuncAttributeRequiredClusterWidth:
            case cudaFuncAttributeRequiredClusterHeight:
            case cudaFuncAttributeRequiredClusterDepth:
                return require_cluster(known, kernel.attributes(), attribute, value);
            case cudaFuncAttributeClusterSchedulingPolicyPreference: return cudaSuccess;
            default: return cudaErrorInvalidValue;
            }
        });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache config)
{
    return with_kernel(__func__, function, [&](Function&, const lanescope::device::Kernel&) {
        return config >= cudaFuncCachePreferNone && config <= cudaFuncCachePreferEqual
                   ? cudaSuccess
                   : cudaErrorInvalidValue;
    });
}
cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig)
{
    return with_kernel(__func__, function,
                       [](Function&, const lanescope::device::Kernel&) { return cudaSuccess; });
}

cudaError_t cudaFuncGetName(const char** name, const void* function)
{
    return with_kernel(__func__, function, [&](Function& known, const lanescope::device::Kernel&) {
        if (name == nullptr) return cudaErrorInvalidValue;
        *name = known.symbol.c_str();
        return cudaSuccess;
    });
}

cudaError_t cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset,
                                 std::size_t* bytes)
{
    return with_kernel(__func__, function, [&](Function&, const lanescope::device::Kernel& kernel) {
        const auto sizes = kernel.parameter_sizes();
        if (offset == nullptr || index >= sizes.size()) return cudaErrorInvalidValue;
        std::size_t at = 0;
        for (std::size_t i = 0; i <= index; ++i) {
            const std::size_t alignment = sizes[i] % 8 == 0   ? 8
                                          : sizes[i] % 4 == 0 ? 4
                                          : sizes[i] % 2 == 0 ? 2
                                                              : 1;
            at = (at + alignment - 1) / alignment * alignment;
            if (i < index) at += sizes[i];
        }
        *offset = at;
        if (bytes != nullptr) *bytes = sizes[index];
        return cudaSuccess;
    });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                   const void* function,
                                                                   int threads, std::size_t shared,
                                                                   unsigned flags)
{
    return with_kernel("cudaOccupancyMaxActiveBlocksPerMultiprocessor", function,
                       [&](Function&, const lanescope::device::Kernel& kernel) {
                           if (blocks == nullptr || threads <= 0 || flags > 1)
                               return cudaErrorInvalidValue;
                           *blocks = threads > kernel.attributes().max_threads_per_block
                                         ? 0
                                         : blocks_per_multiprocessor(kernel, threads, shared);
                           return cudaSuccess;
                       });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int threads, std::size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared,
                                                                  0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function,
                                                      int blocks, int threads)
{
    return with_kernel(__func__, function, [&](Function&, const lanescope::device::Kernel& kernel) {
        if (bytes == nullptr || blocks <= 0 || threads <= 0) return cudaErrorInvalidValue;
        constexpr std::size_t step = 128;
        std::size_t fitting_bytes = 0;
        const auto max_bytes =
            static_cast<std::size_t>(simulated_gpu().limits().shared_bytes_per_block);
        for (std::size_t some = 0; some <= max_bytes; some += step)
            if (blocks_per_multiprocessor(kernel, threads, some) >= blocks) fitting_bytes = some;
        *bytes = fitting_bytes;
        return cudaSuccess;
    });
}

// Clusters that can run at the same time. A GPU places a cluster within one of its processing
// clusters, here of 16 multiprocessors each, as on an H100.
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                           const cudaLaunchConfig_t* config)
{
    return with_kernel(
        __func__, function, [&](Function& known, const lanescope::device::Kernel& kernel) {
            if (clusters == nullptr || config == nullptr) return cudaErrorInvalidValue;
            LaunchRequest request;
            request.grid = size_of(config->gridDim);
            request.cluster = cluster_in(*config);
            const auto is = kernel.attributes();
            if (!cluster_problem(known, is, request).empty()) return cudaErrorInvalidClusterSize;
            const int at_once = blocks_per_multiprocessor(
                kernel, static_cast<int>(size_of(config->blockDim).count()),
                config->dynamicSmemBytes);
            const int size = static_cast<int>(cluster_of(known, is, request).count());
            const int multiprocessors = simulated_gpu().multiprocessors;
            constexpr int together = static_cast<int>(lanescope::simt::max_cluster_blocks);
            *clusters = multiprocessors / together * (together * at_once / size) +
                        multiprocessors % together * at_once / size;
            return cudaSuccess;
        });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* function,
                                                 const cudaLaunchConfig_t* config)
{
    return with_kernel(
        __func__, function, [&](Function& known, const lanescope::device::Kernel& kernel) {
            if (size == nullptr || config == nullptr) return cudaErrorInvalidValue;
            const int at_once = blocks_per_multiprocessor(
                kernel, static_cast<int>(size_of(config->blockDim).count()),
                config->dynamicSmemBytes);
            *size = at_once > 0
                        ? static_cast<int>(max_blocks_per_cluster(known, kernel.attributes()))
                        : 0;
            return cudaSuccess;
        });
}

} // extern "C"
