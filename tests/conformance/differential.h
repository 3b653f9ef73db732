// Compares two engines on many more inputs than were recorded, for every case that can be scaled
// up, from a seed.
#pragma once

#include <cstdint>
#include <functional>

#include "tests/conformance/case.h"

namespace lanescope::conformance {

struct DifferentialOptions {
    std::uint64_t seed = 1;
    std::uint32_t times = 1; // factor for the case's number of threads
    int rounds = 1;          // number of rounds, each of which recombines the operands
};

struct DifferentialReport {
    std::uint64_t results = 0;
    int cases = 0;
    int differing_cases = 0;
};

// Calls `tell` for each case that differs, with its name, the seed, and the operands of the first
// differing lanes.
DifferentialReport run_differential(device::Device& one, device::Device& other,
                                    const DifferentialOptions& options,
                                    const std::function<bool(const Case&)>& wanted,
                                    const std::function<void(const std::string&)>& tell);

} // namespace lanescope::conformance
