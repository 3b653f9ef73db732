// mma.sp: half of the elements of a are zero and not stored. The metadata of a row has a 2-bit
// index per stored element: its place among four elements. For tf32, whose elements count as two
// each, that is four bits per stored element; for 4-bit integers, whose elements come in pairs, two
// bits per pair.
#pragma once

#include <array>
#include <cstdint>

#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

constexpr int max_stored = 64; // elements of a row of a

// The index k of each stored element, by row.
using StoredPlaces = std::array<std::array<std::uint8_t, max_stored>, 16>;
StoredPlaces stored_places(const Executor& executor, const MatrixWork& work);

} // namespace lanescope::simt
