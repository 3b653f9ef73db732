// Median and spread of samples; percentiles are computed only here.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace lanescope {

// Percentile `share` (0 to 1) of sorted samples, with linear interpolation; NaN without samples.
inline double percentile_of_sorted(const std::vector<double>& samples, double share)
{
    if (samples.empty()) return std::numeric_limits<double>::quiet_NaN();
    const double place = share * static_cast<double>(samples.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, samples.size() - 1);
    return std::lerp(samples[below], samples[above], place - static_cast<double>(below));
}

// Median, 10th and 90th percentile of `count` samples; all 0 if count is 0.
struct Spread {
    std::size_t count = 0;
    double median = 0;
    double p10 = 0;
    double p90 = 0;
};

inline Spread spread_of(std::vector<double> samples)
{
    if (samples.empty()) return {};
    std::sort(samples.begin(), samples.end());
    return {samples.size(), percentile_of_sorted(samples, 0.5), percentile_of_sorted(samples, 0.1),
            percentile_of_sorted(samples, 0.9)};
}

} // namespace lanescope
