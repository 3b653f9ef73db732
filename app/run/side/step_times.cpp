// Stretches of launches between two marks of the device's timer.
#include "app/run/side/step_times.h"

#include <vector>

namespace lanescope::app {

bool StepTimes::begin(const std::string& variant, bool probed)
{
    constexpr std::size_t max_pending = 64; // well below the size of the timer's ring
    if (open_) return true;
    if (!timer_ || stretches_.size() >= max_pending) return false;
    timer_->begin();
    stretches_.push_back({variant, 0, probed});
    open_ = true;
    return true;
}

void StepTimes::end()
{
    if (open_) timer_->end();
    open_ = false;
}

bool StepTimes::poll(const std::function<void(const Stretch&, double ms)>& take)
{
    if (!timer_) return false;
    const std::vector<double> times = timer_->poll_ms();
    for (const double ms : times) {
        take(stretches_.front(), ms);
        stretches_.pop_front();
    }
    return !times.empty();
}

} // namespace lanescope::app
