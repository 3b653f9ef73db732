// Sectors and lines of global memory. Addresses are walked in ascending order, so that what was counted last is all
// that must be remembered.
#include "compute/counting/counting.h"
#include "compute/counting/lanes.h"

namespace lanescope::counting {

namespace {

constexpr std::uint32_t wavefronts_of_lines(std::uint64_t lines) { return static_cast<std::uint32_t>((lines + 3) / 4); }

constexpr std::uint32_t sectors_of_bytes(std::uint64_t bytes)
{
    return static_cast<std::uint32_t>((bytes + sector_bytes - 1) / sector_bytes);
}

// All bytes from `first` on, without a gap.
GlobalCost contiguous(std::uint64_t first, std::uint64_t bytes)
{
    const std::uint64_t last = first + bytes - 1;
    return {static_cast<std::uint32_t>(last / sector_bytes - first / sector_bytes + 1), sectors_of_bytes(bytes),
            wavefronts_of_lines(last / line_bytes - first / line_bytes + 1)};
}

// Counts the distinct portions of `Portion` bytes that ascending ranges touch.
template <std::uint64_t Portion>
class DistinctPortions {
public:
    void add(std::uint64_t begin, std::uint64_t end)
    {
        const std::uint64_t first = std::max(begin / Portion, next_);
        const std::uint64_t behind = (end - 1) / Portion + 1;
        count_ += behind > first ? behind - first : 0;
        next_ = std::max(next_, behind);
    }
    std::uint64_t count() const { return count_; }

private:
    std::uint64_t next_ = 0; // the first portion that no range reached yet
    std::uint64_t count_ = 0;
};

} // namespace

GlobalCost global_access(Addresses addresses, std::uint32_t active, int width_bytes)
{
    if (active == 0) return {};
    const auto width = static_cast<std::uint64_t>(width_bytes);
    if (active == all_lanes) {
        if (has_stride(addresses, width)) return contiguous(addresses[0], 32 * width);
        if (has_stride(addresses, 0)) return contiguous(addresses[0], width);
    }
    const SortedAddresses sorted(addresses, active);
    DistinctPortions<1> bytes;
    DistinctPortions<sector_bytes> sectors;
    DistinctPortions<line_bytes> lines;
    for (int i = 0; i < sorted.count; ++i) {
        const std::uint64_t begin = sorted.values[i];
        const std::uint64_t end = begin + width;
        bytes.add(begin, end);
        sectors.add(begin, end);
        lines.add(begin, end);
    }
    return {static_cast<std::uint32_t>(sectors.count()), sectors_of_bytes(bytes.count()),
            wavefronts_of_lines(lines.count())};
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
        const bool new_sector = i == 0 || address / sector_bytes != sorted.values[i - 1] / sector_bytes;
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

} // namespace lanescope::counting
