// What is measured beside the experiment, without its memory: the sweep, and the device's roofs.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/measure/measured_roofs.h"
#include "app/run/plan.h"
#include "app/run/side.h"
#include "app/run/sweep/live_sweep.h"

namespace lanescope::app {

// The runner's.
class Background {
public:
    void measure_roofs(const device::Device& device); // of a new device
    const Roofs& roofs() const { return roofs_; }

    void keep_to(const labs::Lab& lab) { sweep_.keep_to(lab); }
    void follow(const SweepSettings& wanted, const Side& side, const device::Device& device);
    // True where something is new since the last call. Times taken beside the roofs are forgotten.
    bool take(MeasuredLive& measured);
    bool goes_on() const { return (sweep_.run() && !finished_) || roofs_to_come_.valid(); }
    bool sweep_runs() const { return sweep_.run() && !sweep_.run()->finished(); }
    std::optional<SweepFrame> frame() const; // none before there was a sweep
    void end();

private:
    LiveSweep sweep_;
    std::shared_ptr<const SweepPlan> plan_; // of the run whose points these are
    std::shared_ptr<const std::vector<SweepPoint>> points_ =
        std::make_shared<std::vector<SweepPoint>>();
    bool finished_ = false;
    std::string error_;
    std::future<Roofs> roofs_to_come_;
    Roofs roofs_;
};

} // namespace lanescope::app
