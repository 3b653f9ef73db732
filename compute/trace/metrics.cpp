// Names of the metrics, and maps from a trace that lies in host memory.
#include "compute/trace/metrics.h"

#include <algorithm>

namespace lanescope::trace {

MetricText text(WarpMetric metric)
{
    switch (metric) {
    case WarpMetric::active_lanes: return {"active_lanes", "active lanes", "of 32", 0, 32};
    case WarpMetric::global_excess: return {"global_excess", "sectors over ideal", "×", 1, 8};
    case WarpMetric::shared_conflicts:
        return {"shared_conflicts", "shared wavefronts over ideal", "×", 1, 32};
    case WarpMetric::instructions: return {"instructions", "warp instructions", "", 0, 0};
    case WarpMetric::divergence: return {"divergence", "divergent branches", "of all", 0, 1};
    }
    return {};
}

MetricText text(MemoryMetric metric)
{
    switch (metric) {
    case MemoryMetric::touches: return {"touches", "requests that touch the sector", "", 0, 0};
    case MemoryMetric::warps: return {"warps", "warps that touch the sector", "", 0, 0};
    }
    return {};
}

void paint_warps(const Trace& trace, WarpMetric metric, std::span<float> values)
{
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint32_t owner =
            i < trace.footprint.owners.size() ? trace.footprint.owners[i] : 0;
        values[i] = owner == 0 || owner > trace.warps.size()
                        ? std::numeric_limits<float>::quiet_NaN()
                        : value(trace.warps[owner - 1], metric);
    }
}

void paint_memory(const Trace& trace, MemoryMetric metric, std::span<float> values)
{
    const auto& from =
        metric == MemoryMetric::touches ? trace.watched.touches : trace.watched.warps;
    std::fill(values.begin(), values.end(), std::numeric_limits<float>::quiet_NaN());
    for (std::size_t i = 0; i < std::min(values.size(), from.size()); ++i)
        if (from[i] != 0) values[i] = static_cast<float>(from[i]);
}

} // namespace lanescope::trace
