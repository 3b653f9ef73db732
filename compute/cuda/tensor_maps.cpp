// Tensor maps encoded by the driver, whose format is not documented.
#include <bit>
#include <cstring>

#include <cuda.h>
#include <fmt/format.h>

#include "compute/cuda/cuda_device.h"
#include "compute/cuda/driver/libcuda.h"

namespace lanescope::cuda {
namespace {

using Encode = decltype(&::cuTensorMapEncodeTiled);

// Null if the driver is older than CUDA 12.0.
Encode find_encode()
{
    if (const Libcuda* const driver = libcuda())
        return reinterpret_cast<Encode>(driver->find("cuTensorMapEncodeTiled"));
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    const cudaError_t status = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function,
                                                                12000, cudaEnableDefault, &found);
    if (status != cudaSuccess) cudaGetLastError();
    return status == cudaSuccess ? reinterpret_cast<Encode>(function) : nullptr;
}

CUtensorMapDataType type_of(std::size_t bytes)
{
    switch (bytes) {
    case 1: return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    case 2: return CU_TENSOR_MAP_DATA_TYPE_UINT16;
    case 4: return CU_TENSOR_MAP_DATA_TYPE_UINT32;
    default: return CU_TENSOR_MAP_DATA_TYPE_UINT64;
    }
}

CUtensorMapSwizzle swizzle_of(std::uint32_t bytes)
{
    switch (bytes) {
    case 0: return CU_TENSOR_MAP_SWIZZLE_NONE;
    case 32: return CU_TENSOR_MAP_SWIZZLE_32B;
    case 64: return CU_TENSOR_MAP_SWIZZLE_64B;
    default: return CU_TENSOR_MAP_SWIZZLE_128B;
    }
}

} // namespace

device::TensorMapBytes CudaDevice::tensor_map(const device::TensorBox& box)
{
    use();
    static const Encode encode = find_encode();
    if (properties_.compute_major < 9 || encode == nullptr)
        throw device::LaunchError(
            fmt::format("Tensor maps need compute capability 9.0 and a driver for CUDA 12; {} has "
                        "{}.{}, and its driver is {}.",
                        properties_.name, properties_.compute_major, properties_.compute_minor,
                        properties_.driver),
            "Choose another variant, or --device simt.");
    const std::vector<cuuint64_t> sizes(box.sizes.begin(), box.sizes.end());
    const std::vector<cuuint32_t> steps(sizes.size(), 1);
    std::vector<cuuint64_t> strides; // in bytes, from the second dimension
    cuuint64_t stride = box.element_bytes;
    for (const cuuint64_t size : sizes) strides.push_back(stride *= size);
    CUtensorMap map;
    const CUresult status =
        encode(&map, type_of(box.element_bytes), static_cast<cuuint32_t>(sizes.size()),
               reinterpret_cast<void*>(static_cast<std::uintptr_t>(box.address)), sizes.data(),
               strides.data(), box.extents.data(), steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
               swizzle_of(box.swizzle_bytes), CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (status != CUDA_SUCCESS)
        throw device::LaunchError(
            fmt::format("The driver refuses a tensor map (error {}).", static_cast<int>(status)),
            "Change the extents of the buffer or of the box.");
    static_assert(sizeof map == device::tensor_map_bytes);
    return std::bit_cast<device::TensorMapBytes>(map);
}

} // namespace lanescope::cuda
