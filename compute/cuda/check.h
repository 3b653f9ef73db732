// Every call into the CUDA runtime goes through check(): a failing one throws with the place, the
// error's name, its text and a cure.
#pragma once

#include <source_location>
#include <string>

#include <cuda_runtime_api.h>

#include "compute/device/device.h"

namespace lanescope::cuda {

class CudaError : public device::DeviceError {
public:
    CudaError(cudaError_t code, std::source_location at);
    cudaError_t code() const noexcept { return code_; }

private:
    cudaError_t code_;
};

// Throws CudaError unless `status` is success; the runtime's memory of the error is cleared, so
// that the next call is not blamed for it.
void check(cudaError_t status, std::source_location at = std::source_location::current());

// "cudaErrorIllegalAddress (an illegal memory access was encountered)"
std::string describe(cudaError_t code);

// Errors that a running kernel caused. They stick: the GPU's context is lost with them.
bool is_kernel_fault(cudaError_t code);

// The kind under which a fault is reported: "out_of_bounds", "misaligned", "assert", …
std::string fault_kind(cudaError_t code);

} // namespace lanescope::cuda
