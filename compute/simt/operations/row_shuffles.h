// shfl where the whole warp takes part.
#pragma once

#include <cstdint>

#include "compute/simt/operations/handlers.h"
#include "compute/simt/operations/rows/rows.h"

namespace lanescope::simt {

// The rows of one shuffle; `d` may be `source`.
struct ShuffleRows {
    const std::uint32_t* members = nullptr;
    const std::uint32_t* source = nullptr;
    const std::uint32_t* by = nullptr;
    const std::uint32_t* clamp = nullptr;
    std::uint32_t* d = nullptr;
    std::uint32_t inside = 0; // comes out: lanes whose source lane exists
};

// Needs all lanes. False, with nothing written, where a lane does not name all others.
using WholeWarpShuffle = bool (*)(Shuffle kind, ShuffleRows& rows);

WholeWarpShuffle whole_warp_shuffle(Isa isa);

} // namespace lanescope::simt
