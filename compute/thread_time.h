// How long the calling thread has run: on a machine that others use, too, that is less than has
// passed.
#pragma once

#include <chrono>
#include <ctime>

#include "compute/threads.h"

namespace lanescope {

// What the calling thread has had of its processor, in seconds from any begin. Where a program has
// but one thread and no clock for it, as in a browser, what has passed.
inline double thread_seconds()
{
    if constexpr (!has_threads)
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
            .count();
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Of the thread that made it, which alone may ask.
class ThreadWatch {
public:
    // Whether the thread has run for so long or, where others keep it from running, ten times as
    // much has passed. Costs next to nothing before that.
    bool passed(double seconds) const
    {
        constexpr double most = 10;
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - clock_;
        if (elapsed.count() < seconds) return false;
        return elapsed.count() >= most * seconds || thread_seconds() - ran_ >= seconds;
    }

private:
    std::chrono::steady_clock::time_point clock_ = std::chrono::steady_clock::now();
    double ran_ = thread_seconds();
};

} // namespace lanescope
