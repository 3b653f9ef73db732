// The last ten seconds of a quantity, such as a variant's step times, summarised by the median and
// p10 to p90, never by a mean of unlike values.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "compute/spread.h"

namespace lanescope::app {

// Ten seconds ending with the newest sample: a variant's measurements stay while another one runs,
// and during a pause. Memory is bounded: if there are many samples in a quarter of a second, evenly
// spaced ones are kept.
class History {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds span{10'000};
    static constexpr std::chrono::milliseconds slice{250};

    // Times must not decrease.
    void add(double value, Clock::time_point when = Clock::now());

    bool empty() const { return slices_.empty(); }
    // Over all ten seconds; may lag by a sixteenth of the samples.
    Spread spread() const;

    struct Slice {
        double age_s = 0; // time from its end to the newest sample
        Spread spread;
    };
    std::vector<Slice> slices() const; // oldest first; only slices with samples

private:
    // Keeps every `stride`-th sample; the stride grows to bound their number.
    struct Samples {
        std::int64_t number = 0; // index of the slice since the clock's epoch
        std::size_t seen = 0;
        std::size_t stride = 1;
        std::vector<double> kept;
        mutable Spread known{}; // over the kept samples, computed on demand
    };
    static constexpr std::size_t max_kept = 256; // maximum per slice

    std::deque<Samples> slices_;
    Clock::time_point newest_;
    mutable Spread known_;
    mutable std::size_t added_ = 0; // number of samples since known_ was computed
};

} // namespace lanescope::app
