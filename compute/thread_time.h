// CPU time of a thread: on a shared machine it is less than the wall-clock time.
#pragma once

#include <chrono>

#include "compute/process/thread_clock.h"

namespace lanescope {

// A thread's CPU time in seconds, from an arbitrary start. In a browser, which has a single thread
// and no such clock, it is wall-clock time.
class ThreadClock {
public:
    // Clock of the constructing thread; any thread may read it while the constructing one exists.
    double seconds() const { return seconds_on(clock_); }

private:
    ThreadClockId clock_ = own_thread_clock();
};

inline double thread_seconds()
{
    return ThreadClock().seconds();
}

// CPU time that the constructing thread has used since construction.
class ThreadWatch {
public:
    double seconds() const { return clock_.seconds() - ran_; }
    // True if the thread has used this much CPU time or, if it is starved, ten times as much
    // wall-clock time has passed. Nearly free before that.
    bool passed(double seconds) const
    {
        constexpr double max_slowdown = 10;
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
        if (elapsed.count() < seconds) return false;
        return elapsed.count() >= max_slowdown * seconds || this->seconds() >= seconds;
    }

private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    ThreadClock clock_;
    double ran_ = clock_.seconds();
};

} // namespace lanescope
