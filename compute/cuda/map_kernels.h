// The kernels behind LiveMaps, compiled by nvcc into the program. Each queues its work and returns
// the launch's error.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "compute/trace/metrics.h"

namespace lanescope::cuda {

// Least and greatest value as bits of floats that are not negative, whose order is that of the
// bits.
struct Extremes {
    std::uint32_t low_bits = 0xffffffffu;
    std::uint32_t high_bits = 0;
};

cudaError_t queue_warp_map(const trace::DeviceCounts& counts, trace::WarpMetric metric,
                           float* values, Extremes* extremes, cudaStream_t stream);
cudaError_t queue_memory_map(const std::uint32_t* from, std::size_t sectors, float* values,
                             Extremes* extremes, cudaStream_t stream);

} // namespace lanescope::cuda
