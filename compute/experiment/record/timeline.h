// Logs the device operations of a step, with times if the device has a clock.
#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "compute/device/graphics.h"
#include "compute/device/group.h"
#include "compute/experiment/lab/picture.h"

namespace lanescope::labs {

class TimelineLog {
public:
    explicit TimelineLog(device::Group& group);

    bool timed() const { return !marks_.empty(); }
    // Starts a step, on idle devices; `graphics` if OpenGL takes part.
    void begin(device::Graphics* graphics = nullptr);
    struct Queue {
        int device = 0;
        int stream = 0;
        auto operator<=>(const Queue&) const = default;
    };
    // Logs an operation: `one` describes it and its queue, `action` queues it.
    void operation(Timeline::Operation one, const std::function<void()>& action);
    // Subsequent work in `queue` waits for everything queued so far in `awaited`.
    void waits(Queue queue, Queue awaited);
    void end();
    // Returns the last step's timeline, after waiting for it. Never null.
    std::shared_ptr<const Timeline> read();

    // Runs `action` on idle devices; returns the duration of everything that it queues.
    double alone_ms(const std::function<void()>& action);
    void set_isolated(const std::array<double, 3>& alone_ms);

private:
    using Clock = std::chrono::steady_clock;
    // A timestamp on one device; different devices have different clocks.
    struct Mark {
        std::size_t device = 0;
        std::size_t index = 0;
    };
    double now_ms() const;
    Mark mark(int device);
    Mark mark_opengl();
    void forget();
    void compare_clocks();
    // Converts marks to the clock of device 0, relative to the start of the step.
    std::function<double(Mark)> read_clocks();

    device::Group& group_;
    std::vector<std::unique_ptr<device::Marks>> marks_; // per device; empty if there are none
    std::vector<std::size_t> marked_;
    // For each device from 1 up: its mark, between two marks of device 0.
    struct Between {
        Mark before, moment, after;
    };
    std::vector<Between> clocks_;
    Mark origin_, end_;
    std::vector<Mark> ends_;                  // one per operation, except waits
    device::GraphicsClock* opengl_ = nullptr; // null: the step does not draw
    std::size_t opengl_marked_ = 0;
    // Only in steps that draw: one per operation, except waits.
    std::vector<Mark> starts_;
    int frame_ = 0;
    std::map<Queue, int> last_;                 // last operation per queue
    std::map<Queue, std::vector<int>> awaited_; // awaited by the next operation of the queue
    std::shared_ptr<Timeline> timeline_ = std::make_shared<Timeline>();
    std::array<double, 3> isolated_ms_{};
    Clock::time_point begun_{};
    bool unread_ = false; // the marks of a step have not been read
};

} // namespace lanescope::labs
