// A launch that the user waits for at a terminal: its progress, and Ctrl C.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "app/run/program/progress_line.h"
#include "compute/device/device.h"

namespace lanescope::app {

// While it exists, a request to end the program (process/end_request.h) cancels the device's
// launch, and the terminal shows the progress.
class LaunchWatch {
public:
    LaunchWatch(device::Device& device, const simt::Progress& progress);

private:
    void watch(const std::stop_token& stop);

    device::Device& device_;
    const simt::Progress& progress_;
    ProgressLine line_;
    std::mutex mutex_;
    std::condition_variable_any wakes_;
    std::jthread thread_; // last: it uses the other members
};

} // namespace lanescope::app
