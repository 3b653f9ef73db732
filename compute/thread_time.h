// CPU time of a thread, which on a busy machine is less than the elapsed time.
#pragma once

#include <pthread.h>

#include <chrono>
#include <ctime>

namespace lanescope {

// A thread's CPU clock in seconds, from an arbitrary origin. In a program with a single thread and
// no such clock, as in a browser, the elapsed time.
class ThreadClock {
public:
    // Measures the constructing thread; any thread may read it while that one exists.
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

// Measures the constructing thread from now on.
class ThreadWatch {
public:
    double seconds() const { return clock_.seconds() - ran_; }
    // True once the thread has run for `seconds` or, if others keep it from running, ten times that
    // has elapsed. Nearly free before that.
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
