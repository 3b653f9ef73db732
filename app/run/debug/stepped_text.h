// The text of a kernel as written: compiled with -G, so that every variable has a place and lines
// come in order.
#pragma once

#include <string>

#include "compute/labs/lab.h"

namespace lanescope::app {

struct SteppedPtx {
    std::string ptx;     // empty: there is none
    std::string problem; // why, as a sentence
};

// Compiled once for each text, as compile_options() has it. From any thread.
SteppedPtx ptx_as_written(const labs::Lab& lab, const labs::Variant& variant);

} // namespace lanescope::app
