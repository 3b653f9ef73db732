// Looks for cuBLAS in the toolkit folders and for its functions by name.
#include "compute/cuda/peers/cublas.h"

#include <fmt/format.h>

#include "compute/cuda/compile/toolkit.h"
#include "compute/process/library.h"

namespace lanescope::cuda {

Cublas::Cublas(CudaDevice& device) : device_(device)
{
    for (const auto& candidate :
         library_candidates({cuda_library("cublas", 13), cuda_library("cublas", 12)}))
        if ((library_ = open_library(candidate))) break;
    if (!library_)
        throw device::DeviceError(
            "The comparison needs cuBLAS, which is not on this machine.",
            "Install the CUDA toolkit's cuBLAS, or set CUDA_HOME to a toolkit that has it.");
    device_.use();
    check("cublasCreate_v2",
          reinterpret_cast<int (*)(void**)>(function("cublasCreate_v2"))(&handle_));
    call("cublasSetStream_v2", device_.stream());
}

Cublas::~Cublas()
{
    if (auto* destroy =
            reinterpret_cast<int (*)(void*)>(find_function(library_, "cublasDestroy_v2")))
        destroy(handle_);
}

std::string Cublas::version() const
{
    int number = 0; // 10000 * major + 100 * minor + patch since cuBLAS 12
    call("cublasGetVersion_v2", &number);
    return fmt::format("cuBLAS {}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

void* Cublas::function(const char* name) const
{
    if (void* found = find_function(library_, name)) return found;
    throw device::DeviceError(fmt::format("This cuBLAS has no {}.", name),
                              "Its version must match the driver's.");
}

void Cublas::check(const char* name, int status)
{
    if (status != 0)
        throw device::DeviceError(
            fmt::format("{} failed with status {}.", name, status),
            "cublas_api.h explains the status; the library's version must match the driver's.");
}

} // namespace lanescope::cuda
