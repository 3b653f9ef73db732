// A sweep in the background, on its own device; points are available as they are made.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/measure/sweep.h"
#include "compute/threads.h"

namespace lanescope::app {

class SweepRun {
public:
    // Uses the same GPU as `beside`, or a lockstep machine with one thread, so that the window
    // stays responsive.
    SweepRun(const device::Device& beside, SweepPlan plan);
    // Cancels, and waits for the current point.
    ~SweepRun();
    SweepRun(const SweepRun&) = delete;
    SweepRun& operator=(const SweepRun&) = delete;

    // Identifies the run while it is held: a later run may have an earlier one's address.
    const std::shared_ptr<const SweepPlan>& plan() const { return plan_; }
    void cancel(); // including the current point
    bool cancelled() const { return cancelled_; }
    bool finished() const { return finished_; } // no more points will come
    std::vector<SweepPoint> points() const;
    std::size_t count();       // size of points()
    std::string error() const; // why it stopped early; empty if it did not

private:
    bool turn(); // makes a point; returns false after the last one
    void end();

    const std::shared_ptr<const SweepPlan> plan_;
    mutable std::mutex mutex_;
    std::vector<SweepPoint> points_;
    std::string error_;
    int ordinal_ = 0;                        // index of the GPU
    std::unique_ptr<device::Device> device_; // null unless it runs
    std::unique_ptr<SweepPoints> next_;
    std::atomic<bool> cancelled_ = false;
    std::atomic<bool> finished_ = false;
    LoopThread thread_;
};

} // namespace lanescope::app
