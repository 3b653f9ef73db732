// One request of one warp, as lectures draw it: 32 lanes above, the sectors or banks that they
// reach below, and lines.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "render/views/paint/painter.h"

namespace lanescope::render {

struct WarpAccess {
    std::array<std::uint64_t, 32> addresses{};
    std::uint32_t active = 0; // a bit a lane
    int width_bytes = 4;
    int paid = 0; // sectors or wavefronts as they are counted: more than are touched where lanes at
                  // one address pay one after another; 0: not known
    int ideal = 0; // the least that these bytes cost; 0: not known
    std::string
        title; // what it is and what it costs, in words: "load, line 12: 4 sectors (ideal 4)"
    // The array that is accessed and the address of its beginning, from which addresses are told:
    // where it lies in the device's memory says nothing. Empty: from the first line that is
    // reached.
    std::string memory{};
    std::uint64_t begins = 0;
    std::string source{}; // the line of the kernel that makes it; empty: not known
    // The access from which lanes are on their way to this one, and how far they have come, 0 to 1.
    const WarpAccess* from = nullptr;
    bool from_banks = false; // it was drawn to banks
    float moved = 1;
};

// Global memory: the 128-byte lines that are touched in address order, in rows where there are
// many, each with its four sectors. Bytes that lanes want are filled, what is moved beside them is
// hatched, sectors that stay are outlines; a break stands where addresses jump.
void draw_lanes_to_sectors(Painter& painter, const Box& box, const WarpAccess& access,
                           const Theme& theme, float text_px);

// Shared memory: the 32 banks, each with the number of distinct 4-byte words that the warp wants of
// it.
void draw_lanes_to_banks(Painter& painter, const Box& box, const WarpAccess& access,
                         const Theme& theme, float text_px);

} // namespace lanescope::render
