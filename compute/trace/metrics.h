// What a map's colour can stand for: one number from a warp's counts. Usable in kernels too.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "compute/trace/trace.h"

namespace lanescope::trace {

enum class WarpMetric : std::uint8_t {
    active_lanes,
    global_excess,
    shared_conflicts,
    instructions,
    divergence
};
enum class MemoryMetric : std::uint8_t { touches, warps };

struct MetricText {
    std::string_view id;    // "active_lanes", for options and sessions
    std::string_view title; // "active lanes"
    std::string_view unit;  // "of 32"; may be empty
    float low = 0;          // of the fixed scale
    float high = 1;         // of the fixed scale; 0 when only an automatic one makes sense
};
MetricText text(WarpMetric metric);
MetricText text(MemoryMetric metric);

// NaN where the warp did nothing that the metric speaks of.
constexpr float value(const WarpCounts& warp, WarpMetric metric)
{
    const auto share = [](std::uint32_t part, std::uint32_t whole) {
        return whole == 0 ? std::numeric_limits<float>::quiet_NaN()
                          : static_cast<float>(part) / static_cast<float>(whole);
    };
    switch (metric) {
    case WarpMetric::active_lanes:
        return share(warp.memory_lanes,
                     warp.global_requests + warp.shared_requests + warp.branches);
    case WarpMetric::global_excess: return share(warp.global_sectors, warp.global_ideal_sectors);
    case WarpMetric::shared_conflicts:
        return share(warp.shared_wavefronts, warp.shared_ideal_wavefronts);
    case WarpMetric::instructions: return static_cast<float>(warp.warp_instructions);
    case WarpMetric::divergence: return share(warp.divergent_branches, warp.branches);
    }
    return std::numeric_limits<float>::quiet_NaN();
}

// One value for each element of the traced footprint: its owner's metric, NaN where no warp stored.
// `values` has footprint.owners.size() elements.
void paint_warps(const Trace& trace, WarpMetric metric, std::span<float> values);

// One value for each sector of the watched buffer. `values` has watched.touches.size() elements.
void paint_memory(const Trace& trace, MemoryMetric metric, std::span<float> values);

} // namespace lanescope::trace
