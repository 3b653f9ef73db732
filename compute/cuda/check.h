// Every CUDA runtime call goes through check(): a failure throws with the location, the error's
// name, its message and a suggested fix.
#pragma once

#include <source_location>
#include <string>

#include <cuda_runtime_api.h>

#include "compute/device/device.h"
#include "compute/trace/findings.h"

namespace lanescope::cuda {

class CudaError : public device::DeviceError {
public:
    CudaError(cudaError_t code, std::source_location at);
    cudaError_t code() const noexcept { return code_; }

private:
    cudaError_t code_;
};

// Throws CudaError unless `status` is success, and resets the runtime's last error so that the next
// call does not report it again.
void check(cudaError_t status, std::source_location at = std::source_location::current());

// "cudaErrorIllegalAddress (an illegal memory access was encountered)"
std::string describe(cudaError_t code);

// True for errors caused by a running kernel. They are sticky: the context is lost.
bool is_kernel_fault(cudaError_t code);

// The kind of fault that an error reports.
trace::FindingKind fault_kind(cudaError_t code);

} // namespace lanescope::cuda
