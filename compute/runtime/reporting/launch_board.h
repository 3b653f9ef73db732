// Memory that a program's runtime shares with the process that watches it: the progress of the
// running launch, and whether it should end.
#pragma once

#include <atomic>

#include "compute/simt/machine/state/options.h"

namespace lanescope::runtime {

struct LaunchBoard {
    std::atomic<bool> ends{false};
    simt::Progress progress;
};
static_assert(std::atomic<bool>::is_always_lock_free); // two processes use it

// The one that the environment names, mapped; null if there is none. Call once.
LaunchBoard* shared_launch_board();

// Names the descriptor of the memory.
constexpr const char* launch_board_variable = "LANESCOPE_LAUNCH_BOARD";

} // namespace lanescope::runtime
