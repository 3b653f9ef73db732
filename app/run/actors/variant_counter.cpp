// Counts variant by variant, each with an equal share of the remaining time; predictions follow.
#include "app/run/actors/variant_counter.h"

#include <algorithm>
#include <utility>

#include "app/document/editing/workbench.h"
#include "app/measure/per_step.h"
#include "compute/process/thread_clock.h"
#include "compute/simt/machine/state/options.h"
#include "compute/thread_time.h"

namespace lanescope::app {

using namespace std::chrono_literals;

namespace {

// Uses one thread, to leave the other cores to the experiment on screen, and only the checks that
// keep a kernel within its memory.
simt::Options machine(std::chrono::milliseconds limit)
{
    simt::Options options;
    options.time_limit_s = std::chrono::duration<double>(limit).count();
    options.survives_doubtful_results = true;
    options.threads = 1;
    return options;
}

bool can_be_counted(const labs::Variant& variant)
{
    return variant.fault.empty() && variant.runs_on(device::Engine::simt);
}

} // namespace

VariantCounter::~VariantCounter()
{
    {
        const std::scoped_lock lock(mutex_);
        quit_requested_ = true;
        ++number_;
        if (trials_) trials_->cancel();
    }
    changed_.notify_all();
    thread_.join();
}

void VariantCounter::follow(Subject subject)
{
    {
        const std::scoped_lock lock(mutex_);
        if (subject == subject_) return;
        subject_ = std::move(subject);
        ++number_;
        counts_.clear();
        has_new_counts_ = true;
        if (trials_) trials_->cancel();
        requested_ = std::chrono::steady_clock::now();
        if (!thread_.joinable()) thread_ = LoopThread([this] { run(); });
    }
    changed_.notify_all();
}

std::shared_ptr<const AllCountedInBackground> VariantCounter::take()
{
    if constexpr (!has_threads) turn();
    const std::scoped_lock lock(mutex_);
    if (!std::exchange(has_new_counts_, false)) return {};
    return std::make_shared<const AllCountedInBackground>(counts_);
}

bool VariantCounter::continues() const
{
    const std::scoped_lock lock(mutex_);
    return has_new_counts_ || (subject_.lab && done_ != number_);
}

void VariantCounter::run()
{
    yield_to_other_threads();
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock,
                      [this] { return quit_requested_ || (subject_.lab && done_ != number_); });
        if (quit_requested_) return;
        const auto changed = [this, number = number_] { return number_ != number; };
        if (changed_.wait_until(lock, requested_ + settle_time_, changed)) continue;
        lock.unlock();
        turn();
        lock.lock();
    }
}

void VariantCounter::turn()
{
    Subject subject;
    std::uint64_t number = 0;
    {
        const std::scoped_lock lock(mutex_);
        if (!subject_.lab || done_ == number_ ||
            std::chrono::steady_clock::now() < requested_ + settle_time_)
            return;
        subject = subject_;
        number = number_;
    }
    if (begun_ != number) {
        begun_ = number;
        begin(subject);
    }
    try {
        if (!waiting_.empty()) {
            const labs::Variant& variant = *waiting_.front();
            const std::chrono::milliseconds share(static_cast<std::int64_t>(
                1e3 * (ends_s_ - thread_seconds()) / static_cast<double>(waiting_.size())));
            waiting_.pop_front();
            count(subject, number, variant, std::max(share, std::min(budget_, 100ms)));
        } else if (!unpredicted_.empty()) {
            const labs::Variant& variant = *unpredicted_.front();
            unpredicted_.pop_front();
            predict(subject, number, variant);
        }
    } catch (const device::Cancelled&) {
        return;
    }
    const std::scoped_lock lock(mutex_);
    if (waiting_.empty() && unpredicted_.empty() && number_ == number) done_ = number;
}

void VariantCounter::begin(const Subject& subject)
{
    waiting_.clear();
    unpredicted_.clear();
    for (const labs::Variant& variant : subject.lab->variants)
        if (can_be_counted(variant)) waiting_.push_back(&variant);
    ends_s_ = thread_seconds() + std::chrono::duration<double>(budget_).count();
}

// Calls run(). Until it returns, follow() can cancel the trials.
template <class Run>
auto VariantCounter::in_trial(Trials& trials, std::uint64_t number, const Run& run)
{
    {
        const std::scoped_lock lock(mutex_);
        if (number_ != number) throw device::Cancelled();
        trials_ = &trials;
    }
    const auto ended = [this] {
        const std::scoped_lock lock(mutex_);
        trials_ = nullptr;
    };
    try {
        auto result = run();
        ended();
        return result;
    } catch (...) {
        ended();
        throw;
    }
}

void VariantCounter::publish(std::uint64_t number, const labs::Variant& variant,
                             const std::function<void(CountedInBackground&)>& change)
{
    const std::scoped_lock lock(mutex_);
    if (number_ != number) throw device::Cancelled();
    change(counts_[variant.id]);
    has_new_counts_ = true;
}

void VariantCounter::count(const Subject& subject, std::uint64_t number,
                           const labs::Variant& variant, std::chrono::milliseconds limit)
{
    Trials trials(limit, machine(limit));
    const TrialResult tried =
        in_trial(trials, number, [&] { return trials.run(*subject.lab, variant, subject.start); });
    publish(number, variant, [&](CountedInBackground& one) {
        if (!tried.cost) {
            one.problem = tried.sentence;
            return;
        }
        one.totals = tried.cost->totals;
        one.work = per_step(tried.work_per_launch, variant.steps);
        one.reduced = tried.cost->reduced;
    });
    if (predicts_ && tried.cost && tried.cost->reduced.empty()) unpredicted_.push_back(&variant);
}

void VariantCounter::predict(const Subject& subject, std::uint64_t number,
                             const labs::Variant& variant)
{
    constexpr int threads = 1;
    Trials trials(budget_, Trials::predicting_options(budget_, threads));
    auto report = std::make_shared<const TimeReport>(in_trial(
        trials, number, [&] { return trials.predict(*subject.lab, variant, subject.start); }));
    publish(number, variant, [&](CountedInBackground& one) { one.time = std::move(report); });
}

} // namespace lanescope::app
