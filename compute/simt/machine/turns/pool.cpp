// A round counter wakes the workers; each runs its share once per round. Waking a thread takes as
// long as a small launch, so a thread that was needed again quickly last time spins for a moment
// before it sleeps.
#include "compute/simt/machine/turns/pool.h"

#include <chrono>

namespace lanescope::simt {

namespace {

using Clock = std::chrono::steady_clock;

// Spins until ready() or for at most `max_time`. Returns whether it became ready.
template <class Ready>
bool wait_awake(std::chrono::microseconds max_time, const Ready& ready)
{
    const Clock::time_point begin = Clock::now();
    do {
        for (int i = 0; i < 32; ++i) {
            if (ready()) return true;
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        }
    } while (Clock::now() - begin < max_time);
    return false;
}

constexpr std::chrono::microseconds spin_time{100};
constexpr std::chrono::microseconds late_spin_time{30};

} // namespace

Pool::~Pool()
{
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    start_.notify_all();
    for (std::thread& worker : workers_) worker.join();
}

void Pool::run(int count, const std::function<void(int)>& work)
{
    begin(count, work);
    wake_helpers();
    finish();
}

void Pool::run_with_late_helpers(int count, const std::function<void(int)>& work)
{
    begin(count, work);
    if (!workers_.empty()) wake_helpers();
    finish();
}

void Pool::begin(int count, const std::function<void(int)>& work)
{
    work_ = &work;
    count_ = count;
    called_ = count <= 1;
}

void Pool::wake_helpers()
{
    if (called_) return;
    while (static_cast<int>(workers_.size()) < threads_ - 1)
        workers_.emplace_back(
            [this, index = static_cast<int>(workers_.size()) + 1] { wait_for_work(index); });
    called_ = true;
    {
        const std::lock_guard lock(mutex_);
        running_.store(count_ - 1, std::memory_order_relaxed);
        round_.store({round_.load(std::memory_order_relaxed).number + 1, count_},
                     std::memory_order_release);
    }
    start_.notify_all();
}

void Pool::finish()
{
    (*work_)(0);
    if (!called_ || count_ <= 1) return;
    const auto all_done = [this] { return running_.load(std::memory_order_acquire) == 0; };
    if (wait_awake(late_spin_time, all_done)) return;
    std::unique_lock lock(mutex_);
    done_.wait(lock, all_done);
}

void Pool::wait_for_work(int index)
{
    std::uint32_t seen = 0;
    bool soon = false;
    for (;;) {
        const auto called = [&] {
            return stop_.load(std::memory_order_relaxed) ||
                   round_.load(std::memory_order_acquire).number != seen;
        };
        const Clock::time_point free_since = Clock::now();
        if (!soon || !wait_awake(spin_time, called)) {
            std::unique_lock lock(mutex_);
            start_.wait(lock, called);
        }
        if (stop_) return;
        soon = Clock::now() - free_since < 2 * spin_time;
        const Round round = round_.load(std::memory_order_acquire);
        seen = round.number;
        if (index >= round.count) continue;
        (*work_)(index);
        if (running_.fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
        const std::lock_guard lock(mutex_); // the waiter now sleeps, or has seen the count reach 0
        done_.notify_one();
    }
}

} // namespace lanescope::simt
