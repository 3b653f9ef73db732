// Two engines on many more inputs than were recorded: every case that can be made larger, by a
// seed.
#pragma once

#include <cstdint>
#include <functional>

#include "tests/conformance/case.h"

namespace lanescope::conformance {

struct DifferentialOptions {
    std::uint64_t seed = 1;
    std::uint32_t times = 1; // as many threads as the case has
    int rounds = 1;          // each with the operands combined anew
};

struct DifferentialReport {
    std::uint64_t results = 0;
    int cases = 0;
    int differing_cases = 0;
};

// Calls `tell` with each case that differs: its name, the seed, and the operands of the first lanes
// that differ.
DifferentialReport run_differential(device::Device& one, device::Device& other,
                                    const DifferentialOptions& options,
                                    const std::function<bool(const Case&)>& wanted,
                                    const std::function<void(const std::string&)>& tell);

} // namespace lanescope::conformance
