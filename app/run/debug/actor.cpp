// Between tasks the thread runs the launch ahead in small slices, to fill its progress bar.
#include "app/run/debug/actor.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "app/run/debug/debugger.h"
#include "app/run/debug/why.h"
#include "compute/simt/debug/launches.h"

namespace lanescope::app {

namespace {

constexpr std::size_t max_queued = 8; // a held key sends requests faster than steps are made
constexpr std::uint64_t explored_at_once = std::uint64_t{1} << 16;
// Time for reaching the step of a question, as a multiple of the debugger's: an answer for another
// step would not be about the value on screen.
constexpr double explained_patience = 12;

} // namespace

DebugActor::DebugActor(std::function<void()> published)
    : published_(std::move(published)), thread_([this] { run(); })
{
}

DebugActor::~DebugActor()
{
    {
        const std::scoped_lock lock(mutex_);
        ends_ = true;
        tasks_.clear();
        end_current_task();
    }
    requested_.notify_one();
    thread_.join();
}

void DebugActor::post(Task task)
{
    {
        const std::scoped_lock lock(mutex_);
        tasks_.push_back(std::move(task));
    }
    requested_.notify_one();
}

// Expects the mutex to be held.
void DebugActor::end_current_task()
{
    if (debugger_) debugger_->cancel();
    if (opening_) opening_->cancel();
}

// Drops earlier requests and the current frame at once.
void DebugActor::open(DebugStart start)
{
    {
        const std::scoped_lock lock(mutex_);
        tasks_.clear();
        end_current_task();
        frame_.reset();
        answer_.reset();
        tasks_.emplace_back(Open{std::move(start), ++requests_});
    }
    requested_.notify_one();
}

void DebugActor::close()
{
    {
        const std::scoped_lock lock(mutex_);
        tasks_.clear();
        end_current_task();
        frame_.reset();
        answer_.reset();
        tasks_.emplace_back(Close{++requests_});
    }
    requested_.notify_one();
}

// Returns a callback for the machines that run steps before there is a debugger; it makes them
// cancellable.
std::function<void(simt::SteppedDevice*)> DebugActor::cancellable()
{
    return [this](simt::SteppedDevice* device) {
        const std::scoped_lock lock(mutex_);
        opening_ = device;
        if (device && (ends_ || at_ != requests_)) device->cancel();
    };
}

void DebugActor::move(StepMove move)
{
    {
        const std::scoped_lock lock(mutex_);
        if (!tasks_.empty())
            if (auto* last = std::get_if<StepMove>(&tasks_.back());
                last != nullptr && last->kind == StepMove::Kind::position &&
                move.kind == StepMove::Kind::position) {
                *last = std::move(move);
                return;
            }
        if (tasks_.size() >= max_queued) return;
        tasks_.push_back(std::move(move));
    }
    requested_.notify_one();
}

void DebugActor::set_breakpoints(std::vector<Breakpoint> breakpoints)
{
    post(Breakpoints{std::move(breakpoints)});
}

void DebugActor::set_watches(std::vector<std::string> expressions)
{
    post(Watches{std::move(expressions)});
}

void DebugActor::show_warp(std::optional<int> warp)
{
    post(Show{warp});
}

void DebugActor::explain(std::int64_t x, std::int64_t y)
{
    post(Explain{x, y});
}

void DebugActor::explain_at(double u, double v)
{
    post(Explain{0, 0, std::pair(u, v)});
}

void DebugActor::stop()
{
    const std::scoped_lock lock(mutex_);
    std::erase_if(tasks_, [](const Task& task) { return std::holds_alternative<StepMove>(task); });
    if (debugger_ && busy_) debugger_->cancel();
}

std::shared_ptr<const DebugFrame> DebugActor::frame()
{
    if constexpr (!has_threads) start_yielding_work([this] { turn(); });
    const std::scoped_lock lock(mutex_);
    return frame_;
}

std::shared_ptr<const WhyTree> DebugActor::answer() const
{
    const std::scoped_lock lock(mutex_);
    return answer_;
}

// Publishes the frame, unless something else has been requested.
void DebugActor::show(std::shared_ptr<const DebugFrame> frame)
{
    {
        const std::scoped_lock lock(mutex_);
        if (at_ != requests_) return;
        frame_ = std::move(frame);
    }
    if (published_) published_();
}

void DebugActor::publish()
{
    show(debugger_ ? debugger_->frame() : nullptr);
}

void DebugActor::publish_problem(const std::string& problem)
{
    auto failed_frame = std::make_shared<DebugFrame>();
    failed_frame->problem = problem;
    show(std::move(failed_frame));
}

void DebugActor::explain(const Explain& asked)
{
    if (!debugger_) return;
    auto tree = std::make_shared<WhyTree>();
    try {
        if (!explainer_) {
            // Without checks the machine reaches steps that the debugger does not reach in time.
            DebugStart start = *opened_;
            start.text = debugger_->start().text;
            start.max_replay_s *= explained_patience;
            start.runs_on = cancellable();
            start.checks = false; // values of faulty kernels are explained, too
            explainer_ = std::make_unique<Explainer>(start);
        }
        const auto [x, y] = asked.place
                                ? explainer_->element_at(asked.place->first, asked.place->second)
                                : std::pair(asked.x, asked.y);
        if (explainer_->step() != opened_->launches_before + 1)
            throw Error(ExitStatus::time_limit,
                        fmt::format("Repeating {} steps would take over {:.0f} s.",
                                    opened_->launches_before * opened_->variant->steps,
                                    explained_patience * opened_->max_replay_s),
                        "Restart the experiment, and ask sooner.");
        *tree = explainer_->tree(explainer_->element(x, y));
        tree->place = "column " + std::to_string(x) + ", row " + std::to_string(y);
        tree->step = explainer_->step() * opened_->variant->steps;
        // The debugger cannot go to positions of another step.
        if (explainer_->step() != debugger_->step())
            for (WhyNode& node : tree->nodes) node.can_go = false;
    } catch (const Error& error) {
        tree->problem = error.what();
    } catch (const device::Cancelled&) {
        explainer_.reset();
        cancellable()(nullptr);
        return;
    }
    {
        const std::scoped_lock lock(mutex_);
        if (at_ != requests_) return;
        answer_ = std::move(tree);
    }
    if (published_) published_();
}

void DebugActor::perform(Task& task)
{
    if (auto* open = std::get_if<Open>(&task)) {
        {
            const std::scoped_lock lock(mutex_);
            debugger_.reset();
            at_ = open->number;
        }
        explainer_.reset();
        opened_ = open->start;
        open->start.runs_on = cancellable();
        try {
            auto debugger = std::make_shared<Debugger>(open->start);
            const std::scoped_lock lock(mutex_);
            debugger_ = std::move(debugger);
        } catch (const Error& error) {
            cancellable()(nullptr);
            return publish_problem(error.what());
        } catch (const device::Cancelled&) {
            return cancellable()(nullptr);
        } catch (const std::exception& error) { // for example, out of memory
            cancellable()(nullptr);
            return publish_problem(error.what());
        }
        return publish();
    }
    if (const auto* closing = std::get_if<Close>(&task)) {
        {
            const std::scoped_lock lock(mutex_);
            debugger_.reset();
            at_ = closing->number;
        }
        explainer_.reset();
        return show(nullptr);
    }
    if (const auto* asked = std::get_if<Explain>(&task)) return explain(*asked);
    if (!debugger_) return;
    if (const auto* move = std::get_if<StepMove>(&task)) debugger_->move(*move);
    if (auto* breakpoints = std::get_if<Breakpoints>(&task))
        debugger_->set_breakpoints(std::move(breakpoints->all));
    if (auto* watches = std::get_if<Watches>(&task))
        debugger_->set_watches(std::move(watches->all));
    if (const auto* shown = std::get_if<Show>(&task)) debugger_->show_warp(shown->warp);
    publish();
}

void DebugActor::run()
{
    for (;;) {
        if (turn()) continue;
        std::unique_lock lock(mutex_);
        requested_.wait(lock, [&] { return ends_ || !tasks_.empty(); });
        if (ends_) return;
    }
}

bool DebugActor::turn()
{
    using Clock = std::chrono::steady_clock;
    std::optional<Task> task;
    {
        const std::scoped_lock lock(mutex_);
        if (ends_) return false;
        if (!tasks_.empty()) {
            task = std::move(tasks_.front());
            tasks_.pop_front();
            busy_ = true;
            if (debugger_) debugger_->resume();
        }
    }
    if (task) {
        perform(*task);
        busy_ = false;
        return true;
    }
    if (!debugger_ || debugger_->timeline().complete()) return false;
    try {
        debugger_->explore(explored_at_once);
    } catch (const device::Cancelled&) {
        return true;
    }
    if (Clock::now() - reported_ > std::chrono::milliseconds(100) ||
        debugger_->timeline().complete()) {
        reported_ = Clock::now();
        publish();
    }
    return true;
}

} // namespace lanescope::app
