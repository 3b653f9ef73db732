// GetThreadTimes(). A handle per thread stays open until the thread ends.
#include "compute/process/thread_clock.h"

#include <windows.h>

namespace lanescope {
namespace {

// A real handle: GetCurrentThread() returns one that means the caller in every thread.
class OwnHandle {
public:
    OwnHandle()
    {
        DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(), &handle_, 0,
                        FALSE, DUPLICATE_SAME_ACCESS);
    }
    ~OwnHandle() { CloseHandle(handle_); }
    OwnHandle(const OwnHandle&) = delete;
    OwnHandle& operator=(const OwnHandle&) = delete;
    HANDLE get() const { return handle_; }

private:
    HANDLE handle_ = nullptr;
};

double seconds_of(const FILETIME& time)
{
    constexpr double seconds_per_tick = 1e-7;
    const auto ticks =
        (static_cast<unsigned long long>(time.dwHighDateTime) << 32) | time.dwLowDateTime;
    return seconds_per_tick * static_cast<double>(ticks);
}

} // namespace

ThreadClockId own_thread_clock()
{
    thread_local const OwnHandle handle;
    return reinterpret_cast<ThreadClockId>(handle.get());
}

double seconds_on(ThreadClockId clock)
{
    FILETIME begun{}, ended{}, kernel{}, user{};
    GetThreadTimes(reinterpret_cast<HANDLE>(clock), &begun, &ended, &kernel, &user);
    return seconds_of(kernel) + seconds_of(user);
}

void yield_to_other_threads()
{
    SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL);
}

} // namespace lanescope
