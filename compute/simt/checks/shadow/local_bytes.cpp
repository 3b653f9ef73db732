// Lanes usually access the same offset of their local memory, which is checked once for all of
// them.
#include "compute/simt/checks/shadow/local_bytes.h"

#include <algorithm>

#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

namespace {

// Calls use(first byte, lanes) for each distinct location of an access.
template <class Use>
void for_each_location(const AccessEvent& event, Use use)
{
    if (event.high - event.low == static_cast<std::uint64_t>(event.width_bytes)) {
        use(event.low, event.mask);
        return;
    }
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1)
        use(event.address(lowest_lane(rest)), rest & (~rest + 1));
}

} // namespace

std::vector<std::uint32_t>& LocalBytes::of(std::size_t warp, std::uint64_t end)
{
    WarpBytes& bytes = warps_[warp];
    if (bytes.block != block_) {
        bytes.block = block_;
        std::ranges::fill(bytes.written, 0);
    }
    if (bytes.written.size() < end) bytes.written.resize(end);
    return bytes.written;
}

std::array<std::uint32_t, 8> LocalBytes::unwritten(std::size_t warp, const AccessEvent& event)
{
    const std::vector<std::uint32_t>& written = of(warp, event.high);
    std::array<std::uint32_t, 8> lanes{};
    const auto bytes = static_cast<std::uint64_t>(event.width_bytes / event.access.elements);
    for_each_location(event, [&](std::uint64_t begin, std::uint32_t who) {
        for (std::size_t i = 0; i < event.access.elements; ++i)
            for (std::uint64_t byte = 0; byte < bytes; ++byte)
                lanes[i] |= who & ~written[begin + i * bytes + byte];
    });
    return lanes;
}

void LocalBytes::store(std::size_t warp, const AccessEvent& event,
                       const std::array<std::uint32_t, 8>& undefined)
{
    std::vector<std::uint32_t>& written = of(warp, event.high);
    const auto bytes = static_cast<std::uint64_t>(event.width_bytes / event.access.elements);
    for_each_location(event, [&](std::uint64_t begin, std::uint32_t who) {
        for (std::size_t i = 0; i < event.access.elements; ++i)
            for (std::uint64_t byte = 0; byte < bytes; ++byte) {
                std::uint32_t& lanes = written[begin + i * bytes + byte];
                lanes = (lanes | who) & ~(undefined[i] & who);
            }
    });
}

} // namespace lanescope::simt
