// The window's sweep: follows the variant and parameters on screen, and restarts when they change.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/run/sweep/sweep_run.h"

namespace lanescope::app {

class LiveSweep {
public:
    // A sweep's subject besides the device; a change restarts it.
    struct Subject {
        const labs::Lab* lab = nullptr;
        std::string variant;
        labs::Values values;
        std::uint64_t seed = 1;
        std::filesystem::path image;
    };

    // Starts a run for the subject unless one is in progress. A run for another subject is
    // cancelled; the new run starts once that one has finished its point. Call in every frame that
    // shows the sweep.
    void follow(const device::Device& device, const Subject& subject);

    // Updates points().
    void take_points();

    // Ends runs of other labs than this one.
    void cancel_other_labs(const labs::Lab& lab);

    // Choices of the user, kept until another lab or a variant outside the sweep is shown.
    void choose(const labs::Sweep& sweep) { chosen_ = &sweep; }
    const labs::Sweep* chosen() const { return chosen_; }
    bool all_variants = true; // otherwise only the variant on screen

    const SweepRun* run() const { return run_.get(); } // null before the first follow()
    // The run's points so far, valid until the next call.
    const std::vector<SweepPoint>& points() const { return points_; }

private:
    void cancel();
    SweepPlan plan_for(const device::Device& device, const Subject& subject);

    const labs::Lab* lab_ = nullptr;
    std::shared_ptr<const labs::Lab> held_;
    const labs::Sweep* chosen_ = nullptr;
    std::string variant_;
    std::unique_ptr<SweepRun> run_;
    std::vector<std::unique_ptr<SweepRun>> ending_; // cancelled, but still finishing a point
    std::vector<SweepPoint> points_;
};

} // namespace lanescope::app
