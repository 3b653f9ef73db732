// Times of steps on the GPU, in stretches of one or several launches.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "compute/device/device.h"

namespace lanescope::app {

class StepTimes {
public:
    explicit StepTimes(device::Device& device) : timer_(device.timer()) {}

    struct Stretch {
        std::string variant;
        int launches = 0;
        bool probed = false;
    };
    // Starts a stretch unless one is open. Returns false without a clock, or if so much is pending
    // that times would be lost.
    bool begin(const std::string& variant, bool probed);
    // Adds a launch to the open stretch; returns the number of its launches.
    int add_launch() { return ++stretches_.back().launches; }
    void end();
    bool are_due() const { return !stretches_.empty(); }
    // Passes each time that is ready to `take`, oldest first; returns true if there were any.
    bool poll(const std::function<void(const Stretch&, double ms)>& take);

private:
    std::unique_ptr<device::Timer> timer_; // null: no clock
    std::deque<Stretch> stretches_;        // sections whose times are pending, oldest first
    bool open_ = false;                    // the newest section has not ended
};

} // namespace lanescope::app
