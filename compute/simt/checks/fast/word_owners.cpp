// Rows are compared four words at a time.
#include "compute/simt/checks/fast/word_owners.h"

#include <array>
#include <cstring>

#include "compute/simt/machine/state/program.h"

namespace lanescope::simt {

namespace {

typedef std::uint32_t Four __attribute__((vector_size(16)));

} // namespace

WordOwners::WordOwners(std::size_t bytes)
    : states_(zeros<std::uint32_t>((bytes + word_bytes - 1) / word_bytes))
{
}

bool WordOwners::touch_row(std::uint64_t word, std::uint64_t each, std::uint32_t first_thread,
                           bool writes)
{
    const auto threads = [&](std::uint32_t word_in_row) {
        return 2 * (first_thread + word_in_row / static_cast<std::uint32_t>(each));
    };
    Four mine{threads(0), threads(1), threads(2), threads(3)};
    const Four step = Four{} + threads(4) - threads(0);
    Four bad{};
    std::uint32_t* const states = &states_[word];
    for (std::uint64_t i = 0; i < warp_lanes * each; i += 4, mine += step) {
        Four before;
        std::memcpy(&before, states + i, sizeof before);
        const Four untouched = Four(before == 0);
        const Four own = untouched | Four((before | written) == (mine | written));
        const Four kept = before | mine | (writes ? written : 0);
        if (writes) {
            bad |= ~own;
        } else {
            bad |= ~own & Four((before & written) != 0);
        }
        const Four after = (own & kept) | (~own & several);
        std::memcpy(states + i, &after, sizeof after);
    }
    std::array<std::uint64_t, 2> halves;
    std::memcpy(halves.data(), &bad, sizeof halves);
    return (halves[0] | halves[1]) == 0;
}

} // namespace lanescope::simt
