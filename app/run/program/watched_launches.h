// The launches of a program that runs in another process: their progress, and Ctrl C, which ends
// the program with a report of what it has done.
#pragma once

#include <chrono>
#include <optional>

#include "app/run/program/progress_line.h"
#include "app/run/program/watchdog.h"
#include "compute/runtime/reporting/launch_board.h"

namespace lanescope::app {

class WatchedLaunches {
public:
    // Completes `process`, which must not outlive it. From now on requests to end this program are
    // noted (process/end_request.h).
    explicit WatchedLaunches(WatchedProcess& process);
    ~WatchedLaunches();
    WatchedLaunches(const WatchedLaunches&) = delete;
    WatchedLaunches& operator=(const WatchedLaunches&) = delete;

private:
    bool continues();

    int descriptor_ = -1;
    runtime::LaunchBoard* board_ = nullptr;
    ProgressLine line_;
    std::optional<std::chrono::steady_clock::time_point> asked_;
    bool launch_ran_ = false; // when the user asked to end it
};

} // namespace lanescope::app
