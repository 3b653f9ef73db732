// Undo and redo swap arrangements. Variants and values apply at once, because the running
// experiment accepts them; another lab, another size or an undone stroke needs an experiment that
// replays its journal without the undone events.
#include "app/document/edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/document/editing.h"
#include "app/document/undo_words.h"
#include "app/lessons/talk.h"
#include "compute/system_failure.h"

namespace lanescope::app {
namespace {

// The target of a command, in addition to its kind: dragging another slider, or editing another
// line, is a separate undo step.
std::string subject_of(const Command& command, const Document& after)
{
    if (command.is<EditText>()) {
        const EditedText edited = edited_text(after);
        return fmt::format("{}:{}", edited.file, std::ranges::count(edited.text, '\n'));
    }
    if (const auto* edit = command.get_if<EditFile>())
        return fmt::format("{}:{}", edit->file, std::ranges::count(edit->text, '\n'));
    if (const auto* set = command.get_if<SetValue>()) return set->id;
    if (const auto* entry = command.get_if<SetRecordEntry>()) return entry->pointer;
    if (const auto* size = command.get_if<SizePanel>()) return size->panel;
    if (const auto* code = command.get_if<PlaceCode>()) // its width is being dragged
        return code->choice.heat + std::to_string(static_cast<int>(code->choice.place));
    return {};
}

// True for commands that a drag sends repeatedly; all others are separate undo steps.
bool is_part_of_gesture(const Command& command)
{
    return command.is<SetValue>() || command.is<Paint>() || command.is<EditText>() ||
           command.is<EditFile>() || command.is<SetMapBlend>() || command.is<MoveDivider>() ||
           command.is<Orbit>() || command.is<Zoom>() || command.is<SizePanel>() ||
           command.is<SetTextZoom>() || command.is<PlaceCode>() || command.is<ShowRequest>() ||
           command.is<ShowStepped>();
}

} // namespace

void Edits::apply(const Command& command, Clock::time_point when)
{
    try {
        if (command.is<Undo>()) return go_back(past_, future_, Wanted::undo);
        if (command.is<Redo>()) return go_back(future_, past_, Wanted::redo);
        const Arrangement was = now_;
        const bool waiting = now_.wanted && now_.wanted->kind != Wanted::edit;
        lanescope::app::apply(now_, command);
        const bool edit = now_.wanted && now_.wanted->kind == Wanted::edit;
        if (now_.wanted && !edit && !waiting && !before_request_) before_request_ = was;
        if (!before_request_ && was != static_cast<const Arrangement&>(now_))
            note(was, command, when);
    } catch (const std::exception& error) {
        const auto refused = system_failure(error);
        complain(refused ? refused->what() : error.what());
    }
}

void Edits::note(Arrangement was, const Command& command, Clock::time_point when)
{
    future_.clear();
    const std::string about = subject_of(command, now_);
    const bool continues = !past_.empty() && past_.back().kind == command.index() &&
                           past_.back().about == about && !past_.back().past_journal &&
                           when - past_.back().last < one_gesture && is_part_of_gesture(command);
    if (continues) {
        past_.back().last = when;
        return;
    }
    past_.push_back({std::move(was), {}, command.index(), about, when});
    if (past_.size() > max_kept) past_.erase(past_.begin());
}

void Edits::go_back(std::vector<Step>& from, std::vector<Step>& to, Wanted::Kind kind)
{
    // the edit is requested again once the undo is complete
    if (now_.wanted && now_.wanted->kind == Wanted::edit) now_.wanted.reset();
    if (from.empty() || now_.wanted || before_request_) return;
    if (!from.back().past_journal && same_experiment(now_, from.back().was))
        return exchange(from, to, {});
    now_.wanted = Wanted{kind, kind == Wanted::undo ? "the previous state" : "the undone state"};
    before_request_ = now_;
}

void Edits::exchange(std::vector<Step>& from, std::vector<Step>& to, std::optional<Journal> left)
{
    Step step = std::move(from.back());
    from.pop_back();
    Step other{now_, std::move(left), step.kind, step.about, {}};
    const std::string closed_lab = now_.lab().origin();
    const std::string words = difference_in_words(now_, step.was);
    tell(fmt::format("{}: {}.", &from == &past_ ? "Undone" : "Redone",
                     words.empty() ? "a restart" : words));
    static_cast<Arrangement&>(now_) = std::move(step.was);
    swap_versions(now_, closed_lab, now_.lab().origin());
    if (step.past_journal)
        now_.paused = step.past_journal->steps > 0; // paused if it has steps, like a
                                                    // reopened session
    to.push_back(std::move(other));
}

// Session of an undo or redo step: with the journal stored when it was left or, without one, with
// the current experiment's journal minus the strokes that the step lacks.
Session Edits::session_at(const Step& step, const Journal& past_journal, bool paused)
{
    if (step.past_journal) return session_of(step.was, *step.past_journal);
    if (step.was.start.lab != past_journal.start.lab)
        return edited_session(step.was, step.was.start.lab, past_journal, paused);
    const std::size_t kept = step.was.strokes_before + step.was.strokes.size();
    Journal journal{step.was.start, {}, past_journal.steps};
    std::size_t strokes = 0;
    for (const Event& event : past_journal.events)
        if (!std::holds_alternative<labs::Stroke>(event.what) || strokes++ < kept)
            journal.events.push_back(event);
    // Strokes restored by redo were the last events.
    for (std::size_t i = strokes; i < kept; ++i) {
        const std::size_t own = i - std::min(i, step.was.strokes_before);
        if (own < step.was.strokes.size())
            journal.events.push_back({past_journal.steps, step.was.strokes[own]});
    }
    return session_of(step.was, journal);
}

Session Edits::replayed_session(Journal past_journal) const
{
    std::size_t strokes = 0;
    for (const Event& event : past_journal.events)
        strokes += std::holds_alternative<labs::Stroke>(event.what) ? 1 : 0;
    const std::size_t all = now_.strokes_before + now_.strokes.size();
    for (; past_journal.start == now_.start && strokes >= now_.strokes_before && strokes < all;
         ++strokes)
        past_journal.events.push_back(
            {past_journal.steps, now_.strokes[strokes - now_.strokes_before]});
    return session_of(now_, past_journal);
}

Edits::Begun Edits::begin_request(const Journal& past_journal)
{
    Begun begun{*now_.wanted, fresh_session(now_)};
    now_.wanted.reset();
    const Wanted& wanted = begun.wanted;
    if (wanted.kind == Wanted::undo || wanted.kind == Wanted::redo) {
        const auto& steps = wanted.kind == Wanted::undo ? past_ : future_;
        begun.session = session_at(steps.back(), past_journal, now_.paused);
        if (begun.session.device != now_.device) begun.wanted.engine = begun.session.device;
    } else if (wanted.kind == Wanted::edit) {
        begun.session = edited_session(now_, wanted.lab_id, past_journal, now_.paused);
        if (const auto& tried = now_.bench.outcome; tried && tried->lab == wanted.lab_id)
            begun.counts = tried->cost;
    } else if (wanted.kind == Wanted::lab) {
        begun.session.draft.reset();
        const auto left = now_.left.find(labs::find(wanted.lab_id).origin());
        begun.session.kernel_file =
            left == now_.left.end() ? std::string() : left->second.kernel_file;
        begun.session.journal.start = {wanted.lab_id, wanted.variant, wanted.values,
                                       now_.start.seed, now_.start.image};
        begun.session.look.compare.clear();
    } else if (wanted.engine) {
        begun.session.device = *wanted.engine;
    }
    return begun;
}

void Edits::arrive(const Session& session, Wanted::Kind kind, const Journal& left)
{
    if (kind == Wanted::edit) return replace_texts(session);
    std::optional<Arrangement> was = std::exchange(before_request_, {});
    if (kind == Wanted::undo || kind == Wanted::redo) {
        auto& from = kind == Wanted::undo ? past_ : future_;
        auto& to = kind == Wanted::undo ? future_ : past_;
        // New sources restart the same experiment; its journal is still valid.
        const bool other_texts = !from.empty() && !from.back().past_journal &&
                                 from.back().was.start.lab != now_.start.lab;
        if (!from.empty()) exchange(from, to, other_texts ? std::nullopt : std::optional(left));
        now_.start = session.journal.start;
        now_.log.dismiss();
    } else {
        lanescope::app::arrive(now_, session, kind);
        future_.clear();
        if (was) past_.push_back({std::move(*was), left, SIZE_MAX, {}, {}});
        if (past_.size() > max_kept) past_.erase(past_.begin());
    }
    if (now_.wanted) before_request_ = now_; // another request is pending
}

void Edits::replace_texts(const Session& session)
{
    const Arrangement found = document_of(session);
    const Start before = now_.start;
    const auto follows = [&](const Arrangement& one) {
        return one.start == before && *one.texts == labs::texts_of(labs::find(found.start.lab));
    };
    // Undo and redo steps of the same experiment get the new sources, too.
    for (auto* steps : {&past_, &future_})
        for (auto step = steps->rbegin(); step != steps->rend() && !step->past_journal; ++step) {
            if (!follows(step->was)) break;
            show_validated_edit(step->was, found);
        }
    if (before_request_ && follows(*before_request_)) show_validated_edit(*before_request_, found);
    show_validated_edit(now_, found);
}

void Edits::take(std::shared_ptr<const TextOutcome> outcome,
                 std::shared_ptr<const StepCost> original)
{
    if (outcome->texts->base != now_.texts->base || outcome->texts->id != now_.texts->id)
        return; // the outcome belongs to a lab that was closed
    const bool edited = *outcome->texts != labs::texts_of(now_.lab());
    if (outcome->kind == TextOutcome::Kind::validated && (edited || shown_version(now_)))
        add_version(*outcome, std::move(original));
    report_hidden_mistake(*outcome);
    now_.bench.outcome = std::move(outcome);
}

// Reports a mistake in source that was saved by another editor while the source view, which would
// show it, is hidden. The record is left out, because it has its own panel.
void Edits::report_hidden_mistake(const TextOutcome& outcome)
{
    const Look& look = now_.look;
    const bool shows_source =
        look.code_is_beside() || (look.panels.bottom > 0 && look.panels.bottom_tab == tabs::source);
    if (outcome.kind == TextOutcome::Kind::validated || now_.kernel_file.empty() || shows_source)
        return;
    const labs::Texts running = labs::texts_of(now_.lab());
    const bool source_edited = std::ranges::any_of(outcome.texts->files, [&](const auto& file) {
        const auto& [name, text] = file;
        const auto before = running.files.find(name);
        return name != labs::record_file &&
               (before == running.files.end() || before->second != text);
    });
    if (source_edited)
        complain(outcome.sentence + " The picture still shows the previous version. Shift C "
                                    "shows the source.");
}

void Edits::note_compiling(std::optional<Shared<labs::Texts>> texts)
{
    now_.bench.compiling = std::move(texts);
}

void Edits::add_version(const TextOutcome& outcome, std::shared_ptr<const StepCost> original)
{
    const labs::Lab& lab = labs::find(outcome.lab);
    const labs::Variant* const variant = lab.find_variant(outcome.variant);
    if (!variant || !outcome.texts->files.contains(variant->source)) return;
    auto& versions = now_.bench.versions;
    const std::string origin = variant->edited.empty() ? variant->id : variant->edited;
    const labs::Variant& first = labs::find_variant(lab, origin);
    int number = 0;
    bool has_original = false;
    for (auto& one : versions) {
        const bool same = one->variant == variant->id;
        if (same) number = std::max(number, one->number);
        has_original = has_original || (one->number == 0 && one->variant == origin);
        const bool again = same && *one->text == lab.source(*variant);
        const bool is_original = one->number == 0 && one->variant == origin && original;
        if (!again && !is_original) continue;
        auto newer = std::make_shared<Version>(*one);
        if (again) newer->lab = outcome.lab;
        if (again && outcome.cost) newer->cost = outcome.cost;
        if (is_original) newer->cost = original;
        one = std::move(newer);
        if (again) return;
    }
    if (!has_original && origin != variant->id)
        versions.push_back(std::make_shared<Version>(Version{0,
                                                             first.title,
                                                             origin,
                                                             origin,
                                                             lab.origin(),
                                                             first.source,
                                                             std::string(lab.source(first)),
                                                             std::move(original),
                                                             {}}));
    versions.push_back(
        std::make_shared<Version>(Version{number + 1,
                                          fmt::format("{} {}", variant->title, number + 1),
                                          origin,
                                          variant->id,
                                          outcome.lab,
                                          variant->source,
                                          std::string(lab.source(*variant)),
                                          outcome.cost,
                                          {}}));
    if (versions.size() <= Workbench::max_versions) return;
    const auto oldest = std::ranges::find_if(versions, [](const auto& one) { return one->number; });
    versions.erase(oldest);
}

std::set<std::string, std::less<>> Edits::places() const
{
    std::set<std::string, std::less<>> places;
    const auto add_versions = [&](const auto& versions) {
        for (const auto& version : versions) places.insert(version->lab);
    };
    places.insert(now_.start.lab);
    if (now_.wanted) places.insert(now_.wanted->lab_id);
    if (now_.bench.outcome) places.insert(now_.bench.outcome->lab);
    add_versions(now_.bench.versions);
    for (const auto& [of, left] : now_.left) {
        places.insert(left.lab);
        add_versions(left.versions);
    }
    for (const auto* steps : {&past_, &future_})
        for (const Step& step : *steps) {
            places.insert(step.was.start.lab);
            if (step.past_journal) places.insert(step.past_journal->start.lab);
        }
    if (before_request_) places.insert(before_request_->start.lab);
    if (const Talk* talk = now_.presentation.talk.get()) {
        places.insert(talk->lesson_of);
        for (const Beat& beat : talk->beats) places.insert(beat.scene.lab);
    }
    return places;
}

void Edits::note_cost(const std::string& lab, const std::string& variant,
                      const std::shared_ptr<const StepCost>& cost)
{
    for (auto& one : now_.bench.versions) {
        if (one->lab != lab || one->variant != variant || one->cost == cost) continue;
        auto newer = std::make_shared<Version>(*one);
        newer->cost = cost;
        one = std::move(newer);
    }
}

void Edits::note_time(const std::string& lab, const std::string& variant, const Spread& step_ms)
{
    const labs::Lab& of = labs::find(lab);
    const std::string_view text = of.source(labs::find_variant(of, variant));
    for (auto& one : now_.bench.versions) {
        if (one->variant != variant || *one->text != text || step_ms.count == one->step_ms.count)
            continue;
        auto newer = std::make_shared<Version>(*one);
        newer->step_ms = step_ms;
        one = std::move(newer);
    }
}

void Edits::follow_texts()
{
    const auto& outcome = now_.bench.outcome;
    if (now_.wanted || before_request_ || !outcome || outcome->texts != now_.texts) return;
    if (outcome->kind != TextOutcome::Kind::validated || outcome->lab == now_.start.lab) return;
    now_.wanted = Wanted{.kind = Wanted::edit,
                         .title = now_.lab().title,
                         .lab_id = outcome->lab,
                         .variant = outcome->variant};
}

void Edits::refuse_edit(const std::string& why)
{
    if (now_.bench.outcome) {
        auto refused = std::make_shared<TextOutcome>(*now_.bench.outcome);
        refused->kind = TextOutcome::Kind::refused;
        refused->sentence = why;
        now_.bench.outcome = std::move(refused);
    }
    complain(why);
}

void Edits::refuse(const std::string& why)
{
    complain(why);
    if (now_.wanted || !before_request_) return;
    // Reverts the changes requested of the experiment; keeps the current look.
    now_.values = before_request_->values;
    now_.variant = before_request_->variant;
    now_.strokes = before_request_->strokes;
    now_.preset = before_request_->preset;
    now_.presentation.arriving = false;
    before_request_.reset();
}

void Edits::give(std::shared_ptr<const Talk> talk)
{
    now_.presentation = {};
    now_.presentation.talk = std::move(talk);
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
