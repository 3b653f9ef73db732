// Offsets are formed first; the swizzle then exchanges bits of the final address.
#include "compute/simt/operations/matrix/layout/shared_tile.h"

#include <cstring>

namespace lanescope::simt {

MatrixDescriptor matrix_descriptor(std::uint64_t bits)
{
    const auto field = [&](int shift) {
        return static_cast<std::uint32_t>(bits >> shift & 0x3fffu) * chunk_bytes;
    };
    constexpr std::uint32_t widths[] = {16, 128, 64, 32};
    return {.start = field(0),
            .leading = field(16),
            .stride = field(32),
            .base = static_cast<std::uint32_t>(bits >> 49 & 7u),
            .width = widths[bits >> 62]};
}

// Groups of eight rows are `stride` bytes apart. With a swizzle, a row's chunks are adjacent;
// without, they are `leading` bytes apart.
std::uint32_t SharedTile::offset_along(int row, int part) const
{
    const auto r = static_cast<std::uint32_t>(row);
    const auto p = static_cast<std::uint32_t>(part);
    return r / 8 * at_.stride + r % 8 * at_.width +
           p * (at_.width == chunk_bytes ? at_.leading : chunk_bytes);
}

// Eight rows form a chunk, and `width` / 16 chunks a line, which repeats for eight values of k.
std::uint32_t SharedTile::offset_across(int row, int k) const
{
    const std::uint32_t chunk = static_cast<std::uint32_t>(row) / 8;
    const std::uint32_t chunks = at_.width / chunk_bytes;
    const auto step = static_cast<std::uint32_t>(k);
    const bool plain = at_.width == chunk_bytes;
    const std::uint32_t by_row = plain ? at_.stride : at_.leading;
    const std::uint32_t by_step = plain ? at_.leading : at_.stride;
    return chunk % chunks * chunk_bytes + chunk / chunks * by_row + step % 8 * at_.width +
           step / 8 * by_step;
}

std::uint32_t SharedTile::swizzled(std::uint32_t address) const
{
    const std::uint32_t line = (address >> 7) - at_.base;
    return address ^ (line & (at_.width / chunk_bytes - 1)) * chunk_bytes;
}

void SharedTile::read_row(const std::byte* shared, int row, std::byte* to) const
{
    if (!across_) {
        for (int part = 0; part < row_chunks; ++part)
            std::memcpy(to + part * static_cast<int>(chunk_bytes), shared + chunk(row, part),
                        chunk_bytes);
        return;
    }
    constexpr int bytes = 2;
    for (int k = 0; k < 16; ++k)
        std::memcpy(to + k * bytes, shared + chunk(row, k) + row % 8 * bytes, bytes);
}

} // namespace lanescope::simt
