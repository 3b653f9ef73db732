// From counters to the values of a map, one thread an element.
#include "compute/cuda/map_kernels.h"

#include <cmath>

namespace lanescope::cuda {
namespace {

constexpr unsigned block = 256;

unsigned blocks_for(std::size_t elements)
{
    return static_cast<unsigned>((elements + block - 1) / block);
}

// One pair of atomics a warp: every lane of the warp calls it, those without a value with NaN.
__device__ void note(float value, Extremes* extremes)
{
    const bool counts = !isnan(value);
    unsigned least = counts ? __float_as_uint(value) : 0xffffffffu;
    unsigned greatest = counts ? __float_as_uint(value) : 0u;
    for (int offset = 16; offset > 0; offset /= 2) {
        least = min(least, __shfl_xor_sync(0xffffffffu, least, offset));
        greatest = max(greatest, __shfl_xor_sync(0xffffffffu, greatest, offset));
    }
    if (threadIdx.x % 32 == 0 && least <= greatest) {
        atomicMin(&extremes->low_bits, least);
        atomicMax(&extremes->high_bits, greatest);
    }
}

__global__ void map_warps(const char* warps, std::size_t stride, const std::uint32_t* owners, std::size_t elements,
                          trace::WarpMetric metric, float* values, Extremes* extremes)
{
    const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
    float value = NAN;
    if (i < elements) {
        const std::uint32_t owner = owners[i];
        if (owner != 0)
            value = trace::value(*reinterpret_cast<const trace::WarpCounts*>(warps + (owner - 1) * stride), metric);
        values[i] = value;
    }
    note(value, extremes);
}

__global__ void map_sectors(const std::uint32_t* from, std::size_t sectors, float* values, Extremes* extremes)
{
    const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
    float value = NAN;
    if (i < sectors) {
        if (from[i] != 0) value = static_cast<float>(from[i]);
        values[i] = value;
    }
    note(value, extremes);
}

} // namespace

cudaError_t queue_warp_map(const trace::DeviceCounts& counts, trace::WarpMetric metric, float* values, Extremes* extremes,
                           cudaStream_t stream)
{
    if (counts.elements == 0) return cudaSuccess;
    map_warps<<<blocks_for(counts.elements), block, 0, stream>>>(
        reinterpret_cast<const char*>(counts.warps), counts.warp_stride,
        reinterpret_cast<const std::uint32_t*>(counts.owners), counts.elements, metric, values, extremes);
    return cudaGetLastError();
}

cudaError_t queue_memory_map(const std::uint32_t* from, std::size_t sectors, float* values, Extremes* extremes,
                             cudaStream_t stream)
{
    if (sectors == 0) return cudaSuccess;
    map_sectors<<<blocks_for(sectors), block, 0, stream>>>(from, sectors, values, extremes);
    return cudaGetLastError();
}

} // namespace lanescope::cuda
