// Chooses the blocks of a grid that a sampled launch checks: corners, some of each edge, and others
// spread over the grid.
#pragma once

#include <cstdint>
#include <vector>

#include "compute/dim3.h"

namespace lanescope::simt {

// Grids with fewer blocks are checked whole.
constexpr std::uint64_t min_sampled_grid = 256;

// Linear indices in ascending order, the same for equal arguments. Besides corners and edges there
// are 2% of the blocks, but at least 64 and at most 2048: a mistake in one of ten blocks is found
// with a probability above 99.8%, and in one of a hundred blocks with 96% if the grid has 16,384.
// Half of them are the neighbour of another in x, y or z, because adjacent blocks are the likeliest
// to race.
std::vector<std::uint64_t> sample_blocks(const Dim3& grid, std::uint64_t seed);

} // namespace lanescope::simt
