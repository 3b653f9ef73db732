// Runs external kernels on the lockstep machine before they run on the engine: a .cu file, a
// session or a lab's folder may loop forever or write out of bounds, which would take a GPU's
// context, or a desktop's screen, with it.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "app/document/experiment/journal.h"
#include "app/run/editing/trial.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::app {

// True for labs that are not built in.
bool is_foreign(const labs::Lab& lab);

// Callable from any thread; runs one trial at a time.
class FirstRuns {
public:
    // Result of the variant's first step with these values, cached. Throws device::Cancelled after
    // cancel().
    TrialResult result(const labs::Lab& lab, const labs::Variant& variant, const Start& start);
    // The same, but repeats a trial that failed, because the machine may have been busy.
    TrialResult retry(const labs::Lab& lab, const labs::Variant& variant, const Start& start);
    // Records that the variant was validated elsewhere.
    void note(const labs::Lab& lab, const labs::Variant& variant, const Start& start);
    // Cancels the trial in progress and all later ones.
    void cancel() noexcept { trials_.cancel(); }

private:
    // The lab's id (which changes with its sources), the variant, and the start.
    using Key = std::tuple<std::string, std::string, TrialStart>;
    static constexpr std::size_t max_remembered = 256;
    static Key key_of(const labs::Lab& lab, const labs::Variant& variant, const Start& start);

    std::mutex mutex_;
    std::map<Key, TrialResult> known_;
    Trials trials_;
};

} // namespace lanescope::app
