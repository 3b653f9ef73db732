// A running launch ends by itself when it is asked to; host code that runs instead is ended.
#include "app/run/program/watched_launches.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include "compute/error.h"
#include "compute/process/end_request.h"

namespace lanescope::app {

WatchedLaunches::WatchedLaunches(WatchedProcess& process)
{
    descriptor_ = memfd_create("launches", MFD_CLOEXEC);
    void* shared = MAP_FAILED;
    if (descriptor_ >= 0 && ftruncate(descriptor_, sizeof(runtime::LaunchBoard)) == 0)
        shared = mmap(nullptr, sizeof(runtime::LaunchBoard), PROT_READ | PROT_WRITE, MAP_SHARED,
                      descriptor_, 0);
    if (shared == MAP_FAILED)
        throw Error(ExitStatus::device_unavailable,
                    fmt::format("Cannot create a file in memory: {}.", std::strerror(errno)),
                    "Close some programs, or free some space.");
    board_ = new (shared) runtime::LaunchBoard;
    process.passed = descriptor_;
    process.environment.push_back(
        fmt::format("{}={}", runtime::launch_board_variable, descriptor_));
    process.meanwhile = [this] { return continues(); };
    note_end_requests();
}

WatchedLaunches::~WatchedLaunches()
{
    munmap(board_, sizeof *board_);
    close(descriptor_);
}

bool WatchedLaunches::continues()
{
    // The process ends by itself once it has reported the launch. Without a running launch it gets
    // only the time to report one that has just ended.
    constexpr std::chrono::milliseconds max_wait(5000), without_launch(300);
    line_.update(board_->progress);
    if (end_request() == 0) return true;
    const auto now = std::chrono::steady_clock::now();
    if (!asked_) {
        asked_ = now;
        launch_ran_ = board_->progress.blocks != 0; // read before the launch ends
        board_->ends = true;
    }
    return now - *asked_ < (launch_ran_ ? max_wait : without_launch);
}

} // namespace lanescope::app
