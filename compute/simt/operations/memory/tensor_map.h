// Tensor maps (CUtensorMap): how a box of a tensor in global memory lies in shared memory. Pure
// functions. The encoding of the 128 bytes is private to this machine; programs only pass it on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compute/ptx/text/module.h"
#include "compute/simt/machine/state/bulk_copies.h"
#include "compute/simt/machine/state/program.h"

namespace lanescope::simt {

constexpr std::size_t tensor_map_bytes = 128;
constexpr std::size_t tensor_map_address_offset = 8; // of the tensor's address in the bytes
constexpr std::size_t max_tensor_rank = 5;

// Types of elements, in the order of CUtensorMapDataType.
enum class TensorType : std::uint8_t {
    u8,
    u16,
    u32,
    s32,
    u64,
    s64,
    f16,
    f32,
    f64,
    bf16,
    f32_ftz,
    tf32,
    tf32_ftz,
    count,
};
// In the order of CUtensorMapSwizzle: 16-byte chunks within 32, 64 or 128 bytes.
enum class TensorSwizzle : std::uint8_t { none, of_32, of_64, of_128, count };

struct TensorMap {
    Address address = 0;
    TensorType type = TensorType::u8;
    TensorSwizzle swizzle = TensorSwizzle::none;
    bool fills_nan = false; // elements outside the tensor are NaN; otherwise 0
    int rank = 1;
    std::array<std::uint64_t, max_tensor_rank> sizes{1, 1, 1, 1, 1}; // in elements
    std::array<std::uint64_t, max_tensor_rank> strides{};          // in bytes; strides[0] is unused
    std::array<std::uint32_t, max_tensor_rank> box{1, 1, 1, 1, 1}; // in elements
    std::array<std::uint32_t, max_tensor_rank> steps{1, 1, 1, 1, 1}; // steps[0] is unused

    std::uint32_t element_bytes() const;
    // Number of elements that a copy moves along a dimension.
    std::uint32_t extent(std::size_t dimension) const;
    // Bytes of a box in shared memory.
    std::uint64_t box_bytes() const;
    // The type of elements of cp.reduce.async.bulk.tensor.
    ptx::Type element_type() const;
    std::uint32_t swizzle_bytes() const; // 0: no swizzle
    // Value of elements outside the tensor.
    std::uint64_t fill() const;
};

// The reason why a map is invalid; empty if it is valid. For an invalid one CUDA returns
// CUDA_ERROR_INVALID_VALUE.
std::string problem_of(const TensorMap& map);

void encode(const TensorMap& map, std::span<std::byte, tensor_map_bytes> to);
// nullopt if the bytes are not an encoded map.
std::optional<TensorMap> decode_tensor_map(std::span<const std::byte, tensor_map_bytes> from);

// Changes a field of an encoded map, or of zeros, as tensormap.replace does; its numbers for types
// and modes are PTX's. Returns false if this machine does not have the value.
bool replace_field(std::span<std::byte, tensor_map_bytes> map, MapField field, int dimension,
                   std::uint64_t value);

// The address at which hardware places a byte of shared memory under a swizzle.
constexpr std::uint32_t swizzled(TensorSwizzle swizzle, std::uint32_t address)
{
    switch (swizzle) {
    case TensorSwizzle::of_32: return address ^ (address >> 3 & 0x10u);
    case TensorSwizzle::of_64: return address ^ (address >> 3 & 0x30u);
    case TensorSwizzle::of_128: return address ^ (address >> 3 & 0x70u);
    default: return address;
    }
}

// Contiguous pieces of the box whose first element has these coordinates, at `shared`. Those
// outside the tensor are `filled`.
std::vector<BulkPiece> pieces_of_box(const TensorMap& map,
                                     const std::array<std::int32_t, max_tensor_rank>& first,
                                     std::uint32_t shared);

} // namespace lanescope::simt
