// Kernel launches, and kernel attributes that can be queried or set.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "compute/counting/occupancy.h"
#include "compute/runtime/work.h"
#include "compute/simt/machine/device_launches.h"

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
    bool cooperative = false;
    for (unsigned i = 0; i < config->numAttrs; ++i) {
        const cudaLaunchAttribute& attribute = config->attrs[i];
        if (attribute.id == cudaLaunchAttributeCooperative)
            cooperative = attribute.val.cooperative != 0;
        const auto& cluster = attribute.val.clusterDim;
        if (attribute.id == cudaLaunchAttributeClusterDimension &&
            cluster.x * cluster.y * cluster.z > 1)
            return call(Call::queues, __func__, [](Machine&) {
                Report::instance().missing("clusters",
                                           "Kernels in clusters of several blocks do not run "
                                           "on the lockstep machine: launch them without clusters.",
                                           true);
                return cudaErrorNotSupported;
            });
    }
    return launch(function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                  config->stream, cooperative, "cudaLaunchKernelEx");
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

} // extern "C"
