// A CUDA 12.2 driver simulated by the lockstep machine. Its functions are part of this executable,
// and looking them up in libcuda.so.1 finds them. It only has that version's functions and is as
// strict as the real driver: calls fail without a current context, with PTX that is too new, or
// with more shared memory than was requested.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compute/trace/trace.h"

namespace lanescope::older_driver {

inline constexpr int simulated_version = 12020;
inline constexpr int newest_ptx = 82; // PTX 8.2

// Names of the functions that have been looked up so far.
const std::set<std::string>& asked();

// Appends the counts of every launch from now on to `launches`; null ends that.
void count_launches(std::vector<trace::Totals>* launches);

} // namespace lanescope::older_driver
