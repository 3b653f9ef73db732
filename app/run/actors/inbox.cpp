// Takes requests under the mutex; every request wakes the runner.
#include "app/run/actors/inbox.h"

#include <algorithm>
#include <utility>

namespace lanescope::app {

void Inbox::note(const Held&, bool nudge)
{
    ++inputs_;
    if (nudge) ++nudges_;
    shared_state_.for_actors.notify_all();
}

void Inbox::tell(const Plan& plan)
{
    const Held held(shared_state_.mutex);
    if (plan == plan_) return;
    Plan paused = plan_;
    paused.running = false;
    if (plan.compare != plan_.compare) interruption_.cancel(held, Part::comparison);
    const bool nudge = plan != paused;
    plan_ = plan;
    note(held, nudge);
}

void Inbox::apply(std::uint64_t opened, Change change)
{
    const Held held(shared_state_.mutex);
    changes_.push_back({opened, std::move(change)});
    note(held, true);
}

void Inbox::step(std::uint64_t opened, std::int64_t launches)
{
    const Held held(shared_state_.mutex);
    if (steps_of_ != opened) steps_ = 0;
    steps_of_ = opened;
    steps_ += launches;
    note(held, true);
}

void Inbox::quit()
{
    const Held held(shared_state_.mutex);
    quit_requested_ = true;
    interruption_.cancel(held);
    note(held, false);
}

Inbox::Round Inbox::begin_round(const Held&, std::uint64_t opened) const
{
    return {plan_, steps_of_ == opened ? steps_ : 0, inputs_, nudges_};
}

std::deque<Inbox::Asked> Inbox::take_changes()
{
    const Held held(shared_state_.mutex);
    return std::exchange(changes_, {});
}

void Inbox::note_made(std::uint64_t opened, std::int64_t launches)
{
    const Held held(shared_state_.mutex);
    if (steps_of_ == opened) steps_ = std::max<std::int64_t>(0, steps_ - launches);
}

void Inbox::settle(const Held&, const Round& round)
{
    if (settled_ == round.inputs) return;
    settled_ = round.inputs;
    shared_state_.for_window.notify_all();
}

} // namespace lanescope::app
