// CUB's histogram behind plain functions: its headers are for nvcc alone.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace lanescope::cuda {

// As cub::DeviceHistogram::HistogramEven: with a null `scratch` only `scratch_bytes` is set.
cudaError_t cub_histogram(void* scratch, std::size_t& scratch_bytes, const std::uint8_t* samples,
                          std::uint32_t* counts, int bins, unsigned upper,
                          std::int64_t samples_count, cudaStream_t stream);
cudaError_t cub_histogram(void* scratch, std::size_t& scratch_bytes, const std::uint32_t* samples,
                          std::uint32_t* counts, int bins, unsigned upper,
                          std::int64_t samples_count, cudaStream_t stream);

} // namespace lanescope::cuda
