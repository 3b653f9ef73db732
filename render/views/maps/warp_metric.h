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
    texel_sectors, // modelled, counted by simt only
    served_cold,   // sectors from L1, L2 and DRAM; the caches are empty before the launch …
    served_warm    // … or as the same launch left them
};

inline constexpr std::array all_warp_metrics{WarpMetric::active_lanes,   WarpMetric::sectors,
                                             WarpMetric::sector_excess,  WarpMetric::wavefronts,
                                             WarpMetric::bank_conflicts, WarpMetric::instructions,
                                             WarpMetric::texel_requests, WarpMetric::texel_sectors,
                                             WarpMetric::served_cold,    WarpMetric::served_warm};
// True for the maps of three shares: a colour mixes those of L1, L2 and DRAM.
constexpr bool is_served(WarpMetric metric)
{
    return metric == WarpMetric::served_cold || metric == WarpMetric::served_warm;
}
// "active_lanes", as in sessions and on the command line.
std::string_view name(WarpMetric metric);
std::optional<WarpMetric> warp_metric(std::string_view name);

} // namespace lanescope::render
