// Validates a user's kernel or an external lab before a command runs it: its first step runs on the
// lockstep machine with every check. The window does the same, so all commands give the same
// verdict.
#pragma once

#include <memory>
#include <string>

#include "app/commands/shared/options.h"
#include "app/document/session/session_file.h"
#include "app/run/editing/trial.h"
#include "compute/error.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::app {

// Why the variant may not run; empty if it may.
struct Refusal {
    std::string sentence{};
    ExitStatus status = ExitStatus::kernel_fault; // bad_usage if only the guessed launch is to
                                                  // blame
    std::string assumed{};                        // assumptions of a guessed launch
    explicit operator bool() const { return !sentence.empty(); }
};

class Validation {
public:
    explicit Validation(const CommonOptions& options);
    ~Validation();

    // Returns the problem with its line; none for built-in labs. Warnings go to stderr, as does a
    // note if checks are off or smaller sizes were tried.
    Refusal problem(const labs::Lab& lab, const labs::Variant& variant, const TrialStart& start,
                    device::Engine engine);
    // Throws Error with the problem.
    void require(const labs::Lab& lab, const labs::Variant& variant, const TrialStart& start,
                 device::Engine engine);

private:
    const CommonOptions& options_;
    std::unique_ptr<Trials> trials_; // created on first use
};

// Returns the start of an experiment of the lab with these options.
TrialStart start_of(const labs::Lab& lab, const CommonOptions& options);

// Validates everything that the session opens, on its engine.
void require_valid(const CommonOptions& options, const Session& session);

} // namespace lanescope::app
