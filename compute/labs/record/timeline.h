// Writes down what a step has the device do, operation by operation, with times where the device
// has a clock.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <memory>

#include "compute/device/streams.h"
#include "compute/labs/picture.h"

namespace lanescope::labs {

class TimelineLog {
public:
    TimelineLog(device::Device& device, device::Streams& streams)
        : device_(device), streams_(streams), marks_(streams.marks())
    {
    }

    bool timed() const { return marks_ != nullptr; }
    // A step begins, on a device that is idle.
    void begin();
    void operation(Timeline::Unit unit, int stream, const std::function<void()>& what);
    void end();
    // Of the last step; waits for it. Never null.
    std::shared_ptr<const Timeline> read();

    // How long all that `what` queues takes, by itself.
    double alone_ms(const std::function<void()>& what);
    void set_alone(const std::array<double, 3>& alone_ms);

private:
    using Clock = std::chrono::steady_clock;
    double now_ms() const;

    device::Device& device_;
    device::Streams& streams_;
    std::unique_ptr<device::Marks> marks_;
    std::shared_ptr<Timeline> timeline_ = std::make_shared<Timeline>();
    std::array<double, 3> alone_ms_{};
    Clock::time_point begun_{};
    bool unread_ = false; // marks of a whole step
};

} // namespace lanescope::labs
