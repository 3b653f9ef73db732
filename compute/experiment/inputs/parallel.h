// Fills large inputs on all cores, element by element, so that the result doesn't
// depend on the number of cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <future>
#include <utility>
#include <vector>

#include "compute/device/device.h"
#include "compute/threads.h"

namespace lanescope::labs {

// While it exists, in_parallel() calls on this thread stop early once the flag is set.
class LeavesWhen {
public:
    explicit LeavesWhen(const std::atomic<bool>& cancelled)
        : before_(std::exchange(flag(), &cancelled))
    {
    }
    ~LeavesWhen() { flag() = before_; }
    LeavesWhen(const LeavesWhen&) = delete;
    LeavesWhen& operator=(const LeavesWhen&) = delete;

    static const std::atomic<bool>*& flag()
    {
        thread_local const std::atomic<bool>* cancelled = nullptr;
        return cancelled;
    }

private:
    const std::atomic<bool>* before_;
};

// Calls work(begin, end) for ranges that cover 0 … count. Ranges must not touch each other's
// elements. Throws device::Cancelled if it stopped early (LeavesWhen): some ranges are then not
// processed.
template <class Work>
void in_parallel(std::size_t count, Work&& work, std::size_t min_per_core = 1)
{
    const std::size_t cores = lanescope::cores();
    const std::size_t share = std::max(min_per_core, (count + cores - 1) / cores);
    const std::atomic<bool>* const cancelled = LeavesWhen::flag();
    constexpr std::size_t pieces = 256; // per core; the flag is checked between pieces
    const std::size_t piece =
        cancelled ? std::max({min_per_core, share / pieces, std::size_t{1}}) : share;
    const auto work_on = [&](std::size_t begin, std::size_t end) {
        for (; begin < end && !(cancelled && *cancelled); begin += piece)
            work(begin, std::min(end, begin + piece));
    };
    {
        std::vector<std::future<void>> others;
        for (std::size_t begin = share; begin < count; begin += share)
            others.push_back(start_in_background(
                [&work_on, begin, end = std::min(count, begin + share)] { work_on(begin, end); }));
        work_on(0, std::min(count, share));
        for (std::future<void>& other : others) other.get();
    }
    if (cancelled && *cancelled) throw device::Cancelled();
}

} // namespace lanescope::labs
