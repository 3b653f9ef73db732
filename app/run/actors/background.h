// What is measured beside the experiment, without its memory: the sweep, the counts of variants
// that are not shown, and the device's roofs.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/measure/measured_roofs.h"
#include "app/run/actors/variant_counter.h"
#include "app/run/plan.h"
#include "app/run/side.h"
#include "app/run/sweep/live_sweep.h"

namespace lanescope::app {

// The runner's.
class Background {
public:
    void measure_roofs(const device::Device& device); // of a new device
    void expect_roofs(std::future<Roofs> roofs) { pending_roofs_ = std::move(roofs); }
    const Roofs& roofs() const { return roofs_; }

    void keep_to(const labs::Lab& lab) { sweep_.keep_to(lab); }
    void follow(const SweepSettings& wanted, const Side& side, const device::Device& device);
    // All variants of the side's lab with its values.
    void count_variants(const Side& side);
    // Of this side's lab and values; null: none were.
    std::shared_ptr<const AllCountedInBackground> counted(const Side& side) const;
    // True where something is new since the last call. Times taken beside the roofs are outdated.
    bool take(MeasuredLive& measured);
    bool goes_on() const
    {
        return (sweep_.run() && !finished_) || pending_roofs_.valid() ||
               (counter_ && counter_->goes_on());
    }
    bool sweep_runs() const { return sweep_.run() && !sweep_.run()->finished(); }
    std::optional<SweepFrame> frame() const; // none before there was a sweep
    void end();

private:
    LiveSweep sweep_;
    std::unique_ptr<VariantCounter> counter_ = std::make_unique<VariantCounter>();
    VariantCounter::Subject counted_of_;
    std::shared_ptr<const AllCountedInBackground> counted_;
    std::shared_ptr<const SweepPlan> plan_; // of the run whose points these are
    std::shared_ptr<const std::vector<SweepPoint>> points_ =
        std::make_shared<std::vector<SweepPoint>>();
    bool finished_ = false;
    std::string error_;
    std::future<Roofs> pending_roofs_;
    Roofs roofs_;
};

} // namespace lanescope::app
