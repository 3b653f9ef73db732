// Sectors and lines of global memory. Addresses are walked in ascending order, so that the last one
// is all that must be remembered; being multiples of the width, they either agree or do not
// overlap.
#include "compute/counting/counting.h"
#include "compute/counting/lanes.h"

#include <algorithm>
#include <array>
#include <bit>

namespace lanescope::counting {

namespace {

constexpr std::uint32_t wavefronts_of_lines(std::uint32_t lines)
{
    return (lines + 3) / 4;
}

constexpr std::uint32_t sectors_of_bytes(std::uint64_t bytes)
{
    return static_cast<std::uint32_t>((bytes + sector_bytes - 1) / sector_bytes);
}

// All bytes from `first` on, without a gap.
GlobalCost contiguous(std::uint64_t first, std::uint64_t bytes)
{
    const std::uint64_t last = first + bytes - 1;
    const auto lines = static_cast<std::uint32_t>(last / line_bytes - first / line_bytes + 1);
    return {static_cast<std::uint32_t>(last / sector_bytes - first / sector_bytes + 1),
            sectors_of_bytes(bytes), wavefronts_of_lines(lines), lines};
}

} // namespace

GlobalCost global_access(Addresses addresses, std::uint32_t active, int width_bytes)
{
    if (active == 0) return {};
    const auto width = static_cast<std::uint64_t>(width_bytes);
    const std::uint64_t first = addresses[std::countr_zero(active)];
    if (is_run(addresses, active, width))
        return contiguous(first, static_cast<std::uint64_t>(std::popcount(active)) * width);
    if (is_run(addresses, active, 0)) return contiguous(first, width);
    const SortedAddresses sorted(addresses, active);
    std::uint64_t last = sorted.values[0];
    std::uint32_t distinct = 1;
    std::uint32_t sectors = 1;
    std::uint32_t lines = 1;
    for (int i = 1; i < sorted.count; ++i) {
        const std::uint64_t changed = sorted.values[i] ^ last;
        last = sorted.values[i];
        distinct += changed != 0;
        sectors += changed >= sector_bytes;
        lines += changed >= line_bytes;
    }
    return {sectors, sectors_of_bytes(distinct * width), wavefronts_of_lines(lines), lines};
}

GlobalCost global_atomic(Addresses addresses, std::uint32_t active, int width_bytes)
{
    GlobalCost cost = global_access(addresses, active, width_bytes);
    const SortedAddresses sorted(addresses, active);
    std::uint32_t same_address = 0;
    std::uint32_t busiest = 0;
    cost.sectors = 0;
    for (int i = 0; i < sorted.count; ++i) {
        const std::uint64_t address = sorted.values[i];
        const bool new_address = i == 0 || address != sorted.values[i - 1];
        const bool new_sector =
            i == 0 || address / sector_bytes != sorted.values[i - 1] / sector_bytes;
        if (new_sector) {
            cost.sectors += busiest;
            busiest = 0;
        }
        same_address = new_address ? 1 : same_address + 1;
        busiest = std::max(busiest, same_address);
    }
    cost.sectors += busiest;
    return cost;
}

// A sector holds a word of eight lanes: lanes of different eights share none, and those of one
// share the sectors of all their words or, being multiples of the width, none either.
std::uint32_t local_sectors(Addresses addresses, std::uint32_t active, int width_bytes)
{
    constexpr int lanes_per_sector = sector_bytes / 4;
    const auto unit = static_cast<std::uint32_t>(std::max(width_bytes, 4));
    const int shift = std::countr_zero(unit);
    std::uint32_t units = 0;
    // Most variables in local memory lie where they lie for all lanes.
    std::uint64_t apart = 0;
    for (const std::uint64_t address : addresses) apart |= address ^ addresses[0];
    if (apart == 0) {
        for (int begin = 0; begin < 32; begin += lanes_per_sector)
            units += (active >> begin & 0xffu) != 0 ? 1 : 0;
        return units * (unit / 4);
    }
    for (int begin = 0; begin < 32; begin += lanes_per_sector) {
        std::array<std::uint64_t, lanes_per_sector> seen;
        const auto first = seen.begin();
        auto last = first;
        for (std::uint32_t rest = active >> begin & 0xffu; rest != 0; rest &= rest - 1) {
            const std::uint64_t here = addresses[begin + std::countr_zero(rest)] >> shift;
            if (std::find(first, last, here) == last) *last++ = here;
        }
        units += static_cast<std::uint32_t>(last - first);
    }
    return units * (unit / 4);
}

} // namespace lanescope::counting
