// See stage.h. Between begin_frame() and collect() the shared memory is mapped and the experiment
// belongs to the job. Until it has started, it belongs to the first job.
#include "app/run/stage.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lanescope::app {
namespace {

Journal start_of(const Journal& journal)
{
    return {journal.start, {}, 0};
}

} // namespace

Stage::Stage(device::Device& device, const Journal& journal)
    : device_(device), lab_(labs::find(journal.start.lab)), replay_(journal),
      journal_(start_of(journal)), variant_(&labs::find_variant(lab_, journal.start.variant)),
      progress_{start_values(lab_, journal.start), variant_, 0, 0, {}, {}, {}}, sharing_(device),
      distant_(sharing_, errands_), map_(device, sharing_), memory_map_(device, sharing_),
      timer_(device.timer())
{
    job_ = std::async(std::launch::async, [this] {
        const Start& start = replay_.start;
        experiment_ = lab_.start({device_, distant_, lab_, *progress_.variant, progress_.values,
                                  start.seed, start.image});
    });
}

Stage::~Stage()
{
    settle();
}

bool Stage::started()
{
    if (started_ || busy()) return started_;
    job_.get();
    started_ = true;
    note_facts();
    return true;
}

void Stage::wait_until_started()
{
    while (!started()) wait_for(std::chrono::seconds(1));
}

void Stage::apply(decltype(Event::what) what)
{
    if (const auto* change = std::get_if<VariantChange>(&what))
        labs::find_variant(lab_, change->id);
    else if (const auto* change = std::get_if<ParameterChange>(&what))
        labs::Values(lab_).set(change->id, change->text);
    pending_.push_back(std::move(what));
}

void Stage::apply_now(const Event& event)
{
    if (const auto* stroke = std::get_if<labs::Stroke>(&event.what)) {
        experiment_->paint(*stroke);
    } else if (const auto* change = std::get_if<ParameterChange>(&event.what)) {
        progress_.values.set(change->id, change->text);
        progress_.counts.emplace(); // the old trace is of other values
        experiment_->set(progress_.values);
    } else {
        progress_.variant = &labs::find_variant(lab_, std::get<VariantChange>(event.what).id);
        end_stretch();
        progress_.counts.emplace(); // the old trace's sites are another kernel's
        experiment_->select(*progress_.variant);
    }
    progress_.applied.push_back(event);
}

bool Stage::replay_left() const
{
    return progress_.replayed < replay_.events.size() || progress_.steps < replay_.steps;
}

void Stage::apply_due()
{
    Progress& now = progress_;
    while (now.replayed < replay_.events.size() && replay_.events[now.replayed].step <= now.steps)
        apply_now(replay_.events[now.replayed++]);
    for (auto& what : now.due) apply_now({now.steps, std::move(what)});
    now.due.clear();
}

// False where there is no clock, or so much is under way that times would be lost.
bool Stage::begin_stretch(bool probed)
{
    constexpr std::size_t most_under_way = 64; // well below the timer's ring
    if (stretch_open_) return true;
    if (!timer_ || stretches_.size() >= most_under_way) return false;
    timer_->begin();
    stretches_.push_back({progress_.variant->id, 0, probed});
    stretch_open_ = true;
    return true;
}

void Stage::step()
{
    const bool timed = begin_stretch(false);
    experiment_->step();
    ++progress_.steps;
    if (!timed) return;
    constexpr double short_ms = 0.02;
    constexpr int batch = 16;
    const Spread known = step_ms(progress_.variant->id);
    const int wanted = known.count > 0 && known.median < short_ms ? batch : 1;
    if (++stretches_.back().launches >= wanted) end_stretch();
}

const trace::Trace& Stage::last_trace() const
{
    return progress_.counts ? progress_.counts->trace : shown_.trace;
}

// Which site a choice means in the last launch that was counted by site: where it leaves that
// open, the one that moved most beyond what its lanes needed.
int Stage::site_of(const RequestChoice& choice) const
{
    if (choice.site >= 0) return choice.site;
    const trace::Trace& trace = last_trace();
    int worst = -1;
    double most = 0;
    for (std::size_t i = 0; i < trace.sites.size(); ++i) {
        if (trace.sites[i].op == trace::Op::branch) continue;
        const double excess = trace.counts[i].excess();
        if (worst < 0 || excess > most) worst = static_cast<int>(i);
        most = std::max(most, excess);
    }
    return std::max(worst, 0);
}

trace::Trace Stage::asked(const Counting& wanted)
{
    trace::Trace trace;
    if (wanted.request) {
        trace.request.site = site_of(*wanted.request);
        trace.request.warp = static_cast<std::uint32_t>(wanted.request->warp);
        trace.request.occurrence = static_cast<std::uint32_t>(wanted.request->request);
    }
    if (wanted.map) map_.ask(*experiment_, trace, distant_);
    if (wanted.memory) memory_map_.ask(*experiment_, *wanted.memory, trace, distant_);
    trace.keep_on_device =
        device_.engine() == device::Engine::cuda && !wanted.sites && !wanted.request;
    return trace;
}

// A step that is counted or, without a step, one more launch. A kernel that cannot be probed runs
// as it is; a fault is a fault.
void Stage::count(const Counting& wanted, bool steps)
{
    end_stretch(); // times are those of the plain kernel
    const bool timed = begin_stretch(true);
    Counts counts{{}, wanted, {}};
    try {
        if (wanted.request && wanted.request->site < 0 && last_trace().sites.empty()) {
            // Which site is the worst is not known yet.
            experiment_->recount(progress_.counts.emplace().trace);
        }
        counts.trace = asked(wanted);
        if (steps)
            experiment_->step(&counts.trace);
        else
            experiment_->recount(counts.trace);
    } catch (const device::KernelFault&) {
        throw;
    } catch (const Error& error) {
        counts = {{}, wanted, error.what()};
        if (steps) experiment_->step();
    }
    if (timed) {
        ++stretches_.back().launches;
        end_stretch();
    }
    if (steps) ++progress_.steps;
    map_.take(counts.trace);
    memory_map_.take(counts.trace);
    progress_.counts = std::move(counts);
}

void Stage::end_stretch()
{
    if (stretch_open_) timer_->end();
    stretch_open_ = false;
}

void Stage::work(const FramePlan& plan)
{
    const auto begin = std::chrono::steady_clock::now();
    const bool replays = replay_left();
    for (std::int64_t done = 0; done < plan.steps; ++done) {
        const auto elapsed = std::chrono::steady_clock::now() - begin;
        const bool late = plan.budget && done > 0 && elapsed > *plan.budget;
        const bool last = late || done + 1 == plan.steps;
        if (last && plan.counting.any())
            count(plan.counting, true);
        else
            step();
        if (replays) apply_due();
        if (late || (replays && !replay_left())) break;
    }
    if (plan.steps == 0 && plan.counting.any()) count(plan.counting, false);
    end_stretch();
    picture_ = experiment_->picture(plan.view);
}

void Stage::begin_frame(const FramePlan& plan)
{
    sharing_.map();
    // While it replays, what was applied waits.
    if (!replaying()) progress_.due = std::exchange(pending_, {});
    const auto job = [this, plan] {
        apply_due();
        if (!plan.counting.map) map_.clear();
        if (!plan.counting.memory) memory_map_.clear();
        work(plan);
    };
    const auto may_take_long = [](const auto& what) {
        return !std::holds_alternative<labs::Stroke>(what);
    };
    // What is counted for the first time has its probes compiled.
    const bool counts_anew = plan.counting.any() && plan.counting != shown_.counting;
    if (device_.engine() == device::Engine::simt || replaying() || counts_anew ||
        std::ranges::any_of(progress_.due, may_take_long)) {
        job_ = std::async(std::launch::async, job);
        return;
    }
    std::promise<void> ready;
    job_ = ready.get_future();
    try {
        job();
        ready.set_value();
    } catch (...) {
        ready.set_exception(std::current_exception());
    }
}

bool Stage::busy()
{
    errands_->serve();
    return job_.valid() && job_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

void Stage::wait_for(std::chrono::duration<double> at_most)
{
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds pause(2); // after which the job may want something made
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(at_most);
    while (busy() && Clock::now() < end)
        job_.wait_for(std::min<Clock::duration>(pause, end - Clock::now()));
}

bool Stage::collect()
{
    if (!started_ || !job_.valid() || busy()) return false;
    sharing_.unmap();
    shown_map_ = map_.data();
    journal_.steps = progress_.steps;
    std::ranges::move(std::exchange(progress_.applied, {}), std::back_inserter(journal_.events));
    variant_ = progress_.variant;
    if (progress_.counts) shown_ = std::move(*std::exchange(progress_.counts, {}));
    job_.get();
    poll_timer();
    note_facts();
    return true;
}

void Stage::note_facts()
{
    facts_ = {experiment_->steps(),           experiment_->work(),    experiment_->shape(),
              experiment_->steps_per_frame(), experiment_->warning(), {}};
    for (auto& memory : experiment_->memory()) facts_.memory.push_back(std::move(memory.name));
}

void Stage::frame(const FramePlan& plan)
{
    wait_until_started();
    begin_frame(plan);
    while (busy()) wait_for(std::chrono::seconds(1));
    collect();
}

double Stage::replay_share() const
{
    return replay_.steps == 0 ? 1
                              : std::min(1.0, static_cast<double>(journal_.steps) /
                                                  static_cast<double>(replay_.steps));
}

void Stage::finish_replay(FramePlan plan)
{
    do {
        plan.steps = replay_steps_left();
        frame(plan);
    } while (replaying());
}

void Stage::poll_timer()
{
    if (!timer_) return;
    for (const double ms : timer_->poll_ms()) {
        const Stretch& stretch = stretches_.front();
        auto& timings = stretch.probed ? probed_timings_ : timings_;
        timings[stretch.variant].add(ms / stretch.launches);
        stretches_.pop_front();
    }
}

namespace {

Spread spread_of(const std::map<std::string, History>& timings, const std::string& variant)
{
    const auto found = timings.find(variant);
    return found == timings.end() ? Spread{} : found->second.spread();
}

} // namespace

Spread Stage::step_ms(const std::string& variant) const
{
    return spread_of(timings_, variant);
}

Spread Stage::probed_ms(const std::string& variant) const
{
    return spread_of(probed_timings_, variant);
}

void Stage::settle() noexcept
{
    if (!job_.valid()) return;
    try {
        while (busy()) wait_for(std::chrono::seconds(1));
        collect();
    } catch (const std::exception&) {
        // Whoever settles gives this experiment up; what went wrong in it no longer matters.
    }
}

} // namespace lanescope::app
