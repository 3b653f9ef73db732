// One look at 32 addresses. Lanes come mostly in order, so each one is compared with the stretch
// that the lane before it belongs to.
#include "compute/simt/operations/lane_pattern.h"

#include <bit>

namespace lanescope::simt {

std::array<Octet, 4> octets_of(const Addresses& addresses)
{
    std::array<Octet, 4> kinds{};
    for (std::size_t octet = 0; octet < 4; ++octet) {
        const std::uint64_t* lanes = addresses.lane.data() + 8 * octet;
        std::uint64_t apart = 0, different = 0;
        for (std::uint64_t i = 0; i < 8; ++i) {
            apart |= lanes[i] ^ (lanes[0] + 4 * i);
            different |= lanes[i] ^ lanes[0];
        }
        kinds[octet] = apart == 0       ? Octet::neighbours
                       : different == 0 ? Octet::same
                                        : Octet::scattered;
    }
    return kinds;
}

void find_runs(const std::uint64_t* lanes, std::uint32_t mask, std::uint32_t width, ByteRuns& runs)
{
    runs.count = 0;
    ByteRun run{0, 0};
    for (; mask != 0; mask &= mask - 1) {
        const std::uint64_t address = lanes[std::countr_zero(mask)];
        if (address == run.end && run.end != 0) {
            run.end += width;
            continue;
        }
        if (address >= run.begin && address + width <= run.end) continue;
        if (run.end != 0) runs.run[static_cast<std::size_t>(runs.count++)] = run;
        run = {address, address + width};
    }
    runs.run[static_cast<std::size_t>(runs.count++)] = run;
}

} // namespace lanescope::simt
