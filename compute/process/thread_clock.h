// A thread's CPU time, as the system counts it.
#pragma once

#include <cstdint>

namespace lanescope {

// The calling thread's clock; any thread may read it while that thread exists.
using ThreadClockId = std::intptr_t;
ThreadClockId own_thread_clock();
double seconds_on(ThreadClockId clock);

// Lets other threads run before the calling one, which works in the background.
void yield_to_other_threads();

} // namespace lanescope
