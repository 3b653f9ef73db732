// Finds fills that set bytes where elements are meant: cudaMemset(values, 1, …) sets each int to
// 16,843,009 and each float to 2.4e-38.
#pragma once

#include <vector>

#include "compute/runtime/machine.h"
#include "compute/simt/machine/state/program.h"
#include "compute/trace/trace.h"

namespace lanescope::runtime {

// The fills that a launch may read through its arguments.
class FillsOfLaunch {
public:
    // Call before the launch.
    FillsOfLaunch(Machine& machine, const device::Launch& launch);
    // Reports fills that the launch has read as floating-point numbers, or as integers in
    // arithmetic.
    void report(const simt::Program& program, const trace::Trace& trace,
                const LaunchRecord& record) const;

private:
    struct Argument {
        std::size_t index = 0;
        std::uint64_t allocation = 0; // address
    };
    Machine& machine_;
    std::vector<Argument> arguments_;
};

} // namespace lanescope::runtime
