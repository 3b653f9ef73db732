// Runs a kernel's first steps where they are harmless: on a separate lockstep machine, with every
// check, within a budget. Returns complaints at their lines, or the counts of a successful run.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/document/editing/workbench.h"
#include "app/measure/model/predicted_time.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::simt {
class SimtDevice;
struct Options;
} // namespace lanescope::simt

namespace lanescope::app {

// Values and picture that an experiment starts with.
struct TrialStart {
    std::map<std::string, std::string> values; // all parameters
    std::uint64_t seed = 1;
    std::string image{};
    friend auto operator<=>(const TrialStart&, const TrialStart&) = default;
};

// Complaint about a fault. A fault at a buffer whose size or contents were guessed does not prove
// an error of the kernel: the guess may be wrong.
Complaint complaint_about(const trace::Fault& fault, const labs::Lab& lab,
                          const labs::Variant& variant, bool warning);
bool is_due_to_guess(const trace::Fault& fault, const labs::Lab& lab, const labs::Variant& variant);
// "Nothing was written" if a guessed launch skipped every store; else empty.
std::optional<Complaint> nothing_written(const trace::Trace& trace, const labs::Variant& variant);

struct TrialResult {
    TextOutcome::Kind kind = TextOutcome::Kind::validated;
    std::string sentence{};
    std::vector<Complaint> complaints{};    // only warnings if it was validated
    std::shared_ptr<const StepCost> cost{}; // null if it was not validated, or simt cannot run it
    labs::Work work_per_launch{};           // valid only with a cost
    std::string assumed{};                  // for a guessed launch: "assumed: 4 blocks of 256, …"
};

class Trials {
public:
    static constexpr std::chrono::milliseconds default_budget{500}; // per step
    // Budget, as in commands, of an external variant that runs beside the engine: its first run may
    // have failed or used a smaller size.
    static constexpr std::chrono::milliseconds shown_budget{2000};
    // Options of the machine: every check, and the budget as the limit of a launch.
    static simt::Options careful_options(std::chrono::milliseconds budget = default_budget);

    // For predict(): diverged lanes reconverge as in the simulated GPU's code.
    static simt::Options predicting_options(std::chrono::milliseconds limit, int threads);

    explicit Trials(std::chrono::milliseconds budget = default_budget);
    Trials(std::chrono::milliseconds budget, const simt::Options& options);
    ~Trials();
    Trials(const Trials&) = delete;
    Trials& operator=(const Trials&) = delete;

    // Runs one step and the picture after it with the given values, or with the lab's largest test
    // size if that takes too long. `like` is a variant of the same lab known to terminate, or null:
    // values that are too large for it are skipped, so that both are counted at the same size. Only
    // throws device::Cancelled, after cancel().
    TrialResult run(const labs::Lab& lab, const labs::Variant& variant, const TrialStart& start,
                    const labs::Variant* like = nullptr);
    // Only the counts, cached; null if there are none.
    std::shared_ptr<const StepCost> count(const labs::Lab& lab, const labs::Variant& variant,
                                          const TrialStart& start);

    // The time of the first step on the simulated GPU, after the same step, predicted without
    // complaints about its results. Only throws device::Cancelled, after cancel().
    TimeReport predict(const labs::Lab& lab, const labs::Variant& variant, const TrialStart& start);

    // Callable from any thread: cancels the running trial, and later ones until resume().
    void cancel() noexcept;
    void resume() noexcept;

private:
    struct Key {
        std::string lab;
        std::string variant;
        TrialStart start;
        friend auto operator<=>(const Key&, const Key&) = default;
    };
    static Key key_of(const labs::Lab& lab, const labs::Variant& variant, const TrialStart& start);
    void remember(const Key& key, const std::shared_ptr<const StepCost>& cost);
    TrialResult attempt(const labs::Lab& lab, const labs::Variant& variant,
                        const TrialStart& start);
    TrialResult attempt_reduced(const labs::Lab& lab, const labs::Variant& variant,
                                const TrialStart& start);
    TrialStart reduced(const labs::Lab& lab, const TrialStart& start, std::string& words) const;

    TrialResult stopped(const labs::Variant& variant, std::vector<Complaint> complaints) const;

    std::chrono::milliseconds budget_;
    std::unique_ptr<simt::SimtDevice> device_;
    std::atomic<bool> abandoned_ = false;
    std::set<std::pair<std::string, TrialStart>> too_large_; // keyed by origin of the lab
    std::map<Key, std::shared_ptr<const StepCost>> counted_;
};

} // namespace lanescope::app
