// Picks the number of steps that fits the frame budget.
#include "app/run/actors/schedule.h"

#include <algorithm>
#include <chrono>

namespace lanescope::app {

using namespace std::chrono_literals;

namespace {

constexpr std::chrono::duration<double> simt_budget = 12ms; // for steps between two pictures
// For steps of a replay, where pictures only show progress.
constexpr std::chrono::duration<double> replay_budget = 60ms;
constexpr double cuda_budget_ms = 8;

} // namespace

// simt counts every step, because it has no times to distort. On a GPU counting takes time, so the
// sides of A/B are counted once.
Counting Schedule::counting(const Side& side) const
{
    Counting wanted = plan.counting;
    if (comparison && wanted.request && wanted.request->site < 0) {
        // Both sides show the same access: the one chosen by the side where it costs more.
        const bool is_leader = &side == &leader;
        const Side& other = is_leader ? *comparison : leader;
        const double own = side.worst_excess();
        const auto counted = other.counted_request();
        if (counted && (is_leader ? other.worst_excess() > own : other.worst_excess() >= own)) {
            wanted.request->site = counted->site;
            wanted.request->variant = counted->variant;
        }
    }
    if (!plan.totals) return wanted;
    const auto known = [&](const Side& one) {
        const auto found = measured.variants.find(one.variant().id);
        return found != measured.variants.end() && found->second.totals.has_value();
    };
    wanted.sites |= !has_clock || (comparison && !(known(leader) && known(*comparison)));
    return wanted;
}

std::string Schedule::view() const
{
    return plan.view.empty() ? leader.lab().views.front() : plan.view;
}

bool Schedule::recounts(const Side& side) const
{
    const Counting wanted = counting(side);
    return wanted.any() && (side.counted() != wanted || (!plan.running && side.recording_lags()));
}

std::int64_t Schedule::steps_on_clock(const Side& side, std::int64_t wanted) const
{
    const Spread known = measured.step_ms(side.variant().id);
    const double step_ms = known.count > 0 ? std::max(known.median, 1e-3) : cuda_budget_ms;
    return std::min(wanted, 1 + static_cast<std::int64_t>(cuda_budget_ms / step_ms));
}

bool Schedule::is_quick(const Side& side, const Side::Work& work) const
{
    constexpr double soon_ms = 10;
    if (side.has_pending() || side.replaying() || recounts(side)) return false;
    // Counts only the last step: if every step were counted, no step would have the plain kernel's
    // time.
    const bool counts = work.counting.any();
    const std::int64_t plain = counts ? std::max<std::int64_t>(work.steps - 1, 0) : work.steps;
    const Spread step = measured.step_ms(side.variant().id);
    const Spread probed = measured.probed_ms(side.variant().id);
    if ((plain > 0 && step.count == 0) || (counts && probed.count == 0)) return false;
    return step.median * static_cast<double>(plain) + (counts ? probed.median : 0) < soon_ms;
}

bool Schedule::together() const
{
    return comparison && leader.picture() && comparison->picture() && !leader.replaying() &&
           !comparison->replaying() && launches_to_catch_up(*comparison, leader) == 0;
}

std::optional<Side::Work> Schedule::leader_work() const
{
    Side::Work work{.steps = 0,
                    .budget = {},
                    .view = view(),
                    .counting = counting(leader),
                    .continues = plan.running && !plan.never_skips_steps};
    // Makes a picture first if there are counts to show beside it.
    if (leader.has_counts_of_trial() && !leader.picture()) work.counting = {};
    const bool replays = leader.replaying();
    const bool waits_for_comparison =
        comparison && !replays &&
        (comparison->replaying() || launches_to_catch_up(*comparison, leader) > 0);
    if (replays)
        work.steps = leader.replay_left();
    else if (waits_for_comparison ||
             ((has_clock && plan.sweep && sweep_runs) && !plan.never_skips_steps))
        work.steps = 0; // its steps would disturb the sweep's times on the same GPU
    else
        work.steps = plan.running ? leader.steps_per_frame() : steps;
    if (comparison && !replays && work.steps > 0)
        work.steps = launches_together(leader, *comparison, work.steps);
    if (waits || (plan.never_skips_steps && !replays) || (comparison && !replays)) {
        // Without pacing: always the same number of steps, however long they take.
    } else if (has_clock) {
        work.steps = steps_on_clock(leader, work.steps);
    } else {
        work.budget = replays ? replay_budget : simt_budget;
    }
    const bool due = work.steps > 0 || replays || leader.has_pending() || !leader.picture() ||
                     leader.view() != work.view || recounts(leader);
    return due ? std::optional(work) : std::nullopt;
}

std::optional<Side::Work> Schedule::comparison_work() const
{
    if (!comparison || leader.replaying() || !leader.picture()) return {};
    Side::Work work{.steps = 0,
                    .budget = {},
                    .view = view(),
                    .counting = counting(*comparison),
                    .continues = plan.running && !plan.never_skips_steps};
    const bool replays = comparison->replaying();
    work.steps = replays ? comparison->replay_left() : launches_to_catch_up(*comparison, leader);
    if (replays && !waits) {
        if (has_clock)
            work.steps = steps_on_clock(*comparison, work.steps);
        else
            work.budget = replay_budget;
    }
    const bool due = work.steps > 0 || replays || comparison->has_pending() ||
                     !comparison->picture() || comparison->view() != work.view ||
                     recounts(*comparison);
    return due ? std::optional(work) : std::nullopt;
}

// While an experiment runs on a GPU, the difference needs two downloads per frame, so it is
// computed only if it is drawn.
bool Schedule::difference_is_wanted() const
{
    return (plan.difference || plan.never_skips_steps || !plan.running || !has_clock) && together();
}

} // namespace lanescope::app
