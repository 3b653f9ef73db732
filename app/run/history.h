// The last ten seconds of a quantity, such as a variant's step times, and what is said of them:
// median and p10 to p90, never a mean of unlike things.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "compute/spread.h"

namespace lanescope::app {

// Ten seconds that end with the newest sample: what was measured of a variant stays while another
// one runs, and during a pause. Memory is bounded: of many samples in a quarter of a second, evenly
// chosen ones are kept.
class History {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds span{10'000};
    static constexpr std::chrono::milliseconds slice{250};

    // Times never go back.
    void add(double value, Clock::time_point when = Clock::now());

    bool empty() const { return slices_.empty(); }
    // Over all ten seconds; may lag behind by a sixteenth of the samples.
    Spread spread() const;

    struct Slice {
        double age_s = 0; // of its end before the newest sample
        Spread spread;
    };
    std::vector<Slice> slices() const; // oldest first; only those with samples

private:
    // Keeps every `stride`-th of the samples seen; the stride grows so that they stay few.
    struct Samples {
        std::int64_t number = 0; // of the slice since the clock's epoch
        std::size_t seen = 0;
        std::size_t stride = 1;
        std::vector<double> kept;
        mutable Spread known{}; // of all that is kept, once it was asked for
    };
    static constexpr std::size_t max_kept = 256; // of a slice

    std::deque<Samples> slices_;
    Clock::time_point newest_;
    mutable Spread known_;
    mutable std::size_t added_ = 0; // since known_ was computed
};

} // namespace lanescope::app
