// Metrics of a warp map, by name.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace lanescope::render {

// Ratios (sector_excess, bank_conflicts) are relative to the minimum that the same lanes needed.
// Sectors, wavefronts and instructions are totals of a warp, so that a kernel that needs fewer of
// them looks better.
enum class WarpMetric {
    active_lanes,
    sectors,
    sector_excess,
    wavefronts,
    bank_conflicts,
    instructions,
    texel_requests,
    texel_sectors // modelled, counted by simt only
};

inline constexpr std::array all_warp_metrics{WarpMetric::active_lanes,   WarpMetric::sectors,
                                             WarpMetric::sector_excess,  WarpMetric::wavefronts,
                                             WarpMetric::bank_conflicts, WarpMetric::instructions,
                                             WarpMetric::texel_requests, WarpMetric::texel_sectors};
// "active_lanes", as in sessions and on the command line.
std::string_view name(WarpMetric metric);
std::optional<WarpMetric> warp_metric(std::string_view name);

} // namespace lanescope::render
