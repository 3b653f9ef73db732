// Sectors and lines of global memory. Addresses are visited in ascending order, so only the
// previous one must be remembered; as multiples of the width they are either equal or disjoint.
#include "compute/counting/counting.h"
#include "compute/counting/lanes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

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

// A contiguous range of bytes starting at `first`.
GlobalCost contiguous(std::uint64_t first, std::uint64_t bytes)
{
    const std::uint64_t last = first + bytes - 1;
    const auto lines = static_cast<std::uint32_t>(last / line_bytes - first / line_bytes + 1);
    return {static_cast<std::uint32_t>(last / sector_bytes - first / sector_bytes + 1),
            sectors_of_bytes(bytes), wavefronts_of_lines(lines), lines};
}

// Addresses in a window small enough for tables: counts accesses per location without sorting.
class Near {
public:
    static std::optional<Near> among(Addresses addresses, std::uint32_t active, int width_bytes)
    {
        std::uint64_t low = ~std::uint64_t{0}, high = 0;
        for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
            const std::uint64_t address = addresses[std::countr_zero(rest)];
            low = std::min(low, address);
            high = std::max(high, address);
        }
        low &= ~(line_bytes - std::uint64_t{1});
        if (high - low >= reach || width_bytes < 4) return std::nullopt;
        return Near(addresses, active, low);
    }
    GlobalCost cost(std::uint64_t width) const
    {
        const auto lines = static_cast<std::uint32_t>(std::popcount(lines_));
        return {static_cast<std::uint32_t>(std::popcount(sectors_)),
                sectors_of_bytes(distinct_ * width), wavefronts_of_lines(lines), lines};
    }
    // Sectors charged to an atomic: per sector, the number of lanes at its busiest address, since
    // these are serialised.
    std::uint32_t turns() const
    {
        std::uint32_t sum = 0;
        for (const std::uint8_t each : busiest_) sum += each;
        return sum;
    }

private:
    static constexpr std::size_t reach = 2048; // size of the window, in bytes

    Near(Addresses addresses, std::uint32_t active, std::uint64_t low)
    {
        std::array<std::uint8_t, reach / 4> asked{}; // accesses per word
        for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
            const std::uint64_t at = addresses[std::countr_zero(rest)] - low;
            const std::uint8_t times = ++asked[at / 4];
            distinct_ += times == 1;
            sectors_ |= std::uint64_t{1} << at / sector_bytes;
            lines_ |= std::uint64_t{1} << at / line_bytes;
            std::uint8_t& busiest = busiest_[at / sector_bytes];
            busiest = std::max(busiest, times);
        }
    }

    std::uint64_t sectors_ = 0, lines_ = 0; // one bit per sector or line touched
    std::uint32_t distinct_ = 0;            // distinct locations
    std::array<std::uint8_t, reach / sector_bytes> busiest_{};
};

// Set of at most 32 distinct numbers.
class Few {
public:
    // Returns true if the number is new.
    bool add(std::uint64_t number)
    {
        std::uint64_t at = number * 0x9e3779b97f4a7c15u >> (64 - bits);
        for (; (used_ >> at & 1u) != 0; at = (at + 1) % places)
            if (numbers_[at] == number) return false;
        used_ |= std::uint64_t{1} << at;
        numbers_[at] = number;
        return true;
    }

private:
    static constexpr int bits = 6;
    static constexpr std::size_t places = std::size_t{1} << bits;
    std::uint64_t used_ = 0;
    std::array<std::uint64_t, places> numbers_; // valid for slots in use
};

GlobalCost cost_in_any_order(Addresses addresses, std::uint32_t active, std::uint64_t width)
{
    Few places, sectors, lines;
    std::uint32_t distinct = 0, sector_count = 0, line_count = 0;
    for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
        const std::uint64_t address = addresses[std::countr_zero(rest)];
        if (!places.add(address)) continue;
        ++distinct;
        if (!sectors.add(address / sector_bytes)) continue;
        ++sector_count;
        line_count += lines.add(address / line_bytes);
    }
    return {sector_count, sectors_of_bytes(distinct * width), wavefronts_of_lines(line_count),
            line_count};
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
    if (!ascend(addresses, active)) {
        if (const auto near = Near::among(addresses, active, width_bytes)) return near->cost(width);
        return cost_in_any_order(addresses, active, width);
    }
    std::uint64_t last = first;
    std::uint32_t distinct = 1;
    std::uint32_t sectors = 1;
    std::uint32_t lines = 1;
    for (std::uint32_t rest = active & (active - 1); rest != 0; rest &= rest - 1) {
        const std::uint64_t address = addresses[std::countr_zero(rest)];
        const std::uint64_t changed = address ^ last;
        last = address;
        distinct += changed != 0;
        sectors += changed >= sector_bytes;
        lines += changed >= line_bytes;
    }
    return {sectors, sectors_of_bytes(distinct * width), wavefronts_of_lines(lines), lines};
}

GlobalCost global_atomic(Addresses addresses, std::uint32_t active, int width_bytes)
{
    if (active == 0) return {};
    if (const auto near = Near::among(addresses, active, width_bytes)) {
        GlobalCost cost = near->cost(static_cast<std::uint64_t>(width_bytes));
        cost.sectors = near->turns();
        return cost;
    }
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

// A sector holds one 4-byte word of each of eight consecutive lanes. Lanes of different groups of
// eight share no sector; lanes of one group share either all sectors of their accesses or none,
// because addresses are multiples of the width.
std::uint32_t local_sectors(Addresses addresses, std::uint32_t active, int width_bytes)
{
    constexpr int lanes_per_sector = sector_bytes / 4;
    const auto unit = static_cast<std::uint32_t>(std::max(width_bytes, 4));
    const int shift = std::countr_zero(unit);
    std::uint32_t units = 0;
    // Most local variables are at the same address in all lanes.
    std::uint64_t differences = 0;
    for (const std::uint64_t address : addresses) differences |= address ^ addresses[0];
    if (differences == 0) {
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
