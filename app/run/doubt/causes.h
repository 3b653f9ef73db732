// Causes of a difference that the slice of an element shows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/run/doubt/doubt.h"
#include "app/run/doubt/runs/lane_facts.h"
#include "compute/simt/debug/slice.h"

namespace lanescope::app {

// Loads of the slice that read a value stored through another pointer although the parameters are
// declared __restrict__, or through a pointer to an incompatible type. `source` has the lines of
// the .cu file.
std::vector<DoubtCause> aliasing_causes(const simt::Slice& slice,
                                        const std::vector<std::string>& source);

// A value that one version computes by an approximate instruction and the other does not, or that
// only one of them flushes to zero.
std::optional<DoubtCause> approximation_cause(const simt::SliceNode& one,
                                              const simt::SliceNode& other,
                                              const std::string& one_name,
                                              const std::string& other_name);

// Operations of the slice whose result the PTX manual leaves open: division of integers by zero,
// and approximations, for which it only bounds the error.
std::vector<DoubtCause> undefined_in_ptx(const simt::Slice& slice);

} // namespace lanescope::app
