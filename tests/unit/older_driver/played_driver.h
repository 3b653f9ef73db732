// A driver for CUDA 12.2 that is played by the lockstep machine: its functions are this
// executable's own, and whoever opens libcuda.so.1 gets them. It has what a driver of that version
// has, is as strict, and forgives nothing: without a current context, with a text that is too new
// for it, or with more shared memory than was asked for, a call fails as the driver's would.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compute/trace/trace.h"

namespace lanescope::older_driver {

inline constexpr int played_version = 12020;
inline constexpr int newest_ptx = 82; // 8.2

// What it was asked so far, by the names of the functions.
const std::set<std::string>& asked();

// From now on, every launch adds what it did. Null: no more.
void count_launches(std::vector<trace::Totals>* launches);

} // namespace lanescope::older_driver
