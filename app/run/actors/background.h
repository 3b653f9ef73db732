// Measurements beside the experiment that do not use its memory: the sweep, counts of variants not
// on screen, and the device's roofs.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/measure/measured_roofs.h"
#include "app/run/actors/variant_counter.h"
#include "app/run/frame/plan.h"
#include "app/run/side/side.h"
#include "app/run/sweep/live_sweep.h"

namespace lanescope::app {

// Owned by the runner.
class Background {
public:
    void measure_roofs(const device::Device& device); // for a new device
    void expect_roofs(std::future<Roofs> roofs) { pending_roofs_ = std::move(roofs); }
    const Roofs& roofs() const { return roofs_; }

    void cancel_other_labs(const labs::Lab& lab) { sweep_.cancel_other_labs(lab); }
    void follow(const SweepSettings& wanted, const Side& side, const device::Device& device);
    // Counts all variants of the side's lab with its values.
    void count_variants(const Side& side);
    // Counts for this side's lab and values; null if there are none.
    std::shared_ptr<const AllCountedInBackground> counted(const Side& side) const;
    // Returns true if there is anything new since the last call. Marks times as outdated that were
    // taken while roofs were measured.
    bool take(MeasuredLive& measured);
    bool continues() const
    {
        return (sweep_.run() && !finished_) || pending_roofs_.valid() ||
               (counter_ && counter_->continues());
    }
    bool sweep_runs() const { return sweep_.run() && !sweep_.run()->finished(); }
    std::optional<SweepFrame> frame() const; // empty before the first sweep
    void end();

private:
    LiveSweep sweep_;
    std::unique_ptr<VariantCounter> counter_ = std::make_unique<VariantCounter>();
    VariantCounter::Subject counted_subject_;
    std::shared_ptr<const AllCountedInBackground> counted_;
    std::shared_ptr<const SweepPlan> plan_; // plan to which the points belong
    std::shared_ptr<const std::vector<SweepPoint>> points_ =
        std::make_shared<std::vector<SweepPoint>>();
    bool finished_ = false;
    std::string error_;
    std::future<Roofs> pending_roofs_;
    Roofs roofs_;
};

} // namespace lanescope::app
