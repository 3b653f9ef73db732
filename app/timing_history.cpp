// See timing_history.h.
#include "app/timing_history.h"

#include <algorithm>
#include <cmath>

namespace lanescope::app {

Spread spread_of(std::vector<double> samples)
{
    if (samples.empty()) return {};
    std::ranges::sort(samples);
    const auto at = [&](double share) {
        const double place = share * static_cast<double>(samples.size() - 1);
        const auto below = static_cast<std::size_t>(place);
        const std::size_t above = std::min(below + 1, samples.size() - 1);
        return std::lerp(samples[below], samples[above], place - static_cast<double>(below));
    };
    return {samples.size(), at(0.5), at(0.1), at(0.9)};
}

void TimingHistory::add(double ms)
{
    samples_.push_back(ms);
    if (samples_.size() > capacity) samples_.pop_front();
}

Spread TimingHistory::spread() const
{
    return spread_of({samples_.begin(), samples_.end()});
}

} // namespace lanescope::app
