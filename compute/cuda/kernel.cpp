// Loads modules and queues launches.
#include "compute/cuda/kernel.h"

#include <algorithm>

#include <fmt/format.h>

#include "compute/cuda/availability.h"
#include "compute/cuda/check.h"
#include "compute/cuda/cuda_device.h"
#include "compute/cuda/probed.h"
#include "compute/ptx/sites/grid_sync.h"

namespace lanescope::cuda {
namespace {

constexpr std::size_t shared_without_opt_in = 48 * 1024;

device::KernelAttributes kernel_attributes(cudaKernel_t kernel)
{
    cudaFuncAttributes from{};
    check(cudaFuncGetAttributes(&from, kernel));
    return {.registers = from.numRegs,
            .static_shared_bytes = from.sharedSizeBytes,
            .local_bytes = from.localSizeBytes,
            .max_threads_per_block = from.maxThreadsPerBlock};
}

std::vector<std::size_t> parsed_sizes(const ptx::Function& kernel)
{
    std::vector<std::size_t> sizes;
    for (const ptx::Variable& parameter : kernel.parameters)
        sizes.push_back(parameter.size_bytes());
    return sizes;
}

std::vector<std::size_t> driver_sizes(cudaKernel_t kernel)
{
    std::vector<std::size_t> sizes;
    for (std::size_t offset = 0, size = 0;; sizes.push_back(size))
        if (cudaFuncGetParamInfo(kernel, sizes.size(), &offset, &size) != cudaSuccess) break;
    cudaGetLastError();
    return sizes;
}

std::unique_ptr<Library> compile(std::string_view ptx, const std::string& parse_error)
{
    try {
        return std::make_unique<Library>(ptx);
    } catch (const device::LaunchError& error) {
        if (parse_error.empty()) throw;
        throw device::LaunchError(error.what(), parse_error);
    }
}

// Not shared: variables that contain addresses, which point into their own library, and strings
// ("$…"), which never change.
bool is_shared(const ptx::Variable& variable)
{
    const bool kept =
        variable.space == ptx::Space::global || variable.space == ptx::Space::constant;
    return kept && !variable.is_extern && variable.relocations.empty() &&
           !variable.name.starts_with('$');
}

} // namespace

NativeKernel::NativeKernel(cudaKernel_t handle, int ordinal, bool cooperative)
    : handle_(handle), ordinal_(ordinal), cooperative_(cooperative),
      attributes_(kernel_attributes(handle)),
      dynamic_shared_limit_(shared_without_opt_in -
                            std::min(shared_without_opt_in, attributes_.static_shared_bytes))
{
}

void NativeKernel::launch(const CudaDevice& device, const device::Launch& launch,
                          std::string_view name)
{
    if (launch.dynamic_shared_bytes > dynamic_shared_limit_) {
        device.check(cudaKernelSetAttributeForDevice(
            handle_, cudaFuncAttributeMaxDynamicSharedMemorySize,
            static_cast<int>(launch.dynamic_shared_bytes), ordinal_));
        dynamic_shared_limit_ = launch.dynamic_shared_bytes;
    }
    std::vector<void*> arguments;
    arguments.reserve(launch.arguments.size());
    for (const device::Argument& argument : launch.arguments)
        arguments.push_back(const_cast<std::byte*>(argument.bytes().data()));
    const auto start = [&](auto launch_function) {
        return launch_function(reinterpret_cast<const void*>(handle_),
                               dim3(launch.grid.x, launch.grid.y, launch.grid.z),
                               dim3(launch.block.x, launch.block.y, launch.block.z),
                               arguments.data(), launch.dynamic_shared_bytes,
                               static_cast<cudaStream_t>(device.stream()));
    };
    using Launch = cudaError_t (*)(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
    const cudaError_t status = cooperative_
                                   ? start(static_cast<Launch>(cudaLaunchCooperativeKernel))
                                   : start(static_cast<Launch>(cudaLaunchKernel));
    if (status == cudaErrorCooperativeLaunchTooLarge) {
        cudaGetLastError();
        throw device::LaunchError(
            fmt::format("The blocks of {} wait for each other, but {} blocks of {} threads do not "
                        "fit on the GPU at once.",
                        name, launch.grid.count(), launch.block.count()),
            "Launch fewer blocks.");
    }
    if (status == cudaErrorLaunchOutOfResources || status == cudaErrorInvalidConfiguration) {
        cudaGetLastError();
        throw device::LaunchError(fmt::format("The GPU cannot launch {} with {} threads per block: "
                                              "{}. It needs {} registers per thread.",
                                              name, launch.block.count(), describe(status),
                                              attributes_.registers),
                                  "Choose a smaller block.");
    }
    device.check(status);
    if (LaunchLog* const log = device.launch_log()) log->push_back(launch.trace != nullptr);
}

void CudaKernel::launch(CudaDevice& device, const device::Launch& launch) const
{
    if (!launch.trace || device.launch_log()) return native_.launch(device, launch, name_);
    module_.probed(name_, *launch.trace, device).launch(device, launch, module_);
    launch.trace->ask_assembler(module_.text(), name_);
}

CudaModule::~CudaModule() = default;

std::string_view CudaModule::text() const
{
    return parsed_ ? std::string_view(parsed_->text) : std::string_view();
}

CudaModule::CudaModule(std::string_view text, const CudaDevice& device)
{
    try {
        parsed_ = ptx::parse(text);
    } catch (const Error& error) {
        parse_error_ = error.what();
    }
    const device::Properties& gpu = device.properties();
    const int capability = gpu.compute_major * 10 + gpu.compute_minor;
    const std::string problem =
        parsed_ ? target_problem(parsed_->target, gpu.name, capability) : std::string();
    if (!problem.empty())
        throw device::LaunchError(problem,
                                  "Choose another variant, or --device simt, which needs no GPU.");
    library_ = compile(text, parse_error_);
    if (parsed_) {
        for (const ptx::Function& function : parsed_->functions)
            if (function.is_kernel && !function.is_declaration)
                kernels_.push_back(std::make_unique<CudaKernel>(
                    function.name, parsed_sizes(function),
                    NativeKernel(library_->kernel(function.name), device.ordinal(),
                                 ptx::waits_for_grid(*parsed_, function.name)),
                    *this));
        for (const ptx::Variable& variable : parsed_->variables)
            if (is_shared(variable)) shared_variables_.push_back(variable.name);
        return;
    }
    for (cudaKernel_t handle : library_->kernels()) {
        const char* name = nullptr;
        check(cudaFuncGetName(&name, handle));
        kernels_.push_back(std::make_unique<CudaKernel>(
            name, driver_sizes(handle), NativeKernel(handle, device.ordinal()), *this));
    }
}

const device::Kernel& CudaModule::kernel(std::string_view name) const
{
    std::string names;
    for (const auto& kernel : kernels_) {
        if (kernel->name() == name) return *kernel;
        names += fmt::format("{}{}", names.empty() ? "" : ", ", kernel->name());
    }
    throw Error(ExitStatus::no_such_thing, fmt::format("There is no kernel {} in this PTX.", name),
                names.empty() ? std::string("It contains none.")
                              : fmt::format("It contains {}.", names));
}

std::vector<std::string> CudaModule::kernel_names() const
{
    std::vector<std::string> names;
    for (const auto& kernel : kernels_) names.emplace_back(kernel->name());
    return names;
}

device::Variable CudaModule::variable(std::string_view name) const
{
    const auto found = library_->find_global(std::string(name));
    if (!found)
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("The driver found no variable {} in this PTX.", name),
                    "The compiler may omit a variable that no kernel uses.");
    return {reinterpret_cast<device::Address>(found->address), found->bytes};
}

void CudaModule::evict_other_requests(const ptx::ProbeOptions& newest, CudaDevice& device) const
{
    if (newest.request_site < 0) return;
    std::erase_if(probed_, [&](const auto& entry) {
        const auto& [key, build] = entry;
        if (!build || build->options().kernel != newest.kernel ||
            build->options().request_site < 0 ||
            build->options().request_site == newest.request_site)
            return false;
        device.synchronize(); // the old build may still be running
        return true;
    });
}

ProbedKernel& CudaModule::probed(std::string_view kernel, const trace::Trace& wanted,
                                 CudaDevice& device) const
{
    const ptx::ProbeOptions options = probe_options(kernel, wanted);
    evict_other_requests(options, device);
    std::unique_ptr<ProbedKernel>& made = probed_[fmt::format(
        "{} {} {} {} {} {} {}", options.kernel, options.footprint, options.footprint_element_bytes,
        options.footprint_of_surface, options.touches, options.request_site,
        trace::name(options.warp_scope))];
    if (made) return *made;
    const auto refuse = [&](std::string_view reason) {
        throw device::LaunchError(
            fmt::format("Kernel {} runs, but cannot be counted: {}", kernel, reason),
            "Run it without counting.");
    };
    if (!parsed_) refuse(parse_error_);
    try {
        made = std::make_unique<ProbedKernel>(*parsed_, options, device);
    } catch (const device::DeviceError&) {
        throw; // the device failed, not the kernel
    } catch (const Error& error) {
        refuse(error.what());
    }
    return *made;
}

} // namespace lanescope::cuda
