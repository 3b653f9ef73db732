// Chooses where a variant runs: on the selected engine or, if it would fault there or failed its
// first run, on a separate lockstep machine with all checks.
#pragma once

#include <memory>
#include <string>

#include "app/document/experiment/journal.h"
#include "app/run/editing/first_run.h"
#include "app/run/engine/shared_device.h"
#include "app/run/frame/plan.h"

namespace lanescope::app {

class Placement {
public:
    Placement(const WorkerOptions& options, std::shared_ptr<render::GlTaskQueue> tasks)
        : options_(options), tasks_(std::move(tasks))
    {
    }

    // --- any thread ---

    OpenedEngine open(const std::string& choice) const;
    // Validates variants in the background. Programs that wait (WorkerOptions::waits) check only
    // variants that would run on another engine. `validated` is the variant that the opener has
    // tried.
    void validate_first(const Start& start, const std::string& validated);
    void cancel() noexcept { first_runs_.cancel(); }

    // --- the runner ---

    std::shared_ptr<SharedDevice> share(OpenedEngine engine, std::string choice) const;
    // Why the variant may not run on the engine, judged by its first run on the lockstep machine;
    // empty if it may.
    std::string refusal(const labs::Variant& variant, device::Engine engine, const Start& start,
                        bool careful);
    // True if the variant runs on a lockstep machine instead of the selected engine.
    bool runs_off_engine(const labs::Variant& variant, device::Engine engine, const Start& start,
                         bool careful);
    // A device on which every variant in the journal can run: the selected one, or a lockstep
    // machine.
    std::shared_ptr<SharedDevice> device_for(const std::shared_ptr<SharedDevice>& chosen,
                                             const Journal& journal, bool careful);

private:
    const WorkerOptions options_;
    std::shared_ptr<render::GlTaskQueue> tasks_;
    FirstRuns first_runs_;
};

} // namespace lanescope::app
