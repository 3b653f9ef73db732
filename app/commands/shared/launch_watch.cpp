// A thread looks for the request, because the launch occupies the calling one.
#include "app/commands/shared/launch_watch.h"

#include <chrono>

#include "compute/process/end_request.h"

namespace lanescope::app {

LaunchWatch::LaunchWatch(device::Device& device, const simt::Progress& progress)
    : device_(device), progress_(progress)
{
    note_end_requests();
    thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

void LaunchWatch::watch(const std::stop_token& stop)
{
    constexpr std::chrono::milliseconds poll_interval(50);
    std::unique_lock lock(mutex_);
    while (!wakes_.wait_for(lock, stop, poll_interval, [] { return false; })) {
        if (stop.stop_requested()) return;
        if (end_request() != 0) return device_.cancel();
        line_.update(progress_);
    }
}

} // namespace lanescope::app
