// Addresses of a warp: formed, compared with 32 neighbours, else with each other. Signed
// comparisons serve, as no address has its top bit set unless it is out of bounds anyway; such a
// one makes the span wrong way round, which the bounds check notices.
#include "compute/simt/operations/row_addresses.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

template <class Row, class Sum>
void form(const Row* row, Sum offset, u32 mask, u32 width, Addresses& at)
{
    const u64 first = static_cast<Sum>(row[__builtin_ctz(mask)] + offset);
    if (mask == full_mask) {
        for (int lane = 0; lane < warp_lanes; ++lane)
            at.lane[lane] = static_cast<Sum>(row[lane] + offset);
    } else {
        for (int lane = 0; lane < warp_lanes; ++lane) {
            const u64 address = static_cast<Sum>(row[lane] + offset);
            at.lane[lane] = (mask >> lane & 1u) != 0 ? address : first;
        }
    }
    if (mask == full_mask) {
        u64 differences = 0;
        for (int lane = 0; lane < warp_lanes; ++lane)
            differences |= at.lane[lane] ^ (first + static_cast<u64>(lane) * width);
        at.strided = differences == 0;
        if (at.strided) {
            at.low = first;
            at.high = first + u64{warp_lanes} * width;
            at.all_bits = first; // the width divides the steps, so these tell the alignment
            return;
        }
    }
    u64 bits = 0;
    s64 low = static_cast<s64>(first);
    s64 high = low;
    for (int lane = 0; lane < warp_lanes; ++lane) {
        const auto number = static_cast<s64>(at.lane[lane]);
        bits |= at.lane[lane];
        low = number < low ? number : low;
        high = number > high ? number : high;
    }
    at.low = static_cast<u64>(low);
    at.high = static_cast<u64>(high) + width;
    at.all_bits = bits;
    at.strided = false;
}

void from64(const u64* row, u64 offset, u32 mask, u32 width, Addresses& at)
{
    form(row, offset, mask, width, at);
}
void from32(const u32* row, u32 offset, u32 mask, u32 width, Addresses& at)
{
    form(row, offset, mask, width, at);
}

} // namespace

AddressFunctions address_functions()
{
    return {from64, from32};
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
