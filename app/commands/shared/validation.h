// A kernel of the user's own, or a lab from elsewhere, runs its first step on the lockstep machine
// with every check before a command runs it, as the window does: all commands give one verdict.
#pragma once

#include <memory>
#include <string>

#include "app/commands/shared/options.h"
#include "app/document/session/session_file.h"
#include "app/run/editing/trial.h"
#include "compute/error.h"
#include "compute/labs/lab.h"

namespace lanescope::app {

// Why a variant must not run; no sentence: it may.
struct Refusal {
    std::string sentence{};
    ExitStatus status = ExitStatus::kernel_fault; // bad_usage: nothing but the guess is at fault
    explicit operator bool() const { return !sentence.empty(); }
};

class Validation {
public:
    explicit Validation(const CommonOptions& options);
    ~Validation();

    // At its line. Labs that the program carries have none. Warnings go to stderr, and so does a
    // line where checks are off or smaller sizes were tried.
    Refusal problem(const labs::Lab& lab, const labs::Variant& variant, const TrialStart& start,
                    device::Engine engine);
    // Throws Error with the problem.
    void require(const labs::Lab& lab, const labs::Variant& variant, const TrialStart& start,
                 device::Engine engine);

private:
    const CommonOptions& options_;
    std::unique_ptr<Trials> trials_; // made for the first that needs it
};

// What the options start an experiment of the lab with.
TrialStart start_of(const labs::Lab& lab, const CommonOptions& options);

// What the session opens, on the engine that it names.
void require_valid(const CommonOptions& options, const Session& session);

} // namespace lanescope::app
