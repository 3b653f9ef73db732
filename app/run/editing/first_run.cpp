// Caches each result with everything it depends on, so that a restart, or another variant of an
// edited kernel, needs no second trial.
#include "app/run/editing/first_run.h"

#include <algorithm>

namespace lanescope::app {

bool is_foreign(const labs::Lab& lab)
{
    return std::ranges::none_of(labs::all(), [&](const labs::Lab& own) { return &own == &lab; });
}

FirstRuns::Key FirstRuns::key_of(const labs::Lab& lab, const labs::Variant& variant,
                                 const Start& start)
{
    return {
        lab.place, variant.id, {as_texts(lab, start_values(lab, start)), start.seed, start.image}};
}

TrialResult FirstRuns::result(const labs::Lab& lab, const labs::Variant& variant,
                              const Start& start)
{
    const Key key = key_of(lab, variant, start);
    const std::scoped_lock lock(mutex_);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    TrialResult tried = trials_.run(lab, variant, std::get<TrialStart>(key));
    tried.cost.reset(); // a trace is large and not needed here
    if (known_.size() >= max_remembered) known_.clear();
    return known_[key] = std::move(tried);
}

TrialResult FirstRuns::retry(const labs::Lab& lab, const labs::Variant& variant, const Start& start)
{
    {
        const Key key = key_of(lab, variant, start);
        const std::scoped_lock lock(mutex_);
        const auto known = known_.find(key);
        if (known != known_.end() && known->second.kind != TextOutcome::Kind::validated)
            known_.erase(known);
    }
    return result(lab, variant, start);
}

void FirstRuns::note(const labs::Lab& lab, const labs::Variant& variant, const Start& start)
{
    const Key key = key_of(lab, variant, start);
    const std::scoped_lock lock(mutex_);
    known_[key] = {};
}

} // namespace lanescope::app
