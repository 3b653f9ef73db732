// Writes down what a step has the device do, operation by operation, with times where the device
// has a clock.
#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "compute/device/group.h"
#include "compute/labs/picture.h"

namespace lanescope::labs {

class TimelineLog {
public:
    explicit TimelineLog(device::Group& group);

    bool timed() const { return !marks_.empty(); }
    // A step begins, on devices that are idle.
    void begin();
    struct Queue {
        int device = 0;
        int stream = 0;
        auto operator<=>(const Queue&) const = default;
    };
    // `one` says what it is and where it is queued, which `what` does.
    void operation(Timeline::Operation one, const std::function<void()>& what);
    // What is queued in `queue` from now on waits for all that is queued in the other one by now.
    void waits(Queue queue, Queue awaited);
    void end();
    // Of the last step; waits for it. Never null.
    std::shared_ptr<const Timeline> read();

    // How long all that `what` queues takes, by itself.
    double alone_ms(const std::function<void()>& what);
    void set_alone(const std::array<double, 3>& alone_ms);

private:
    using Clock = std::chrono::steady_clock;
    // A moment of one device; clocks of several are not the same.
    struct Mark {
        std::size_t device = 0;
        std::size_t index = 0;
    };
    double now_ms() const;
    Mark mark(int device);
    void forget();
    void compare_clocks();
    // Every moment on the clock of device 0, since the step began.
    std::function<double(Mark)> read_clocks();

    device::Group& group_;
    std::vector<std::unique_ptr<device::Marks>> marks_; // of each device; empty where none has any
    std::vector<std::size_t> marked_;
    // Of each device from 1: a moment of it, between two of device 0.
    struct Between {
        Mark before, moment, after;
    };
    std::vector<Between> clocks_;
    Mark origin_, end_;
    std::vector<Mark> ends_;                    // of each operation but waits
    std::map<Queue, int> last_;                 // operation of the queue
    std::map<Queue, std::vector<int>> awaited_; // by the next one of the queue
    std::shared_ptr<Timeline> timeline_ = std::make_shared<Timeline>();
    std::array<double, 3> alone_ms_{};
    Clock::time_point begun_{};
    bool unread_ = false; // marks of a whole step
};

} // namespace lanescope::labs
