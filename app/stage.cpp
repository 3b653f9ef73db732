// See stage.h. Between begin_frame() and collect() the shared memory is mapped and the experiment
// belongs to the job.
#include "app/stage.h"

#include <algorithm>

namespace lanescope::app {
namespace {

Journal start_of(const Journal& journal)
{
    return {journal.start, {}, 0};
}

} // namespace

Stage::Stage(device::Device& device, const Journal& journal)
    : device_(device), lab_(labs::find(journal.start.lab)),
      variant_(&labs::find_variant(lab_, journal.start.variant)),
      values_(start_values(lab_, journal.start)), journal_(start_of(journal)), replay_(journal),
      sharing_(device), experiment_(lab_.start({device, sharing_, lab_, *variant_, values_,
                                                journal.start.seed, journal.start.image})),
      map_(device, sharing_), memory_map_(device, sharing_), timer_(device.timer())
{
    note_facts();
}

Stage::~Stage()
{
    settle();
}

void Stage::apply(decltype(Event::what) what)
{
    if (const auto* change = std::get_if<VariantChange>(&what))
        labs::find_variant(lab_, change->id);
    else if (const auto* change = std::get_if<ParameterChange>(&what))
        labs::Values(values_).set(change->id, change->text);
    pending_.push_back(std::move(what));
}

void Stage::apply_now(const Event& event)
{
    if (const auto* stroke = std::get_if<labs::Stroke>(&event.what)) {
        experiment_->paint(*stroke);
    } else if (const auto* change = std::get_if<ParameterChange>(&event.what)) {
        values_.set(change->id, change->text);
        experiment_->set(values_);
    } else {
        variant_ = &labs::find_variant(lab_, std::get<VariantChange>(event.what).id);
        end_stretch();
        trace_ = {}; // its sites are another kernel's
        counted_ = {};
        experiment_->select(*variant_);
    }
    journal_.events.push_back(event);
}

void Stage::apply_due()
{
    while (replayed_ < replay_.events.size() && replay_.events[replayed_].step <= journal_.steps)
        apply_now(replay_.events[replayed_++]);
    if (replaying()) return;
    for (auto& what : pending_) apply_now({journal_.steps, std::move(what)});
    pending_.clear();
}

// False where there is no clock, or so much is under way that times would be lost.
bool Stage::begin_stretch(bool probed)
{
    constexpr std::size_t most_under_way = 64; // well below the timer's ring
    if (stretch_open_) return true;
    if (!timer_ || stretches_.size() >= most_under_way) return false;
    timer_->begin();
    stretches_.push_back({variant_->id, 0, probed});
    stretch_open_ = true;
    return true;
}

void Stage::step()
{
    const bool timed = begin_stretch(false);
    experiment_->step();
    ++journal_.steps;
    if (!timed) return;
    constexpr double short_ms = 0.02;
    constexpr int batch = 16;
    const Spread known = step_ms(variant_->id);
    const int wanted = known.count > 0 && known.median < short_ms ? batch : 1;
    if (++stretches_.back().launches >= wanted) end_stretch();
}

// Which site a choice means in the last launch that was counted by site: where it leaves that
// open, the one that moved most beyond what its lanes needed.
int Stage::site_of(const RequestChoice& choice) const
{
    if (choice.site >= 0) return choice.site;
    int worst = -1;
    double most = 0;
    for (std::size_t i = 0; i < trace_.sites.size(); ++i) {
        if (trace_.sites[i].op == trace::Op::branch) continue;
        const double excess = trace_.counts[i].excess();
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
    if (wanted.map && map_fits_) map_.ask(*experiment_, trace);
    if (wanted.memory && memory_fits_) memory_map_.ask(*experiment_, trace);
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
    try {
        if (wanted.request && wanted.request->site < 0 && trace_.sites.empty()) {
            trace_ = {}; // which site is the worst is not known yet
            experiment_->recount(trace_);
        }
        trace_ = asked(wanted);
        if (steps)
            experiment_->step(&trace_);
        else
            experiment_->recount(trace_);
        counting_problem_.clear();
    } catch (const device::KernelFault&) {
        throw;
    } catch (const Error& error) {
        counting_problem_ = error.what();
        trace_ = {};
        map_.clear();
        memory_map_.clear();
        if (steps) experiment_->step();
    }
    if (timed) {
        ++stretches_.back().launches;
        end_stretch();
    }
    if (steps) ++journal_.steps;
    counted_ = wanted;
    if (!counting_problem_.empty()) return;
    if (wanted.map && map_fits_) map_.take(trace_);
    if (wanted.memory && memory_fits_) memory_map_.take(trace_);
}

void Stage::end_stretch()
{
    if (stretch_open_) timer_->end();
    stretch_open_ = false;
}

void Stage::work(const FramePlan& plan)
{
    const auto begin = std::chrono::steady_clock::now();
    const bool replays = replaying();
    for (std::int64_t done = 0; done < plan.steps; ++done) {
        const auto elapsed = std::chrono::steady_clock::now() - begin;
        const bool late = plan.budget && done > 0 && elapsed > *plan.budget;
        const bool last = late || done + 1 == plan.steps;
        if (last && plan.counting.any())
            count(plan.counting, true);
        else
            step();
        if (replays) apply_due();
        if (late || (replays && !replaying())) break;
    }
    if (plan.steps == 0 && plan.counting.any()) count(plan.counting, false);
    end_stretch();
    picture_ = experiment_->picture(plan.view);
}

// What was applied is done on this thread, because it decides how much memory the map needs.
void Stage::begin_frame(const FramePlan& plan)
{
    sharing_.map();
    std::promise<void> ready;
    job_ = ready.get_future();
    try {
        apply_due();
        map_fits_ = plan.counting.map && map_.reserve(*experiment_);
        if (!map_fits_) map_.clear();
        memory_fits_ =
            plan.counting.memory && memory_map_.reserve(*experiment_, *plan.counting.memory);
        if (!memory_fits_) memory_map_.clear();
        if (device_.engine() == device::Engine::simt) {
            job_ = std::async(std::launch::async, [this, plan] { work(plan); });
            return;
        }
        work(plan);
        ready.set_value();
    } catch (...) {
        ready.set_exception(std::current_exception());
    }
}

bool Stage::busy() const
{
    return job_.valid() && job_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

void Stage::wait_for(std::chrono::duration<double> at_most) const
{
    if (job_.valid()) job_.wait_for(at_most);
}

bool Stage::collect()
{
    if (!job_.valid() || busy()) return false;
    sharing_.unmap();
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
    begin_frame(plan);
    job_.wait();
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

Spread spread_of(const std::map<std::string, TimingHistory>& timings, const std::string& variant)
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
    job_.wait();
    try {
        collect();
    } catch (const std::exception&) {
        // Whoever settles gives this experiment up; what went wrong in it no longer matters.
    }
}

} // namespace lanescope::app
