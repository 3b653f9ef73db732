// Loads PTX. The driver compiles lazily, so every kernel's attributes are queried at once: errors
// in the text show up here, not at the first launch.
#include "compute/cuda/library.h"

#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "compute/cuda/assembler_level.h"
#include "compute/cuda/check.h"
#include "compute/cuda/device_linker.h"
#include "compute/ptx/text/version.h"

namespace lanescope::cuda {
namespace {

constexpr std::size_t log_bytes = 16384;

// Numeric options are passed in place of a pointer.
void* number(std::size_t value)
{
    return reinterpret_cast<void*>(value);
}

[[noreturn]] void refuse(cudaError_t status, const std::vector<char>& log)
{
    cudaGetLastError();
    const std::string text(log.data());
    switch (status) {
    case cudaErrorUnsupportedPtxVersion:
        throw device::LaunchError("The PTX is newer than this driver understands.",
                                  "Update the NVIDIA driver, or compile with an older toolkit.");
    case cudaErrorNoKernelImageForDevice:
        throw device::LaunchError(
            "The PTX is for a newer GPU than this one.",
            "Compile it for this GPU's architecture or an older one (-arch=compute_75).");
    case cudaErrorInvalidPtx:
        throw device::LaunchError(fmt::format("The driver could not compile this PTX: {}",
                                              text.empty() ? describe(status) : text),
                                  "Line numbers refer to the PTX text.");
    default: throw CudaError(status, std::source_location::current());
    }
}

// Compiles with the driver's older API, which compiles eagerly, to get the compiler's log.
cudaError_t compile_now(const std::string& text, std::vector<char>& log)
{
    using Load = int (*)(void**, const void*, unsigned, const int*, void**);
    void* load = nullptr;
    cudaDriverEntryPointQueryResult found{};
    check(cudaGetDriverEntryPointByVersion("cuModuleLoadDataEx", &load, 12000, cudaEnableDefault,
                                           &found));
    const std::array<int, 2> options{5, 6}; // CU_JIT_ERROR_LOG_BUFFER and its size
    std::array<void*, 2> values{log.data(), number(log.size() - 1)};
    void* module = nullptr;
    const int result =
        reinterpret_cast<Load>(load)(&module, text.c_str(), static_cast<unsigned>(options.size()),
                                     options.data(), values.data());
    return result == 0 ? cudaErrorSymbolNotFound : static_cast<cudaError_t>(result);
}

} // namespace

// Compilers state their own PTX version, which an older driver refuses, although the instructions
// usually need only an earlier one.
Library::Library(std::string_view ptx, int max_registers)
    : text_(ptx::at_lowest_version(ptx)), log_(log_bytes, '\0')
{
    std::vector<cudaJitOption> options{cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes};
    std::vector<void*> values{log_.data(), number(log_bytes - 1)};
    if (max_registers > 0) {
        options.push_back(cudaJitMaxRegisters);
        values.push_back(number(static_cast<std::size_t>(max_registers)));
    }
    if (const int level = chosen_assembler_level(); level >= 0) {
        options.push_back(cudaJitOptimizationLevel);
        values.push_back(number(static_cast<std::size_t>(level)));
    }
    const bool linked = needs_device_runtime(text_);
    if (linked) code_ = link_with_device_runtime(text_, max_registers);
    cudaError_t status = cudaLibraryLoadData(
        &library_, linked ? code_.data() : text_.c_str(), options.data(), values.data(),
        static_cast<unsigned>(options.size()), nullptr, nullptr, 0);
    if (status != cudaSuccess) refuse(status, log_);

    unsigned count = 0;
    status = cudaLibraryGetKernelCount(&count, library_);
    std::vector<cudaKernel_t> all(count);
    if (status == cudaSuccess && count > 0)
        status = cudaLibraryEnumerateKernels(all.data(), count, library_);
    for (std::size_t i = 0; i < all.size() && status == cudaSuccess; ++i) {
        cudaFuncAttributes attributes{};
        status = cudaFuncGetAttributes(&attributes, all[i]);
    }
    // A text that does not compile may still load, as a library without kernels.
    const bool lost_kernels = !linked && all.empty() && text_.find(".entry") != std::string::npos;
    if (status == cudaSuccess && lost_kernels) status = compile_now(text_, log_);
    if (status != cudaSuccess) {
        cudaLibraryUnload(library_);
        refuse(status, log_);
    }
}

Library::~Library()
{
    cudaLibraryUnload(library_);
}

std::vector<cudaKernel_t> Library::kernels() const
{
    unsigned count = 0;
    check(cudaLibraryGetKernelCount(&count, library_));
    std::vector<cudaKernel_t> all(count);
    if (count > 0) check(cudaLibraryEnumerateKernels(all.data(), count, library_));
    return all;
}

cudaKernel_t Library::kernel(const std::string& name) const
{
    cudaKernel_t kernel = nullptr;
    check(cudaLibraryGetKernel(&kernel, library_, name.c_str()));
    return kernel;
}

std::optional<Library::Global> Library::find_global(const std::string& name) const
{
    Global found;
    const cudaError_t status =
        cudaLibraryGetGlobal(&found.address, &found.bytes, library_, name.c_str());
    if (status == cudaSuccess) return found;
    cudaGetLastError();
    if (status == cudaErrorSymbolNotFound) return {};
    throw CudaError(status, std::source_location::current());
}

} // namespace lanescope::cuda
