// The sweep of the window: follows the shown variant and the parameters, and begins afresh when
// they change.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/run/sweep/sweep_run.h"

namespace lanescope::app {

class LiveSweep {
public:
    // What it follows, besides the device.
    struct Subject {
        const labs::Lab* lab = nullptr;
        std::string variant;
        labs::Values values;
        std::uint64_t seed = 1;
        std::filesystem::path image;
    };

    // Starts or restarts the run that fits; one that no longer fits is cancelled, and the next
    // begins when its last point is done. To be called in every frame that shows it.
    void follow(const device::Device& device, const Subject& subject);

    // Brings points() up to now.
    void take_points();

    // Ends a run of another lab than this: nobody will look at it.
    void keep_to(const labs::Lab& lab);

    // Choices of the user, kept until another lab or, where it is not part of it, another variant.
    void choose(const labs::Sweep& sweep) { chosen_ = &sweep; }
    const labs::Sweep* chosen() const { return chosen_; }
    bool all_variants = true; // or the shown one alone

    const SweepRun* run() const { return run_.get(); } // null before the first follow()
    // The run's points so far, kept from one call to the next.
    const std::vector<SweepPoint>& points() const { return points_; }

private:
    void cancel();
    SweepPlan plan_for(const device::Device& device, const Subject& subject);

    const labs::Lab* lab_ = nullptr;
    std::shared_ptr<const labs::Lab> held_;
    const labs::Sweep* chosen_ = nullptr;
    std::string variant_;
    std::unique_ptr<SweepRun> run_;
    std::vector<std::unique_ptr<SweepRun>> ending_; // cancelled
    std::vector<SweepPoint> points_;
};

} // namespace lanescope::app
