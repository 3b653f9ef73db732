// Running to an exact number of instructions, and how long turns are: what a walk through a launch
// needs of the interpreter and of the order of blocks.
#pragma once

#include "compute/simt/machine/executor.h"

namespace lanescope::simt {

// Blocks that run in order take turns of so many instructions, where one does not end before.
constexpr std::uint64_t block_slice = std::uint64_t{1} << 21;
// Of blocks that all wait for each other, each is asked again and again.
constexpr std::uint64_t cooperative_slice = std::uint64_t{1} << 11;
constexpr std::size_t max_resident = 1024;

// As run_path(), but stops before what follows the first `limit` instructions (at least 1), too:
// then true. Nothing is followed, and the path's instruction must not be counted already.
bool run_path_exactly(Executor& executor, std::uint64_t slice, std::uint64_t limit);

} // namespace lanescope::simt
