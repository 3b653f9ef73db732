// A round counter wakes the workers: each runs its share once per round.
#include "compute/simt/machine/pool.h"

namespace lanescope::simt {

Pool::Pool(int threads)
{
    for (int index = 1; index < threads; ++index)
        workers_.emplace_back([this, index] { wait_for_work(index); });
}

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
    if (count <= 1) {
        work(0);
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        work_ = &work;
        count_ = count;
        running_ = count - 1;
        ++round_;
    }
    start_.notify_all();
    work(0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return running_ == 0; });
}

void Pool::wait_for_work(int index)
{
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
        start_.wait(lock, [&] { return stop_ || round_ != seen; });
        if (stop_) return;
        seen = round_;
        if (index >= count_) continue;
        const auto* work = work_;
        lock.unlock();
        (*work)(index);
        lock.lock();
        if (--running_ == 0) done_.notify_one();
    }
}

} // namespace lanescope::simt
