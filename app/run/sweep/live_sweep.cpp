// A running sweep is cancelled when its subject is no longer on screen; its points are never mixed
// with the next one's.
#include "app/run/sweep/live_sweep.h"

#include <algorithm>

#include "compute/experiment/catalogue/texts.h"

namespace lanescope::app {
namespace {

const labs::Sweep& sweep_about(const labs::Lab& lab, const std::string& variant)
{
    const auto found = std::ranges::find_if(
        lab.sweeps, [&](const labs::Sweep& sweep) { return sweep.covers(variant); });
    return found == lab.sweeps.end() ? lab.sweeps.front() : *found;
}

} // namespace

SweepPlan LiveSweep::plan_for(const device::Device& device, const Subject& subject)
{
    const bool another_variant = variant_ != subject.variant;
    if (lab_ != subject.lab || !chosen_ || (another_variant && !chosen_->covers(subject.variant)))
        chosen_ = &sweep_about(*subject.lab, subject.variant);
    lab_ = subject.lab;
    held_ = labs::held(*lab_);
    variant_ = subject.variant;
    std::vector<const labs::Variant*> variants;
    if (!all_variants && chosen_->covers(variant_))
        variants.push_back(&labs::find_variant(*lab_, variant_));
    SweepPlan plan =
        plan_sweep(*lab_, *chosen_, std::move(variants), subject.values, device.engine());
    plan.seed = subject.seed;
    plan.image = subject.image;
    return plan;
}

void LiveSweep::follow(const device::Device& device, const Subject& subject)
{
    std::erase_if(ending_, [](const auto& run) { return run->finished(); });
    if (subject.lab->sweeps.empty()) return;
    SweepPlan plan = plan_for(device, subject);
    if (run_ && *run_->plan() != plan) cancel();
    if (!run_ && ending_.empty()) run_ = std::make_unique<SweepRun>(device, std::move(plan));
    take_points();
}

void LiveSweep::take_points()
{
    if (run_ && run_->count() != points_.size()) points_ = run_->points();
}

void LiveSweep::cancel_other_labs(const labs::Lab& lab)
{
    if (run_ && run_->plan()->lab != &lab) cancel();
}

void LiveSweep::cancel()
{
    run_->cancel();
    ending_.push_back(std::move(run_));
    points_.clear();
}

} // namespace lanescope::app
