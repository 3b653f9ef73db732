// A line on the terminal with the progress of a long launch.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "compute/simt/machine/state/options.h"

namespace lanescope::app {

// "12 of 400 blocks (3%), about 1 min 40 s left", after `elapsed_s`.
std::string progress_text(std::uint64_t ended, std::uint64_t blocks, double elapsed_s);
// The line that a terminal shows: the above, and the user's choices.
std::string progress_line(const simt::Progress& progress, double elapsed_s);

// On standard error, if that is a terminal.
class ProgressLine {
public:
    ProgressLine();
    ~ProgressLine() { clear(); }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    // Call every few milliseconds. Shows launches that take more than two seconds.
    void update(const simt::Progress& progress);
    void clear();

private:
    using Clock = std::chrono::steady_clock;

    const bool is_terminal_;
    bool shown_ = false;
    std::uint64_t attempt_ = 0;
    Clock::time_point begin_ = Clock::now(); // of the attempt
    Clock::time_point next_{};               // when to show it again
};

} // namespace lanescope::app
