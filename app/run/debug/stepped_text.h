// A kernel's text as written: compiled with -G, so that every variable has a location and lines are
// in order.
#pragma once

#include <string>
#include <vector>

#include "compute/experiment/lab/lab.h"

namespace lanescope::app {

struct SteppedPtx {
    std::string ptx;     // empty if not available
    std::string problem; // the reason, as a sentence
};

// Compiled once per text with compile_options(). Callable from any thread.
SteppedPtx ptx_as_written(const labs::Lab& lab, const labs::Variant& variant);
// The same with these compiler options in place of -G.
SteppedPtx ptx_with_flags(const labs::Lab& lab, const labs::Variant& variant,
                          const std::vector<std::string>& flags);

} // namespace lanescope::app
