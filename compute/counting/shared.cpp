// Wavefronts of shared memory: which lanes are served together, and how often the busiest bank is
// accessed.
#include "compute/counting/counting.h"
#include "compute/counting/lanes.h"

namespace lanescope::counting {

namespace {

// Wavefronts of the lanes in `active`, which are served together: the number of distinct words in
// the busiest bank. Words must be in ascending order, so that duplicates are adjacent.
int count_ascending(Addresses addresses, std::uint32_t active, int words)
{
    std::array<std::uint8_t, banks> counts{};
    int busiest = 0;
    std::uint64_t next = 0;
    for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
        const std::uint64_t first = addresses[std::countr_zero(rest)] / bank_bytes;
        for (std::uint64_t word = std::max(first, next); word < first + words; ++word)
            busiest = std::max<int>(busiest, ++counts[word % banks]);
        next = first + words;
    }
    return busiest;
}

// Lanes that need a later wavefront, because their bank serves a different word in this one.
std::uint32_t needs_later_wavefront(Addresses addresses, std::uint32_t active)
{
    std::array<std::uint64_t, banks> first; // valid for banks in `wanted`
    std::uint32_t wanted = 0, later = 0;
    for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
        const std::uint64_t word = addresses[std::countr_zero(rest)] / bank_bytes;
        const std::uint32_t bank = 1u << word % banks;
        if ((wanted & bank) == 0) first[word % banks] = word;
        wanted |= bank;
        if (first[word % banks] != word) later |= rest & (~rest + 1);
    }
    return later;
}

int count_any_order(Addresses addresses, std::uint32_t active, int words)
{
    if (words == 1) {
        int wavefronts = 0;
        for (; active != 0; ++wavefronts) active = needs_later_wavefront(addresses, active);
        return wavefronts;
    }
    std::array<std::uint8_t, banks> counts{};
    std::array<std::array<std::uint64_t, 32>, banks> seen; // counts[bank] entries of each are valid
    int busiest = 0;
    for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
        const std::uint64_t first = addresses[std::countr_zero(rest)] / bank_bytes;
        for (std::uint64_t word = first; word < first + words; ++word) {
            auto& bank = seen[word % banks];
            std::uint8_t& count = counts[word % banks];
            if (std::find(bank.begin(), bank.begin() + count, word) != bank.begin() + count)
                continue;
            bank[count++] = word;
            busiest = std::max<int>(busiest, count);
        }
    }
    return busiest;
}

std::uint32_t group_wavefronts(Addresses addresses, std::uint32_t active, int width_bytes)
{
    const int words = std::max(width_bytes / bank_bytes, 1);
    const int count = ascend(addresses, active) ? count_ascending(addresses, active, words)
                                                : count_any_order(addresses, active, words);
    return static_cast<std::uint32_t>(count);
}

// True if lanes n and n ^ distance, where both are active, have equal addresses.
bool pairs_agree(Addresses addresses, std::uint32_t active, int distance)
{
    for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const int partner = lane ^ distance;
        if ((active >> partner & 1) != 0 && addresses[lane] != addresses[partner]) return false;
    }
    return true;
}

// Lanes served together: 32 lanes of up to 4 bytes, 16 of 8, 8 of 16.
int lanes_per_group(int width_bytes)
{
    return width_bytes <= bank_bytes ? 32 : 32 * bank_bytes / width_bytes;
}

template <class Cost>
SharedCost sum_groups(std::uint32_t active, int lanes, Cost cost)
{
    SharedCost sum;
    const std::uint32_t group = lanes == 32 ? all_lanes : (1u << lanes) - 1;
    for (int first = 0; first < 32; first += lanes) {
        const std::uint32_t members = active & (group << first);
        if (members == 0) continue;
        sum.wavefronts += cost(members);
        ++sum.ideal_wavefronts;
    }
    return sum;
}

SharedCost access(Addresses addresses, std::uint32_t active, int width_bytes, int lanes)
{
    return sum_groups(active, lanes, [&](std::uint32_t members) {
        return group_wavefronts(addresses, members, width_bytes);
    });
}

// Neighbouring lanes at adjacent words, or all at one: no bank conflicts within a group.
bool is_conflict_free(Addresses addresses, std::uint32_t active, int width_bytes)
{
    return (width_bytes >= bank_bytes &&
            is_run(addresses, active, static_cast<std::uint64_t>(width_bytes))) ||
           is_run(addresses, active, 0);
}

SharedCost one_wavefront_per_group(std::uint32_t active, int lanes)
{
    return sum_groups(active, lanes, [](std::uint32_t) { return 1u; });
}

} // namespace

SharedCost shared_load(Addresses addresses, std::uint32_t active, int width_bytes)
{
    if (active == 0) return {};
    int lanes = lanes_per_group(width_bytes);
    if (lanes < 32 && (pairs_agree(addresses, active, 1) || pairs_agree(addresses, active, 2)))
        lanes *= 2;
    if (is_conflict_free(addresses, active, width_bytes))
        return one_wavefront_per_group(active, lanes);
    return access(addresses, active, width_bytes, lanes);
}

SharedCost shared_store(Addresses addresses, std::uint32_t active, int width_bytes)
{
    if (active == 0) return {};
    const int lanes = lanes_per_group(width_bytes);
    if (is_conflict_free(addresses, active, width_bytes))
        return one_wavefront_per_group(active, lanes);
    return access(addresses, active, width_bytes, lanes);
}

// Lanes in the same bank are serialised, even at the same address.
SharedCost shared_atomic(Addresses addresses, std::uint32_t active, int width_bytes)
{
    return sum_groups(active, lanes_per_group(width_bytes), [&](std::uint32_t members) {
        std::array<std::uint32_t, banks> lanes{};
        std::uint32_t busiest = 0;
        for (std::uint32_t rest = members; rest != 0; rest &= rest - 1) {
            const std::uint64_t bank = addresses[std::countr_zero(rest)] / bank_bytes % banks;
            busiest = std::max(busiest, ++lanes[bank]);
        }
        return busiest;
    });
}

} // namespace lanescope::counting
