// Converts steps of one variant to launches of another, which may make several steps each.
#include "app/run/side/comparison.h"

#include <cstdint>

namespace lanescope::app {

Journal comparison_journal(const Journal& journal, const std::string& id)
{
    const labs::Lab& lab = labs::find(journal.start.lab);
    const std::int64_t stride = labs::find_variant(lab, id).steps;
    std::int64_t steps_per_launch = labs::find_variant(lab, journal.start.variant).steps;
    std::int64_t launches = 0; // made by the journal's own variants
    std::int64_t steps = 0;    // simulation steps
    const auto go_to = [&](std::int64_t launch) {
        steps += (launch - launches) * steps_per_launch;
        launches = launch;
        return (steps + stride - 1) / stride;
    };
    Journal comparison{journal.start, {}, 0};
    comparison.start.variant = id;
    for (const Event& event : journal.events) {
        const std::int64_t at = go_to(event.step);
        if (const auto* change = std::get_if<VariantChange>(&event.what))
            steps_per_launch = labs::find_variant(lab, change->id).steps;
        else
            comparison.events.push_back({at, event.what});
    }
    comparison.steps = go_to(journal.steps);
    return comparison;
}

} // namespace lanescope::app
