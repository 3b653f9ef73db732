// A sweep that runs beside the window, on a device of its own; its points are there as they come.
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
    // On the same GPU as `beside`, or on a lockstep machine with one thread, so that the window
    // stays fluent.
    SweepRun(const device::Device& beside, SweepPlan plan);
    // Cancels, and waits for the point that is under way.
    ~SweepRun();
    SweepRun(const SweepRun&) = delete;
    SweepRun& operator=(const SweepRun&) = delete;

    // Tells runs apart as long as it is held: a later run may lie where an earlier one lay.
    const std::shared_ptr<const SweepPlan>& plan() const { return plan_; }
    void cancel(); // the point under way, too
    bool cancelled() const { return cancelled_; }
    bool finished() const { return finished_; } // nothing more will come
    std::vector<SweepPoint> points() const;
    std::size_t count();       // of points()
    std::string error() const; // why it ended early; empty: it did not

private:
    bool turn(); // makes a point; false: that was the last
    void end();

    const std::shared_ptr<const SweepPlan> plan_;
    mutable std::mutex mutex_;
    std::vector<SweepPoint> points_;
    std::string error_;
    int ordinal_ = 0;                        // of the GPU
    std::unique_ptr<device::Device> device_; // while it runs
    std::unique_ptr<SweepPoints> next_;
    std::atomic<bool> cancelled_ = false;
    std::atomic<bool> finished_ = false;
    LoopThread thread_;
};

} // namespace lanescope::app
