// One request of one warp, as drawn in lectures: 32 lanes at the top, the sectors or banks they
// access at the bottom, and lines between them.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "render/views/paint/painter.h"

namespace lanescope::render {

struct WarpAccess {
    std::array<std::uint64_t, 32> addresses{};
    std::uint32_t active = 0; // one bit per lane
    int width_bytes = 4;
    bool atomic = false; // lanes in one bank take turns, even at one word
    int paid = 0;  // sectors or wavefronts charged; 0: unknown. Exceeds the number touched when
                   // lanes at one address are serialised.
    int ideal = 0; // minimum cost of these bytes; 0: unknown
    bool typical = true; // false: the cost is ideal, but other requests of this access cost more
    std::string title;   // kind and cost: "load, line 12: 4 sectors (ideal 4)"
    // The accessed array and its base address, from which offsets are counted; the absolute device
    // address is meaningless to the reader. Empty: offsets from the first line accessed.
    std::string memory{};
    std::uint64_t begins = 0;
    std::string source{}; // the kernel's source line; empty: unknown
    // The access being animated from, and the animation's progress (0 to 1).
    const WarpAccess* from = nullptr;
    bool from_banks = false; // `from` accessed banks
    float moved = 1;
};

// Global memory: the touched 128-byte lines in address order, on several rows if necessary, each
// with its four sectors. Requested bytes are filled, other bytes transferred are hatched,
// sectors not transferred are outlines; a break marks a jump in addresses.
void draw_lanes_to_sectors(Painter& painter, const Box& box, const WarpAccess& access,
                           const Theme& theme, float text_px);

// Shared memory: the 32 banks, each with the number of passes that it needs ("×4"): one for every
// distinct 4-byte word, or for every lane of an atomic.
void draw_lanes_to_banks(Painter& painter, const Box& box, const WarpAccess& access,
                         const Theme& theme, float text_px);

// Constant memory: the distinct words in address order, each with the number of the pass that reads
// it, from 1.
void draw_lanes_to_words(Painter& painter, const Box& box, const WarpAccess& access,
                         const Theme& theme, float text_px);

} // namespace lanescope::render
