// How long a thread has run: on a machine that others use, too, that is less than has passed.
#pragma once

#include <pthread.h>

#include <chrono>
#include <ctime>

namespace lanescope {

// By a thread's own clock, in seconds from any begin: what it has had of its processor. Where a
// program has but one thread and no clock for it, as in a browser, what has passed.
class ThreadClock {
public:
    // Of the thread that makes it; any may read it while that one is there.
    ThreadClock()
    {
#ifndef __EMSCRIPTEN__
        pthread_getcpuclockid(pthread_self(), &clock_);
#endif
    }
    double seconds() const
    {
        timespec time{};
        clock_gettime(clock_, &time);
        return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    }

private:
    clockid_t clock_ = CLOCK_MONOTONIC;
};

inline double thread_seconds()
{
    return ThreadClock().seconds();
}

// From when it is made, of the thread that makes it.
class ThreadWatch {
public:
    double seconds() const { return clock_.seconds() - ran_; }
    // Whether the thread has run for so long or, where others keep it from running, ten times as
    // much has passed. Costs next to nothing before that.
    bool passed(double seconds) const
    {
        constexpr double most = 10;
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
        if (elapsed.count() < seconds) return false;
        return elapsed.count() >= most * seconds || this->seconds() >= seconds;
    }

private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    ThreadClock clock_;
    double ran_ = clock_.seconds();
};

} // namespace lanescope
