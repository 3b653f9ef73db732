// Tensor maps, which programs encode on the host and pass to kernels.
#include <algorithm>

#include "compute/runtime/driver/driver.h"
#include "compute/runtime/reporting/report.h"
#include "compute/simt/operations/memory/tensor_map.h"

namespace lanescope::runtime {

namespace {

// True if this machine supports the mode.
template <class Mode>
bool is_below(Mode mode, int count)
{
    return static_cast<int>(mode) >= 0 && static_cast<int>(mode) < count;
}

cudaError_t refuse(const char* feature)
{
    Report::instance().missing(feature,
                               "The lockstep machine has no tensor maps with interleaved layouts, "
                               "packed types, im2col or swizzles of larger chunks.");
    return cudaErrorNotSupported;
}

cudaError_t encode(CUtensorMap* to, const simt::TensorMap& map)
{
    if (!simt::problem_of(map).empty()) return cudaErrorInvalidValue;
    simt::encode(map, std::span<std::byte, simt::tensor_map_bytes>(reinterpret_cast<std::byte*>(to),
                                                                   simt::tensor_map_bytes));
    return cudaSuccess;
}

} // namespace

extern "C" {

CUresult cuTensorMapEncodeTiled(CUtensorMap* to, CUtensorMapDataType type, cuuint32_t rank,
                                void* address, const cuuint64_t* sizes, const cuuint64_t* strides,
                                const cuuint32_t* box, const cuuint32_t* steps,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    return driver(
        __func__,
        [&](Machine&) {
            constexpr int types = 16, swizzles = 7, promotions = 4, interleaves = 3;
            const bool known = is_below(type, types) && is_below(swizzle, swizzles) &&
                               is_below(promotion, promotions) &&
                               is_below(interleave, interleaves) && is_below(fill, 2);
            if (to == nullptr || sizes == nullptr || box == nullptr || steps == nullptr || !known ||
                rank < 1 || rank > simt::max_tensor_rank || (rank > 1 && strides == nullptr))
                return cudaErrorInvalidValue;
            if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE ||
                !is_below(type, static_cast<int>(simt::TensorType::count)) ||
                !is_below(swizzle, static_cast<int>(simt::TensorSwizzle::count)))
                return refuse(__func__);
            simt::TensorMap map;
            map.address = reinterpret_cast<simt::Address>(address);
            map.type = static_cast<simt::TensorType>(type);
            map.swizzle = static_cast<simt::TensorSwizzle>(swizzle);
            map.fills_nan = fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
            map.rank = static_cast<int>(rank);
            std::copy_n(sizes, rank, map.sizes.begin());
            std::copy_n(strides, rank - 1, map.strides.begin() + 1);
            std::copy_n(box, rank, map.box.begin());
            std::copy_n(steps, rank, map.steps.begin());
            return encode(to, map);
        },
        Needs::driver);
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address)
{
    return driver(
        __func__,
        [&](Machine&) {
            if (map == nullptr) return cudaErrorInvalidValue;
            auto found = simt::decode_tensor_map(std::span<const std::byte, simt::tensor_map_bytes>(
                reinterpret_cast<const std::byte*>(map), simt::tensor_map_bytes));
            if (!found) return cudaErrorInvalidValue;
            found->address = reinterpret_cast<simt::Address>(address);
            return encode(map, *found);
        },
        Needs::driver);
}

} // extern "C"

} // namespace lanescope::runtime
