// Device properties from the CUDA runtime.
#include "compute/cuda/properties.h"

#include "compute/cuda/availability.h"
#include "compute/cuda/check.h"

namespace lanescope::cuda {

device::Properties device_properties(int ordinal)
{
    cudaDeviceProp from{};
    check(cudaGetDeviceProperties(&from, ordinal));
    device::Properties to;
    to.name = from.name;
    to.driver = driver_version_text();
    to.compute_major = from.major;
    to.compute_minor = from.minor;
    to.multiprocessors = from.multiProcessorCount;
    to.memory_bytes = from.totalGlobalMem;
    to.l2_bytes = static_cast<std::size_t>(from.l2CacheSize);
    to.warps_per_multiprocessor = from.maxThreadsPerMultiProcessor / from.warpSize;
    to.registers_per_multiprocessor = from.regsPerMultiprocessor;
    to.shared_per_multiprocessor = from.sharedMemPerMultiprocessor;
    to.shared_per_block_optin = from.sharedMemPerBlockOptin;
    return to;
}

} // namespace lanescope::cuda
