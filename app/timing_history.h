// The last launches' times and what is said of them: median and p10 to p90, never a mean of unlike
// things.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

namespace lanescope::app {

// The median and the 10th and 90th percentile of `count` samples (linear between neighbours); all 0
// when count is 0.
struct Spread {
    std::size_t count = 0;
    double median = 0;
    double p10 = 0;
    double p90 = 0;
};
Spread spread_of(std::vector<double> samples);

class TimingHistory {
public:
    static constexpr std::size_t capacity = 120;

    void add(double ms);
    void clear() { samples_.clear(); }
    Spread spread() const;
    const std::deque<double>& samples() const { return samples_; } // oldest first

private:
    std::deque<double> samples_;
};

} // namespace lanescope::app
