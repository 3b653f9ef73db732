// Metrics of a warp map, by name.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "compute/trace/trace.h"

namespace lanescope::render {

// Ratios (sector_excess, bank_conflicts) are relative to the minimum that the same lanes needed.
// Sectors, wavefronts and instructions are totals of a warp, so that a kernel that needs fewer of
// them looks better.
enum class WarpMetric {
#define WARP_METRIC(name, ...) name,
#include "render/views/maps/warp_metrics.def"
};

inline constexpr std::array all_warp_metrics{
#define WARP_METRIC(name, ...) WarpMetric::name,
#include "render/views/maps/warp_metrics.def"
};
// "active_lanes", as in sessions and on the command line.
std::string_view name(WarpMetric metric);
std::optional<WarpMetric> warp_metric(std::string_view name);

// The memory whose accesses a metric counts.
enum class MapMemory : std::uint8_t { none, global, shared, texels };
MapMemory memory_of(WarpMetric metric);

// True for metrics relative to the minimum that the same lanes needed: 1 is ideal.
bool is_ratio(WarpMetric metric);
// True for totals of a warp, which have no ideal.
bool is_total(WarpMetric metric);
// True for the maps of three shares: a colour mixes those of L1, L2 and DRAM.
bool is_served(WarpMetric metric);

// The count of a launch that a total adds up; null for other metrics, and for instructions.
std::uint64_t trace::Counts::*sum_of(WarpMetric metric);

} // namespace lanescope::render
