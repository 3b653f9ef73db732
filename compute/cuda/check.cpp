// Names and messages of CUDA errors, with suggested fixes.
#include "compute/cuda/check.h"

#include <fmt/format.h>

namespace lanescope::cuda {
namespace {

std::string cure_for(cudaError_t code)
{
    switch (code) {
    case cudaErrorMemoryAllocation:
        return "Choose a smaller size, or close other programs that use this GPU (nvidia-smi lists "
               "them).";
    case cudaErrorInsufficientDriver:
        return "Install a newer NVIDIA driver, or run with --device simt.";
    case cudaErrorDevicesUnavailable:
        return "Another program holds the GPU exclusively: close it, or run with --device simt.";
    case cudaErrorJitCompilerNotFound:
        return "The driver's PTX compiler (libnvidia-ptxjitcompiler) is missing: install the whole "
               "driver.";
    case cudaErrorInvalidGraphicsContext:
    case cudaErrorOperatingSystem:
        return "OpenGL and CUDA cannot share memory here: `lanescope doctor` explains why.";
    default: return "`lanescope doctor` shows the state of the GPU; --device simt needs none.";
    }
}

std::string_view file_name(std::string_view path)
{
    const std::size_t slash = path.find_last_of('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

} // namespace

std::string describe(cudaError_t code)
{
    return fmt::format("{} ({})", cudaGetErrorName(code), cudaGetErrorString(code));
}

CudaError::CudaError(cudaError_t code, std::source_location at)
    : DeviceError(fmt::format("CUDA failed with {} at {}:{}.", describe(code),
                              file_name(at.file_name()), at.line()),
                  cure_for(code)),
      code_(code)
{
}

void check(cudaError_t status, std::source_location at)
{
    if (status == cudaSuccess) return;
    cudaGetLastError();
    throw CudaError(status, at);
}

bool is_kernel_fault(cudaError_t code)
{
    switch (code) {
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorIllegalInstruction:
    case cudaErrorInvalidPc:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert: return true;
    default: return false;
    }
}

trace::FindingKind fault_kind(cudaError_t code)
{
    switch (code) {
    case cudaErrorIllegalAddress:
    case cudaErrorInvalidAddressSpace: return "out_of_bounds";
    case cudaErrorMisalignedAddress: return "misaligned";
    case cudaErrorAssert: return "assertion";
    case cudaErrorLaunchTimeout: return "step_budget";
    case cudaErrorHardwareStackError: return "stack_overflow";
    case cudaErrorIllegalInstruction: return "illegal_instruction";
    default: return "launch_failure";
    }
}

} // namespace lanescope::cuda
