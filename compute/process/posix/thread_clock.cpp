// POSIX clocks; a browser has no clock per thread, so that its single thread's is wall-clock time.
#include "compute/process/thread_clock.h"

#include <pthread.h>
#include <sys/resource.h>

#include <ctime>

namespace lanescope {

ThreadClockId own_thread_clock()
{
    clockid_t clock = CLOCK_MONOTONIC;
#ifndef __EMSCRIPTEN__
    pthread_getcpuclockid(pthread_self(), &clock);
#endif
    return clock;
}

double seconds_on(ThreadClockId clock)
{
    timespec time{};
    clock_gettime(static_cast<clockid_t>(clock), &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void yield_to_other_threads()
{
    constexpr int background_nice = 10;
    setpriority(PRIO_PROCESS, 0, background_nice); // per thread on Linux
}

} // namespace lanescope
