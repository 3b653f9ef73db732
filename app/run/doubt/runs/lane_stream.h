// The instructions of one lane with their results, as a stream for comparing two texts of a kernel
// step by step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/run/doubt/runs/lane_facts.h"
#include "app/run/doubt/runs/version_run.h"

namespace lanescope::app {

struct LaneStep {
    int ptx_line = 0;
    std::uint64_t position = 0;
    bool reads_memory = false;
    // Bits of the destination registers in order; for a store: of the address, then of the
    // operands.
    std::vector<std::uint64_t> values{};
    std::vector<std::string> names{}; // of those registers, if there are several
    bool writes_carry = false;
    bool carry = false; // after the step
};

// The lane's steps up to and including the position, at most `max_steps` of them.
constexpr std::size_t max_lane_steps = 1'000'000;
std::vector<LaneStep> lane_stream(VersionRun& run, const LaneTime& time);

// The first step whose result differs although all earlier results of the lane agree.
struct StreamDifference {
    enum class Kind { none, value, carry, path, memory };
    Kind kind = Kind::none;
    int ptx_line = 0; // of the first text
    std::uint64_t position = 0;
    std::uint64_t one = 0, other = 0; // bits, for a value, a carry or memory
};

// `lines` maps the PTX lines of the first text to those of the other; steps on lines that the other
// text lacks are skipped. `memory`: the same load of the lane read different values, which another
// lane stored or another address explains.
StreamDifference stream_difference(const std::vector<LaneStep>& one,
                                   const std::vector<LaneStep>& other,
                                   const std::vector<int>& lines);

} // namespace lanescope::app
