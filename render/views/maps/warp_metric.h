// What a map of warps shows of them: its metrics, by name.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace lanescope::render {

// Ratios (sector_excess, bank_conflicts) are over what the same lanes needed; sectors, wavefronts
// and instructions are a warp's own, so that a kernel that needs less of them looks better.
enum class WarpMetric {
    active_lanes,
    sectors,
    sector_excess,
    wavefronts,
    bank_conflicts,
    instructions,
    texel_requests,
    texel_sectors // by a model, where simt has counted
};

inline constexpr std::array all_warp_metrics{WarpMetric::active_lanes,   WarpMetric::sectors,
                                             WarpMetric::sector_excess,  WarpMetric::wavefronts,
                                             WarpMetric::bank_conflicts, WarpMetric::instructions,
                                             WarpMetric::texel_requests, WarpMetric::texel_sectors};
// "active_lanes", as sessions and the command line have it.
std::string_view name(WarpMetric metric);
std::optional<WarpMetric> warp_metric(std::string_view name);

} // namespace lanescope::render
