// Accesses are aligned to their width, so two lanes' locations are either equal or disjoint.
#include "compute/simt/checks/shadow/stored_values.h"

#include <algorithm>
#include <bit>

namespace lanescope::simt {

bool stored_by(const Executor& x, const AccessEvent& event, StoredValues& stored)
{
    const Access& access = event.access;
    if (access.mover.store_lanes == nullptr || access.values[0] == no_row) return false;
    std::array<std::uint64_t, warp_lanes> places;
    for (std::size_t lane = 0; lane < warp_lanes; ++lane) places[lane] = lane * StoredValues::room;
    for (int i = 0; i < access.elements; ++i)
        access.mover.store_lanes(stored.bytes.data() + i * access.element_bytes, places.data(),
                                 event.mask, x.row<const void>(access.values[i]));
    return true;
}

namespace {

// Returns true if two lanes may share a location. Runs on most stores whose lanes are unordered.
bool may_overlap(const AccessEvent& event)
{
    bool ascending = true;
    std::uint64_t before = 0;
    for (std::uint32_t rest = event.mask; rest != 0 && ascending; rest &= rest - 1) {
        const std::uint64_t address = event.lanes[lowest_lane(rest)];
        ascending = rest == event.mask || before < address;
        before = address;
    }
    if (ascending) return false;
    const int shift = std::countr_zero(static_cast<unsigned>(event.width_bytes));
    std::array<std::uint64_t, 32> seen{};
    bool maybe = false;
    for (std::uint32_t rest = event.mask; rest != 0 && !maybe; rest &= rest - 1) {
        const std::uint64_t place = event.lanes[lowest_lane(rest)] >> shift;
        std::uint64_t& word = seen[place / 64 % seen.size()];
        maybe = (word >> place % 64 & 1u) != 0;
        word |= std::uint64_t{1} << place % 64;
    }
    if (!maybe) return false;
    // Hash of the location: distant locations may share a slot.
    constexpr std::size_t slots = 2 * warp_lanes;
    std::array<std::uint8_t, slots> lanes{}; // lane in the slot, plus 1; 0: none
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        const std::uint64_t address = event.lanes[lane];
        std::size_t at = (address * 0x9E3779B97F4A7C15U >> 32) % slots;
        for (; lanes[at] != 0; at = (at + 1) % slots)
            if (event.lanes[lanes[at] - 1] == address) return true;
        lanes[at] = static_cast<std::uint8_t>(lane + 1);
    }
    return false;
}

} // namespace

std::optional<std::pair<int, int>> differing_lanes(const Executor& x, const AccessEvent& event)
{
    if (event.contiguous || std::has_single_bit(event.mask) || !may_overlap(event)) return {};
    std::array<std::pair<std::uint64_t, int>, warp_lanes> places;
    std::size_t count = 0;
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1, ++count)
        places[count] = {event.address(lowest_lane(rest)), lowest_lane(rest)};
    StoredValues stored;
    if (!stored_by(x, event, stored)) return {};
    std::sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count));
    for (std::size_t i = 1; i < count; ++i) {
        const std::byte* const value = stored.of(places[i].second);
        if (places[i].first == places[i - 1].first &&
            !std::equal(value, value + event.width_bytes, stored.of(places[i - 1].second)))
            return std::pair{places[i].second, places[i - 1].second};
    }
    return {};
}

} // namespace lanescope::simt
