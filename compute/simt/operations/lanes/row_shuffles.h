// shfl executed by the whole warp.
#pragma once

#include <cstdint>

#include "compute/simt/operations/rows/rows.h"

namespace lanescope::simt {

enum class Shuffle : std::uint8_t { up, down, butterfly, index };

// Rows of one shuffle; `d` may equal `source`.
struct ShuffleRows {
    const std::uint32_t* members = nullptr;
    const std::uint32_t* source = nullptr;
    const std::uint32_t* by = nullptr;
    const std::uint32_t* clamp = nullptr;
    std::uint32_t* d = nullptr;
    std::uint32_t inside = 0; // result: lanes whose source lane exists
};

// Requires all lanes. Returns false, without writing, if some lane's member mask is not full.
using WholeWarpShuffle = bool (*)(Shuffle kind, ShuffleRows& rows);

WholeWarpShuffle whole_warp_shuffle(Isa isa);

} // namespace lanescope::simt
