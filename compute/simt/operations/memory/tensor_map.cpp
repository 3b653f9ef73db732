// Rows along dimension 0 are contiguous on both sides; a swizzle moves 16-byte chunks of them.
#include "compute/simt/operations/memory/tensor_map.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>

#include <fmt/format.h>

namespace lanescope::simt {

namespace {

constexpr std::uint64_t tag = 0x70616d726f736e74; // marks an encoded map
constexpr std::uint32_t chunk_bytes = 16;

struct Encoded {
    std::uint64_t tag;
    std::uint64_t address;
    std::array<std::uint64_t, max_tensor_rank> strides;
    std::array<std::uint32_t, max_tensor_rank> last; // sizes, minus 1
    std::array<std::uint16_t, max_tensor_rank> box;
    std::array<std::uint8_t, max_tensor_rank> steps;
    std::uint8_t type, swizzle, rank, fills_nan;
};
static_assert(sizeof(Encoded) <= tensor_map_bytes);
static_assert(offsetof(Encoded, address) == tensor_map_address_offset);

struct TypeRow {
    std::uint32_t bytes;
    ptx::Type type;
    std::uint64_t nan; // 0: an integer
};
constexpr TypeRow type_rows[] = {
    {1, ptx::Type::u8, 0},
    {2, ptx::Type::u16, 0},
    {4, ptx::Type::u32, 0},
    {4, ptx::Type::s32, 0},
    {8, ptx::Type::u64, 0},
    {8, ptx::Type::s64, 0},
    {2, ptx::Type::f16, 0x7fff},
    {4, ptx::Type::f32, 0x7fffffff},
    {8, ptx::Type::f64, 0x7fffffffffffffff},
    {2, ptx::Type::bf16, 0x7fff},
    {4, ptx::Type::f32, 0x7fffffff},
    {4, ptx::Type::f32, 0x7fffffff},
    {4, ptx::Type::f32, 0x7fffffff},
};
static_assert(std::size(type_rows) == static_cast<std::size_t>(TensorType::count));

const TypeRow& row_of(TensorType type)
{
    return type_rows[static_cast<std::size_t>(type)];
}

// Appends a run of a row. Under a swizzle, chunks are separate unless they stay adjacent.
void add_run(const TensorMap& map, BulkPiece run, std::vector<BulkPiece>& pieces)
{
    while (run.bytes != 0) {
        BulkPiece piece = run;
        if (map.swizzle != TensorSwizzle::none) {
            piece.bytes = std::min(run.bytes, chunk_bytes - run.shared % chunk_bytes);
            piece.shared = swizzled(map.swizzle, run.shared);
        }
        run.global += piece.bytes;
        run.shared += piece.bytes;
        run.bytes -= piece.bytes;
        if (piece.filled) piece.global = 0;
        BulkPiece* const last = pieces.empty() ? nullptr : &pieces.back();
        const bool adjacent = last != nullptr && last->filled == piece.filled &&
                              last->shared + last->bytes == piece.shared &&
                              (piece.filled || last->global + last->bytes == piece.global);
        if (adjacent)
            last->bytes += piece.bytes;
        else
            pieces.push_back(piece);
    }
}

} // namespace

std::uint32_t TensorMap::element_bytes() const
{
    return row_of(type).bytes;
}

std::uint32_t TensorMap::swizzle_bytes() const
{
    return swizzle == TensorSwizzle::none ? 0 : 16u << static_cast<unsigned>(swizzle);
}

ptx::Type TensorMap::element_type() const
{
    return row_of(type).type;
}

std::uint64_t TensorMap::fill() const
{
    return fills_nan ? row_of(type).nan : 0;
}

std::uint32_t TensorMap::extent(std::size_t dimension) const
{
    const std::uint32_t step = dimension == 0 ? 1 : steps[dimension];
    return (box[dimension] + step - 1) / step;
}

std::uint64_t TensorMap::box_bytes() const
{
    std::uint64_t bytes = element_bytes();
    for (std::size_t i = 0; i < static_cast<std::size_t>(rank); ++i) bytes *= extent(i);
    return bytes;
}

std::string problem_of(const TensorMap& map)
{
    constexpr std::uint64_t max_size = std::uint64_t{1} << 32, max_stride = std::uint64_t{1} << 40;
    constexpr std::uint32_t max_box = 256, max_step = 8;
    if (map.rank < 1 || map.rank > static_cast<int>(max_tensor_rank))
        return fmt::format("the rank is {}, not 1 to 5", map.rank);
    if (map.address % 16 != 0) return "the address is not a multiple of 16";
    if (map.fills_nan && row_of(map.type).nan == 0)
        return "only floating-point elements can be NaN";
    for (std::size_t i = 0; i < static_cast<std::size_t>(map.rank); ++i) {
        if (map.sizes[i] == 0 || map.sizes[i] > max_size)
            return fmt::format("size {} is {}, not 1 to 2^32", i, map.sizes[i]);
        if (map.box[i] == 0 || map.box[i] > max_box)
            return fmt::format("extent {} of the box is {}, not 1 to 256", i, map.box[i]);
        if (map.steps[i] == 0 || map.steps[i] > max_step)
            return fmt::format("element stride {} is {}, not 1 to 8", i, map.steps[i]);
        if (i > 0 && (map.strides[i] % 16 != 0 || map.strides[i] >= max_stride))
            return fmt::format("stride {} is {} bytes, not a multiple of 16 below 2^40", i,
                               map.strides[i]);
    }
    const std::uint32_t row = map.box[0] * map.element_bytes();
    if (row % 16 != 0)
        return fmt::format("a row of the box has {} bytes, not a multiple of 16", row);
    if (const std::uint32_t span = map.swizzle_bytes(); span != 0 && row > span)
        return fmt::format("a row of the box has {} bytes, more than the swizzle's {}", row, span);
    return {};
}

void encode(const TensorMap& map, std::span<std::byte, tensor_map_bytes> to)
{
    Encoded encoded{};
    encoded.tag = tag;
    encoded.address = map.address;
    encoded.strides = map.strides;
    for (std::size_t i = 0; i < max_tensor_rank; ++i) {
        encoded.last[i] = static_cast<std::uint32_t>(map.sizes[i] - 1);
        encoded.box[i] = static_cast<std::uint16_t>(map.box[i]);
        encoded.steps[i] = static_cast<std::uint8_t>(map.steps[i]);
    }
    encoded.type = static_cast<std::uint8_t>(map.type);
    encoded.swizzle = static_cast<std::uint8_t>(map.swizzle);
    encoded.rank = static_cast<std::uint8_t>(map.rank);
    encoded.fills_nan = map.fills_nan ? 1 : 0;
    std::ranges::fill(to, std::byte{0});
    std::memcpy(to.data(), &encoded, sizeof encoded);
}

std::optional<TensorMap> decode_tensor_map(std::span<const std::byte, tensor_map_bytes> from)
{
    Encoded encoded;
    std::memcpy(&encoded, from.data(), sizeof encoded);
    if (encoded.tag != tag || encoded.type >= static_cast<std::uint8_t>(TensorType::count) ||
        encoded.swizzle >= static_cast<std::uint8_t>(TensorSwizzle::count))
        return std::nullopt;
    TensorMap map;
    map.address = encoded.address;
    map.strides = encoded.strides;
    for (std::size_t i = 0; i < max_tensor_rank; ++i) {
        map.sizes[i] = std::uint64_t{encoded.last[i]} + 1;
        map.box[i] = encoded.box[i];
        map.steps[i] = encoded.steps[i];
    }
    map.type = static_cast<TensorType>(encoded.type);
    map.swizzle = static_cast<TensorSwizzle>(encoded.swizzle);
    map.rank = encoded.rank;
    map.fills_nan = encoded.fills_nan != 0;
    if (!problem_of(map).empty()) return std::nullopt; // programs may change the bytes
    return map;
}

bool replace_field(std::span<std::byte, tensor_map_bytes> map, MapField field, int dimension,
                   std::uint64_t value)
{
    // PTX's numbers of types, which differ from those of CUtensorMapDataType.
    constexpr TensorType types[] = {
        TensorType::u8,       TensorType::u16, TensorType::u32,  TensorType::s32,
        TensorType::u64,      TensorType::s64, TensorType::f16,  TensorType::f32,
        TensorType::f32_ftz,  TensorType::f64, TensorType::bf16, TensorType::tf32,
        TensorType::tf32_ftz,
    };
    Encoded encoded;
    std::memcpy(&encoded, map.data(), sizeof encoded);
    encoded.tag = tag;
    const auto i = static_cast<std::size_t>(dimension);
    const auto octet = static_cast<std::uint8_t>(std::min<std::uint64_t>(value, 0xff));
    switch (field) {
    case MapField::address: encoded.address = value; break;
    case MapField::rank: encoded.rank = static_cast<std::uint8_t>(octet + 1); break;
    case MapField::box:
        encoded.box[i] = static_cast<std::uint16_t>(std::min<std::uint64_t>(value, 0xffff));
        break;
    case MapField::size: encoded.last[i] = static_cast<std::uint32_t>(value - 1); break;
    case MapField::stride: // of the next dimension
        if (i + 1 >= max_tensor_rank) return false;
        encoded.strides[i + 1] = value;
        break;
    case MapField::step: encoded.steps[i] = octet; break;
    case MapField::type:
        if (value >= std::size(types)) return false;
        encoded.type = static_cast<std::uint8_t>(types[value]);
        break;
    case MapField::interleave:
        if (value != 0) return false;
        break;
    case MapField::swizzle:
        if (value >= static_cast<std::uint64_t>(TensorSwizzle::count)) return false;
        encoded.swizzle = octet;
        break;
    case MapField::fill:
        if (value > 1) return false;
        encoded.fills_nan = octet;
        break;
    }
    std::memcpy(map.data(), &encoded, sizeof encoded);
    return true;
}

std::vector<BulkPiece> pieces_of_box(const TensorMap& map,
                                     const std::array<std::int32_t, max_tensor_rank>& first,
                                     std::uint32_t shared)
{
    const std::uint32_t element = map.element_bytes();
    const std::uint32_t row_bytes = map.extent(0) * element;
    // Elements [begin, end) of a row are inside the tensor.
    const std::int64_t size = static_cast<std::int64_t>(map.sizes[0]);
    const std::int64_t row = map.extent(0);
    const std::int64_t begin = std::clamp<std::int64_t>(-std::int64_t{first[0]}, 0, row);
    const std::int64_t end = std::clamp<std::int64_t>(size - first[0], begin, row);
    std::vector<BulkPiece> pieces;
    std::array<std::uint32_t, max_tensor_rank> at{};
    const auto rank = static_cast<std::size_t>(map.rank);
    for (;;) {
        Address address = map.address + static_cast<Address>(std::int64_t{first[0]}) * element;
        bool inside = true;
        for (std::size_t i = 1; i < rank; ++i) {
            const std::int64_t place = first[i] + std::int64_t{at[i]} * map.steps[i];
            inside = inside && place >= 0 && static_cast<std::uint64_t>(place) < map.sizes[i];
            address += static_cast<Address>(place) * map.strides[i];
        }
        const auto add = [&](std::int64_t from, std::int64_t to, bool filled) {
            BulkPiece run;
            run.global = address + static_cast<Address>(from) * element;
            run.shared = shared + static_cast<std::uint32_t>(from) * element;
            run.bytes = static_cast<std::uint32_t>(to - from) * element;
            run.filled = filled;
            add_run(map, run, pieces);
        };
        if (inside) {
            add(0, begin, true);
            add(begin, end, false);
            add(end, row, true);
        } else {
            add(0, row, true);
        }
        shared += row_bytes;
        std::size_t i = 1;
        while (i < rank && ++at[i] == map.extent(i)) at[i++] = 0;
        if (i >= rank) return pieces;
    }
}

} // namespace lanescope::simt
