// Where a variant runs: on the engine that the user chose or, where it would fault or has not come
// through its first run, on a lockstep machine beside it that looks for every kind of fault.
#pragma once

#include <memory>
#include <string>

#include "app/document/journal.h"
#include "app/run/editing/first_run.h"
#include "app/run/plan.h"
#include "app/run/shared_device.h"

namespace lanescope::app {

class Placement {
public:
    Placement(const WorkerOptions& options, std::shared_ptr<render::GlTaskQueue> tasks)
        : options_(options), tasks_(std::move(tasks))
    {
    }

    // --- any thread ---

    OpenedEngine open(const std::string& choice) const;
    // Beside what is shown. Programs that wait look only at what would run on another engine, once
    // they know it. `validated`: the variant that was tried by whoever opens it.
    void validate_first(const Start& start, const std::string& validated);
    void cancel() noexcept { first_runs_.cancel(); }

    // --- the runner ---

    std::shared_ptr<SharedDevice> share(OpenedEngine engine, std::string choice) const;
    // Why the variant must not run on the engine: what its first run on the lockstep machine came
    // to. Empty: it may.
    std::string refusal(const labs::Variant& variant, device::Engine engine, const Start& start,
                        bool careful);
    // Whether it runs beside the chosen engine.
    bool runs_off_engine(const labs::Variant& variant, device::Engine engine, const Start& start,
                         bool careful);
    // Where all that the journal runs can run: the chosen device, or one beside it.
    std::shared_ptr<SharedDevice> device_for(const std::shared_ptr<SharedDevice>& chosen,
                                             const Journal& journal, bool careful);

private:
    const WorkerOptions options_;
    std::shared_ptr<render::GlTaskQueue> tasks_;
    FirstRuns first_runs_;
};

} // namespace lanescope::app
