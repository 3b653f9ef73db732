// CUB's histogram, compiled by nvcc into the program.
#include "compute/cuda/measure/cub_histogram.h"

#include <cub/device/device_histogram.cuh>

namespace lanescope::cuda {

cudaError_t cub_histogram(void* scratch, std::size_t& scratch_bytes, const std::uint8_t* samples, std::uint32_t* counts,
                          int bins, unsigned upper, std::int64_t samples_count, cudaStream_t stream)
{
    // Levels have the samples' type, which cannot hold 256: int holds every level.
    return cub::DeviceHistogram::HistogramEven(scratch, scratch_bytes, samples, counts, bins + 1, 0,
                                               static_cast<int>(upper), samples_count, stream);
}

cudaError_t cub_histogram(void* scratch, std::size_t& scratch_bytes, const std::uint32_t* samples, std::uint32_t* counts,
                          int bins, unsigned upper, std::int64_t samples_count, cudaStream_t stream)
{
    return cub::DeviceHistogram::HistogramEven(scratch, scratch_bytes, samples, counts, bins + 1, 0u, upper,
                                               samples_count, stream);
}

} // namespace lanescope::cuda
