// Runs in rounds: opens new jobs, applies requests, steps each side, and publishes a frame.
#include "app/run/actors/runner.h"

#include <fmt/format.h>

#include <utility>

#include "app/run/actors/problems.h"
#include "app/run/side/comparison.h"
#include "compute/error.h"

namespace lanescope::app {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

// When only some variants of a lab were edited, keeps the measurements of the unchanged ones.
void keep_measurements(const labs::Lab& left, const MeasuredLive& known, const labs::Lab& lab,
                       MeasuredLive& measured)
{
    if (left.origin() != lab.origin() || left.place == lab.place) return;
    measured.times_outdated = known.times_outdated;
    for (const auto& [id, one] : known.variants) {
        const labs::Variant* const was = left.find_variant(id);
        const labs::Variant* const is = lab.find_variant(id);
        if (was && is && left.source(*was) == lab.source(*is)) {
            measured.variants[id] = one;
            measured.variants[id].is_new = true;
        }
    }
}

} // namespace

Runner::Runner(const Links& links, bool waits) : links_(links), waits_(waits)
{
    thread_ = LoopThread([this] { run(); });
}

double Runner::busy_s() const
{
    const Clock::rep since = busy_since_;
    if (since == 0) return 0;
    return std::chrono::duration<double>(Clock::now().time_since_epoch() - Clock::duration(since))
        .count();
}

// --- the loop ---

void Runner::run() noexcept
{
    while (!finished_) turn();
}

bool Runner::turn() noexcept
{
    const auto quits = [&] {
        const Held held(links_.shared_state.mutex);
        return links_.inbox.quits(held);
    };
    if (finished_) return false;
    if (quits()) {
        tear_down();
        const Held held(links_.shared_state.mutex);
        finished_ = true;
        links_.shared_state.for_window.notify_all();
        return true;
    }
    try {
        if (round()) return true;
        rest();
        return false;
    } catch (...) {
        fail(std::current_exception());
        post();
        return true;
    }
}

void Runner::tear_down()
{
    links_.loan.end();
    background_.end();
    interrupted_comparison_.reset();
    comparison_.reset();
    leader_.reset();
    difference_calculator_.reset();
    shared_.reset();
    chosen_.reset();
    links_.opener.end();
}

bool Runner::round()
{
    std::exception_ptr map_error;
    {
        const Held held(links_.shared_state.mutex);
        now_ = links_.inbox.begin_round(held, opened_);
        map_error = links_.loan.take_error(held);
        links_.opener.forget_ended(held);
    }
    if (map_error && !halted()) { // otherwise it is a consequence of the first error, which is kept
        fail(map_error);
        post();
    }
    if (follow_opening()) return true;
    const auto pending = [&] {
        const Held held(links_.shared_state.mutex);
        return links_.opener.pending(held);
    };
    if (leader_interrupted_ && !halted() && !pending()) {
        reopen();
        return true;
    }
    if (!leader_ || lost_ || leader_interrupted_) return false;
    // Counts the other variants even if this one ended in a fault.
    const bool has_shown = halted() || (leader_->picture() && !leader_->has_pending());
    if (now_.plan.beside && now_.plan.opened == opened_ && !shared_->has_clock() && has_shown)
        background_.count_variants(*leader_);
    if (!halted() && now_.plan.sweep && now_.plan.opened == opened_)
        background_.follow(*now_.plan.sweep, *leader_, shared_->device());
    bool has_news = background_.take(*measured_);
    if (!halted()) {
        has_news |= leader_->poll_times();
        if (comparison_) has_news |= comparison_->poll_times();
    }
    if (has_news) post();
    if (now_.plan.opened != opened_) return false;
    // A paused experiment gets no new times, so it keeps even outdated ones.
    if (now_.plan.running || now_.steps > 0) measured_->forget_outdated_times();
    take_changes();
    const bool exchanged = swap_comparison();
    return work() || exchanged;
}

void Runner::rest()
{
    Held held(links_.shared_state.mutex);
    std::condition_variable& signal = links_.shared_state.for_actors;
    const auto asked = [&] {
        return links_.inbox.has_more(held, now_) || links_.loan.has_error(held) ||
               links_.inbox.quits(held);
    };
    if (asked()) return;
    if constexpr (!has_threads) return links_.inbox.settle(held, now_);
    if (links_.opener.pending(held)) {
        signal.wait_for(held, 2ms, asked);
        return;
    }
    links_.inbox.settle(held, now_);
    if (background_.continues() || times_are_due())
        signal.wait_for(held, 20ms, asked);
    else
        signal.wait(held, asked);
}

bool Runner::times_are_due() const
{
    return (leader_ && leader_->times_are_due()) || (comparison_ && comparison_->times_are_due());
}

template <class Action>
Runner::Ended Runner::cancellable(Part part, device::Device& device, Action&& action)
{
    const auto wanted = [&](const Held& held) {
        const bool newer =
            part == Part::opening ? links_.opener.pending(held) : links_.opener.leaves(held);
        const bool other =
            part == Part::comparison && links_.inbox.plan(held).compare != now_.plan.compare;
        return !links_.inbox.quits(held) && !newer && !other;
    };
    return links_.interruption.run(part, device, wanted, std::forward<Action>(action));
}

// --- what is open ---

bool Runner::follow_opening()
{
    std::optional<Opening> ready = links_.opener.take_ready();
    if (!ready) return false;
    open_found(std::move(*ready));
    links_.opener.note_started();
    post();
    return true;
}

void Runner::open_found(Opening opening)
{
    std::exception_ptr error;
    try {
        Opening::Beginning made = opening.beginning.get();
        try {
            start(made, opening);
        } catch (...) {
            const auto first = explain_out_of_memory(std::current_exception(), opening.job.what);
            if (!leader_ || opening.job.engine || !is_out_of_memory(first))
                std::rethrow_exception(first);
            close(); // if memory cannot hold both, the current one is closed first
            start(made, opening);
        }
    } catch (const device::Cancelled&) { // a newer job cancelled this one
    } catch (...) {
        error = explain_out_of_memory(std::current_exception(), opening.job.what);
    }
    if (closed_) reopen_closed();
    if (error) fail(error, opening.frame.number);
}

// Builds the new state completely before tearing down the old.
void Runner::start(Opening::Beginning& made, const Opening& opening)
{
    const Session& session = made.found.session;
    std::shared_ptr<SharedDevice> chosen = chosen_;
    if (!made.engine && (!chosen || lost_))
        made.engine = links_.placement.open(chosen ? chosen->choice() : session.device);
    const bool is_new_device = made.engine.has_value();
    if (is_new_device)
        chosen = links_.placement.share(
            std::move(*std::exchange(made.engine, {})),
            opening.job.engine.value_or(chosen_ ? chosen_->choice() : session.device));
    std::shared_ptr<SharedDevice> shared =
        links_.placement.device_for(chosen, session.journal, now_.plan.careful);
    auto measured = std::make_unique<MeasuredLive>();
    std::unique_ptr<Side> side;
    const Ended ended = cancellable(Part::opening, shared->device(), [&] {
        side = std::make_unique<Side>(*shared, session.journal, *measured);
        // On a GPU, compiling the probes takes long; until then the trial's counts are shown.
        if (opening.job.counts && shared->has_clock())
            side->show_counts_of_trial(*opening.job.counts);
    });
    if (ended != Ended::whole) throw device::Cancelled();
    if (is_new_device) background_.measure_roofs(chosen->device());
    if (leader_ && !is_new_device && leader_->values() == side->values())
        keep_measurements(leader_->lab(), *measured_, side->lab(), *measured);
    // The old objects are destroyed on return, after a frame without them was posted.
    std::swap(chosen_, chosen);
    std::swap(shared_, shared);
    std::swap(leader_, side);
    std::swap(measured_, measured);
    const std::unique_ptr<Side> comparison = std::exchange(comparison_, nullptr);
    const auto old_calculator =
        std::exchange(difference_calculator_, std::make_unique<Difference>(*shared_));
    difference_.reset();
    difference_of_ = 0;
    refused_.clear();
    lost_ = false;
    leader_interrupted_ = false;
    closed_.reset();
    halted_at_ = UINT64_MAX;
    background_.cancel_other_labs(leader_->lab());
    opened_ = opening.frame.number;
    found_ = std::make_shared<const Found>(std::move(made.found));
    refresh_side_frames();
    post();
}

void Runner::close()
{
    closed_ = {leader_->journal(), opened_};
    const std::unique_ptr<Side> leader = std::exchange(leader_, nullptr);
    const std::unique_ptr<Side> comparison = std::exchange(comparison_, nullptr);
    const std::unique_ptr<Difference> old_calculator =
        std::exchange(difference_calculator_, nullptr);
    difference_.reset();
    leader_interrupted_ = false; // there is no leader any more
    opened_ = 0;
    leader_frame_ = {};
    comparison_frame_.reset();
    post();
}

// Reopens, from its journal, the experiment that was closed for a job that then failed to open. If
// that fails too, nothing is open, and the first failure is still reported.
void Runner::reopen_closed()
{
    try {
        std::unique_ptr<Side> again = make_side(*shared_, closed_->journal);
        if (!again) return; // reopening may fail as well
        difference_calculator_ = std::make_unique<Difference>(*shared_);
        leader_ = std::move(again);
        opened_ = closed_->opened;
        refresh_side_frames();
        post();
    } catch (...) {
    }
    closed_.reset();
}

// Rebuilds the experiment from its journal when its step was cancelled for a job that then failed
// to open. Until it is rebuilt, frames show the memory that the cancelled step left.
void Runner::reopen()
{
    std::unique_ptr<Side> again = make_side(*shared_, leader_->journal());
    if (!again) return;
    std::swap(leader_, again);
    const std::unique_ptr<Side> comparison = std::exchange(comparison_, nullptr);
    difference_.reset();
    leader_interrupted_ = false;
    refresh_side_frames();
    post();
}

// Creates a side; returns null if the creation was cancelled because something else is being
// opened.
std::unique_ptr<Side> Runner::make_side(SharedDevice& shared, const Journal& journal)
{
    std::unique_ptr<Side> side;
    const Ended ended = cancellable(Part::opening, shared.device(), [&] {
        side = std::make_unique<Side>(shared, journal, *measured_);
    });
    return ended == Ended::whole ? std::move(side) : nullptr;
}

// --- steps and changes ---

void Runner::take_changes()
{
    for (const Inbox::Asked& asked : links_.inbox.take_changes()) {
        if (asked.opened != opened_) continue;
        if (const auto* change = std::get_if<VariantChange>(&asked.change)) {
            choose(labs::find_variant(leader_->lab(), change->id));
            continue;
        }
        if (comparison_) comparison_->apply(asked.change);
        leader_->apply(asked.change);
    }
}

// Continues on the same device; restarts on another.
void Runner::choose(const labs::Variant& variant)
{
    try {
        const bool runs_off_engine = shared_ != chosen_;
        const device::Engine engine = chosen_->device().engine();
        const Journal journal = leader_->fresh_journal(variant.id);
        const bool careful = now_.plan.careful;
        if (links_.placement.runs_off_engine(variant, engine, journal.start, careful) ==
            runs_off_engine)
            return leader_->apply(VariantChange{variant.id});
        std::shared_ptr<SharedDevice> shared =
            links_.placement.device_for(chosen_, journal, careful);
        std::unique_ptr<Side> side = make_side(*shared, journal);
        if (!side) return;
        // The old objects are destroyed on return, after a frame without them was posted.
        std::swap(shared_, shared);
        std::swap(leader_, side);
        const std::unique_ptr<Side> comparison = std::exchange(comparison_, nullptr);
        const auto old_calculator =
            std::exchange(difference_calculator_, std::make_unique<Difference>(*shared_));
        difference_.reset();
        difference_of_ = 0;
        refresh_side_frames();
        post();
    } catch (...) {
        fail(explain_out_of_memory(std::current_exception(), variant.title));
        post();
    }
}

// The other side replays its journal, so it starts in the leader's current state.
bool Runner::swap_comparison()
{
    const std::string& wanted = now_.plan.compare;
    if (refused_ != wanted) refused_.clear();
    if (comparison_ && comparison_->variant().id != wanted) {
        const std::unique_ptr<Side> old = std::move(comparison_);
        difference_.reset();
        comparison_frame_.reset();
        post();
        return true;
    }
    if (comparison_ || wanted.empty() || !refused_.empty() || lost_ || leader_->replaying() ||
        leader_->has_pending())
        return false;
    try {
        comparison_ = make_comparison();
        difference_of_ = 0;
    } catch (...) {
        refused_ = wanted;
        fail(explain_out_of_memory(std::current_exception(), "the comparison"), 0,
             true); // the leader continues meanwhile
    }
    refresh_side_frames();
    post();
    return true;
}

// Creates the other side of A/B; returns null if it is no longer needed.
std::unique_ptr<Side> Runner::make_comparison()
{
    const std::string& wanted = now_.plan.compare;
    const labs::Variant& other = labs::find_variant(leader_->lab(), wanted);
    if (!other.fault.empty())
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} ends in a fault before it produces a picture.", other.title),
                    "Compare with another variant.");
    const std::string why = shared_ == chosen_
                                ? links_.placement.refusal(other, shared_->device().engine(),
                                                           leader_->start(), now_.plan.careful)
                                : "";
    if (!why.empty())
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} failed its first run: {}", other.title, why),
                    "Fix it, or compare with another variant.");
    std::unique_ptr<Side> side;
    cancellable(Part::comparison, shared_->device(), [&] {
        side = std::make_unique<Side>(*shared_, comparison_journal(leader_->journal(), wanted),
                                      *measured_);
    });
    return side;
}

Schedule Runner::schedule() const
{
    return {.plan = now_.plan,
            .steps = now_.steps,
            .waits = waits_,
            .has_clock = shared_->has_clock(),
            .sweep_runs = background_.sweep_runs(),
            .measured = *measured_,
            .leader = *leader_,
            .comparison = comparison_.get()};
}

bool Runner::work()
{
    if (halted()) return false;
    const Schedule due = schedule();
    const std::optional<Side::Work> leaders = due.leader_work();
    if (!leaders && !due.comparison_work() &&
        !(difference_of_ != pictures_ && due.difference_is_wanted()))
        return false;
    const auto changed = [&](const Held& held) {
        return links_.inbox.has_more(held, now_) || links_.inbox.quits(held);
    };
    // Polls while background work is in progress.
    const auto polls = [&](const Held& held) {
        return links_.opener.pending(held) || background_.continues() || times_are_due();
    };
    if (!links_.loan.borrow(*shared_, changed, polls)) return true;
    busy_since_ = Clock::now().time_since_epoch().count();
    try {
        work_mapped(leaders);
    } catch (...) {
        fail(std::current_exception());
    }
    return_memory();
    return true;
}

void Runner::return_memory()
{
    if (leader_) {
        leader_->poll_times();
        if (comparison_) comparison_->poll_times();
    }
    refresh_side_frames();
    auto frame = make_frame();
    busy_since_ = 0; // before the result becomes visible
    {
        const Held held(links_.shared_state.mutex);
        links_.board.post(held, std::move(frame));
        links_.loan.return_memory(held);
    }
    interrupted_comparison_.reset();
}

void Runner::work_mapped(const std::optional<Side::Work>& leaders)
{
    device::Device& device = shared_->device();
    bool quick = true;
    bool is_new = false;
    if (leaders) {
        quick = schedule().is_quick(*leader_, *leaders);
        const std::int64_t before = leader_->launches();
        const bool replays = leader_->replaying();
        const Ended ended = cancellable(Part::leader, device, [&] { leader_->work(*leaders); });
        leader_interrupted_ = ended == Ended::cancelled;
        if (ended != Ended::whole) return;
        is_new = true;
        if (!replays && !now_.plan.running)
            links_.inbox.note_made(opened_, leader_->launches() - before);
    }
    if (const auto compared = schedule().comparison_work()) {
        quick = quick && schedule().is_quick(*comparison_, *compared);
        const Ended ended =
            cancellable(Part::comparison, device, [&] { comparison_->work(*compared); });
        if (ended == Ended::cancelled) interrupted_comparison_ = std::move(comparison_);
        if (ended != Ended::whole) return;
        is_new = true;
    }
    if (is_new && (!comparison_ || schedule().together())) {
        ++pictures_;
        difference_.reset();
    }
    if (difference_of_ != pictures_ && schedule().difference_is_wanted()) {
        difference_of_ = pictures_;
        difference_ = difference_calculator_->between(*leader_->picture(), *comparison_->picture());
    }
    // Waits for OpenGL's tasks: copies to OpenGL read memory that these may still extend.
    if (shared_->sharing().path() == render::SharingPath::staged) links_.loan.tasks()->run([] {});
    cancellable(Part::leader, device, [&] {
        shared_->sharing().finish();
        if (!quick) device.synchronize();
    });
}

// --- Reports ---

void Runner::fail(const std::exception_ptr& error, std::uint64_t opening, bool comparison)
{
    const bool from_step = opening == 0 && !comparison;
    if (from_step) {
        fault_ = fault_in(error);
        halted_at_ = now_.nudges;
        lost_ = lost_ || (shared_ && shared_->has_clock() && fault_);
    }
    const bool expected = from_step && fault_ && leader_ && !leader_->variant().fault.empty();
    const Held held(links_.shared_state.mutex);
    links_.board.note_problem(held, error,
                              {.opening = opening,
                               .opened = opened_,
                               .comparison = comparison,
                               .lost = from_step && lost_,
                               .expected = expected});
}

// Called when the sides have changed. If it fails, drops the pictures of earlier frames of the
// sides, whose memory may be freed once the next frame is posted.
void Runner::refresh_side_frames()
{
    try {
        if (leader_) leader_frame_ = leader_->frame();
        comparison_frame_.reset();
        if (comparison_) comparison_frame_ = comparison_->frame();
    } catch (...) {
        leader_frame_.picture.reset();
        leader_frame_.warp_map.reset();
        leader_frame_.memory.reset();
        comparison_frame_.reset();
        if (!halted()) fail(std::current_exception());
    }
}

void Runner::post()
{
    auto frame = make_frame();
    const Held held(links_.shared_state.mutex);
    links_.board.post(held, std::move(frame));
}

std::shared_ptr<const Frame> Runner::make_frame()
{
    auto frame = std::make_shared<Frame>();
    frame->number = ++frames_;
    frame->picture = pictures_;
    frame->opened = opened_;
    frame->found = found_;
    {
        const Held held(links_.shared_state.mutex);
        frame->opening = links_.opener.opening_job(held);
        frame->problems = links_.board.problems(held);
    }
    if (shared_) {
        frame->engine.choice = shared_->choice();
        frame->engine.engine = shared_->device().engine();
        frame->engine.reason = shared_->reason();
        frame->engine.properties = shared_->device().properties();
        frame->engine.has_clock = shared_->has_clock();
        frame->engine.path = shared_->sharing().path();
        frame->engine.sharing = shared_->sharing().explanation();
        if (shared_ == chosen_) frame->engine.roofs = background_.roofs();
        const Held held(links_.shared_state.mutex);
        frame->engine.map_us = links_.loan.map_us(held);
        frame->engine.unmap_us = links_.loan.unmap_us(held);
    }
    if (opened_ == 0) return frame;
    frame->a = leader_frame_;
    if (halted()) frame->fault = fault_;
    frame->b = comparison_frame_;
    frame->together = leader_ && schedule().together();
    frame->difference = difference_;
    frame->variants = measured_->frame();
    if (leader_) frame->counted_in_background = background_.counted(*leader_);
    frame->sweep = background_.frame();
    return frame;
}

} // namespace lanescope::app
