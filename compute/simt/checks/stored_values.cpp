// Accesses are aligned to their width, so that two lanes' places agree or are apart.
#include "compute/simt/checks/stored_values.h"

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

std::optional<std::pair<int, int>> differing_lanes(const Executor& x, const AccessEvent& event)
{
    if (event.strided || std::has_single_bit(event.mask)) return {};
    std::array<std::pair<std::uint64_t, int>, warp_lanes> places;
    std::size_t count = 0;
    bool ascending = true;
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1, ++count) {
        places[count] = {event.address(lowest_lane(rest)), lowest_lane(rest)};
        ascending = ascending && (count == 0 || places[count - 1].first < places[count].first);
    }
    StoredValues stored;
    if (ascending || !stored_by(x, event, stored)) return {};
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
