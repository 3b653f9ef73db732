// A kernel's first steps, where they can do no harm: on a lockstep machine of their own, with every
// check, within a budget. What is wrong comes back as a complaint at its line, and what came
// through with its counts.
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
#include "compute/labs/lab.h"

namespace lanescope::simt {
class SimtDevice;
struct Options;
} // namespace lanescope::simt

namespace lanescope::app {

// What an experiment is started with.
struct TrialStart {
    std::map<std::string, std::string> values; // of all parameters
    std::uint64_t seed = 1;
    std::string image{};
    friend auto operator<=>(const TrialStart&, const TrialStart&) = default;
};

// What a fault says about the kernel. Beyond a buffer whose size or contents were only guessed, it
// says nothing: the guess may be wrong.
Complaint complaint_of(const trace::Fault& fault, const labs::Lab& lab,
                       const labs::Variant& variant, bool warning);
bool is_due_to_guess(const trace::Fault& fault, const labs::Lab& lab, const labs::Variant& variant);
// "Nothing was written" where a guessed launch left every store out; nothing otherwise.
std::optional<Complaint> nothing_written(const trace::Trace& trace, const labs::Variant& variant);

struct Tried {
    TextOutcome::Kind kind = TextOutcome::Kind::validated;
    std::string sentence{};
    std::vector<Complaint> complaints{};    // warnings alone where it was validated
    std::shared_ptr<const StepCost> cost{}; // null: it was not validated, or simt cannot run it
    labs::Work work_per_launch{};           // where there is a cost
};

class Trials {
public:
    static constexpr std::chrono::milliseconds usual_budget{500}; // of a step
    // Of one that is shown because its first run failed, perhaps at a smaller size: as commands
    // give it.
    static constexpr std::chrono::milliseconds shown_budget{2000};
    // Of the machine: every check, and no launch takes longer than the budget.
    static simt::Options careful_options(std::chrono::milliseconds budget = usual_budget);

    explicit Trials(std::chrono::milliseconds budget = usual_budget);
    Trials(std::chrono::milliseconds budget, const simt::Options& options);
    ~Trials();
    Trials(const Trials&) = delete;
    Trials& operator=(const Trials&) = delete;

    // One step and the picture after it, with the values that are shown; with the lab's largest
    // test size where that takes too long. `like` is a variant of the same lab that is known to
    // end, or null: what is too large for it is too large from the start, so that both are counted
    // at the same size. Throws device::Cancelled after cancel(), and nothing else.
    Tried run(const labs::Lab& lab, const labs::Variant& variant, const TrialStart& start,
              const labs::Variant* like = nullptr);
    // The counts alone; null where there are none. Remembered.
    std::shared_ptr<const StepCost> count(const labs::Lab& lab, const labs::Variant& variant,
                                          const TrialStart& start);

    // From any thread: what runs is given up, until resume().
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
    Tried attempt(const labs::Lab& lab, const labs::Variant& variant, const TrialStart& start);
    Tried attempt_reduced(const labs::Lab& lab, const labs::Variant& variant,
                          const TrialStart& start);
    TrialStart reduced(const labs::Lab& lab, const TrialStart& start, std::string& words) const;

    Tried stopped(const labs::Variant& variant, std::vector<Complaint> complaints) const;

    std::chrono::milliseconds budget_;
    std::unique_ptr<simt::SimtDevice> device_;
    std::atomic<bool> given_up_ = false;
    std::set<std::pair<std::string, TrialStart>> too_large_; // labs by their origin
    std::map<Key, std::shared_ptr<const StepCost>> counted_;
};

} // namespace lanescope::app
