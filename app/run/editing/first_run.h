// What came from elsewhere runs on the lockstep machine before it runs on the engine: a .cu, a
// session or a lab's folder may loop for ever or write where nothing is, and a GPU's context, or
// the screen of a desktop, would go with it.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "app/document/journal.h"
#include "app/run/editing/trial.h"
#include "compute/labs/lab.h"

namespace lanescope::app {

// Whether the lab is none of those that the program carries.
bool is_foreign(const labs::Lab& lab);

// From any thread; one trial at a time.
class FirstRuns {
public:
    // What came of the variant's first step with these values, now or before. Throws
    // device::Cancelled after cancel().
    Tried result(const labs::Lab& lab, const labs::Variant& variant, const Start& start);
    // The same; what was not validated before is tried again, because the machine may have been
    // busy.
    Tried anew(const labs::Lab& lab, const labs::Variant& variant, const Start& start);
    // It was validated elsewhere.
    void note(const labs::Lab& lab, const labs::Variant& variant, const Start& start);
    // No more trials; the one under way is given up.
    void cancel() noexcept { trials_.cancel(); }

private:
    // The place of its lab, which is another one for other texts, the variant, and how it starts.
    using Key = std::tuple<std::string, std::string, TrialStart>;
    static constexpr std::size_t max_remembered = 256;
    static Key key_of(const labs::Lab& lab, const labs::Variant& variant, const Start& start);

    std::mutex mutex_;
    std::map<Key, Tried> known_;
    Trials trials_;
};

} // namespace lanescope::app
