// Undo and redo exchange arrangements. Variants and values follow at once, because the running
// experiment can take them; another lab, another size or a stroke that is taken back needs an
// experiment that lives through its journal again, without what was undone.
#include "app/document/edits.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

namespace lanescope::app {
namespace {

// What a command is about besides its kind: dragging another slider is another step.
std::string subject_of(const Command& command)
{
    if (const auto* set = std::get_if<SetValue>(&command)) return set->id;
    if (const auto* size = std::get_if<SizePanel>(&command)) return size->panel;
    return {};
}

// Drags come as many commands; anything else is a step of its own.
bool is_part_of_a_gesture(const Command& command)
{
    return std::holds_alternative<SetValue>(command) || std::holds_alternative<Paint>(command) ||
           std::holds_alternative<SetMapBlend>(command) ||
           std::holds_alternative<MoveDivider>(command) || std::holds_alternative<Turn>(command) ||
           std::holds_alternative<Zoom>(command) || std::holds_alternative<SizePanel>(command) ||
           std::holds_alternative<SetTextZoom>(command) ||
           std::holds_alternative<ShowRequest>(command);
}

} // namespace

void Edits::apply(const Command& command, Clock::time_point when)
{
    try {
        if (std::holds_alternative<Undo>(command)) return go_back(past_, future_, Wanted::undo);
        if (std::holds_alternative<Redo>(command)) return go_back(future_, past_, Wanted::redo);
        const Arrangement was = now_;
        const bool waiting = now_.wanted.has_value();
        lanescope::app::apply(now_, command);
        if (now_.wanted && !waiting && !before_wanted_) before_wanted_ = was;
        if (!before_wanted_ && was != static_cast<const Arrangement&>(now_))
            note(was, command, when);
    } catch (const std::bad_alloc&) {
        complain("There is not enough memory for this. Choose a smaller size.");
    } catch (const std::exception& error) {
        complain(error.what());
    }
}

void Edits::note(Arrangement was, const Command& command, Clock::time_point when)
{
    future_.clear();
    const std::string about = subject_of(command);
    const bool goes_on = !past_.empty() && past_.back().kind == command.index() &&
                         past_.back().about == about && !past_.back().lived &&
                         when - past_.back().last < one_gesture && is_part_of_a_gesture(command);
    if (goes_on) {
        past_.back().last = when;
        return;
    }
    past_.push_back({std::move(was), {}, command.index(), about, when});
    if (past_.size() > most_kept) past_.erase(past_.begin());
}

void Edits::go_back(std::vector<Step>& from, std::vector<Step>& to, Wanted::Kind kind)
{
    if (from.empty() || now_.wanted || before_wanted_) return;
    if (!from.back().lived && same_experiment(now_, from.back().was)) return exchange(from, to, {});
    now_.wanted = Wanted{kind, kind == Wanted::undo ? "what was before" : "what was undone"};
    before_wanted_ = now_;
}

void Edits::exchange(std::vector<Step>& from, std::vector<Step>& to, std::optional<Journal> left)
{
    Step step = std::move(from.back());
    from.pop_back();
    Step other{now_, std::move(left), step.kind, step.about, {}};
    static_cast<Arrangement&>(now_) = std::move(step.was);
    if (step.lived) now_.paused = step.lived->steps > 0; // as a session: where it was left
    to.push_back(std::move(other));
}

// The journal that leads to a step: the one that was left behind, or else that of the present
// experiment without the strokes that the step does not have.
Session Edits::session_at(const Step& step, const Journal& lived)
{
    if (step.lived) return session_of(step.was, *step.lived);
    const std::size_t kept = step.was.strokes_before + step.was.strokes.size();
    Journal journal{step.was.start, {}, lived.steps};
    std::size_t strokes = 0;
    for (const Event& event : lived.events)
        if (!std::holds_alternative<labs::Stroke>(event.what) || strokes++ < kept)
            journal.events.push_back(event);
    // Strokes that come back were the last thing that was done.
    for (std::size_t i = strokes; i < kept; ++i) {
        const std::size_t own = i - std::min(i, step.was.strokes_before);
        if (own < step.was.strokes.size())
            journal.events.push_back({lived.steps, step.was.strokes[own]});
    }
    return session_of(step.was, journal);
}

Edits::Begun Edits::begin_wanted(const Journal& lived)
{
    Begun begun{*now_.wanted, fresh_session(now_)};
    now_.wanted.reset();
    const Wanted& wanted = begun.wanted;
    if (wanted.kind == Wanted::undo || wanted.kind == Wanted::redo) {
        const auto& steps = wanted.kind == Wanted::undo ? past_ : future_;
        begun.session = session_at(steps.back(), lived);
        if (begun.session.device != now_.device) begun.wanted.engine = begun.session.device;
    } else if (wanted.kind == Wanted::lab) {
        begun.session.journal.start = {
            wanted.lab_id, wanted.variant, {}, now_.start.seed, now_.start.image};
        begun.session.look.compare.clear();
    } else if (wanted.engine) {
        begun.session.device = *wanted.engine;
    }
    return begun;
}

void Edits::arrive(const Session& session, Wanted::Kind kind, const Journal& left)
{
    std::optional<Arrangement> was = std::exchange(before_wanted_, {});
    if (kind == Wanted::undo || kind == Wanted::redo) {
        auto& from = kind == Wanted::undo ? past_ : future_;
        auto& to = kind == Wanted::undo ? future_ : past_;
        if (!from.empty()) exchange(from, to, left);
        now_.log.dismiss();
    } else {
        lanescope::app::arrive(now_, session, kind);
        future_.clear();
        if (was) past_.push_back({std::move(*was), left, SIZE_MAX, {}, {}});
        if (past_.size() > most_kept) past_.erase(past_.begin());
    }
    if (now_.wanted) before_wanted_ = now_; // another one waits already
}

void Edits::refuse(const std::string& why)
{
    complain(why);
    if (now_.wanted || !before_wanted_) return;
    // What was wanted of the experiment goes back; how it is looked at stays as it is by now.
    now_.values = before_wanted_->values;
    now_.variant = before_wanted_->variant;
    now_.strokes = before_wanted_->strokes;
    now_.preset = before_wanted_->preset;
    before_wanted_.reset();
}

void Edits::stop_comparing()
{
    now_.look.compare.clear();
}

void Edits::tell(std::string notice)
{
    now_.log.add(std::move(notice), false, Message::Clock::now());
}

void Edits::complain(std::string error)
{
    now_.log.add(std::move(error), true, Message::Clock::now());
}

} // namespace lanescope::app
