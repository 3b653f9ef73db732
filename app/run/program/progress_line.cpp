// Writes to the descriptor, because the program's stream for standard error escapes control
// characters.
#include "app/run/program/progress_line.h"

#include <fmt/format.h>

#include "compute/numbers.h"
#include "compute/process/streams.h"

namespace lanescope::app {

namespace {

void write_line(const std::string& text)
{
    // Returns to the start of the line and clears the rest of it.
    const std::string line = "\r" + text + "\x1b[K";
    write_all(standard_errors, line);
}

std::string duration_text(double seconds)
{
    const auto all = static_cast<std::uint64_t>(seconds + 0.5);
    if (all < 60) return fmt::format("{} s", all);
    if (all < 3600) return fmt::format("{} min {} s", all / 60, all % 60);
    return fmt::format("{} h {} min", all / 3600, all / 60 % 60);
}

} // namespace

std::string progress_text(std::uint64_t ended, std::uint64_t blocks, double elapsed_s)
{
    const std::string done = fmt::format("{} of {} blocks ({}%)", grouped(ended), grouped(blocks),
                                         blocks == 0 ? 0 : 100 * ended / blocks);
    if (ended == 0) return done;
    const double left_s =
        elapsed_s * static_cast<double>(blocks - ended) / static_cast<double>(ended);
    return fmt::format("{}, about {} left", done, duration_text(left_s));
}

std::string progress_line(const simt::Progress& progress, double elapsed_s)
{
    constexpr double is_long_s = 20; // of the whole launch
    const std::uint64_t ended = progress.ended, blocks = progress.blocks;
    const bool is_long = ended == 0 || elapsed_s * static_cast<double>(blocks) >
                                           is_long_s * static_cast<double>(ended);
    return progress_text(ended, blocks, elapsed_s) + ". Ctrl C ends it" +
           (is_long && progress.could_sample ? "; --sample would check only some blocks." : ".");
}

ProgressLine::ProgressLine() : is_terminal_(is_terminal(standard_errors)) {}

void ProgressLine::update(const simt::Progress& progress)
{
    constexpr std::chrono::milliseconds first_after(2000), every(500);
    if (!is_terminal_) return;
    const auto now = Clock::now();
    const std::uint64_t attempt = progress.attempts, blocks = progress.blocks;
    if (attempt != attempt_) {
        attempt_ = attempt;
        begin_ = now;
    }
    if (blocks == 0) return clear();
    if (now - begin_ < first_after || now < next_) return;
    next_ = now + every;
    const std::chrono::duration<double> elapsed = now - begin_;
    write_line(progress_line(progress, elapsed.count()));
    shown_ = true;
}

void ProgressLine::clear()
{
    if (shown_) write_line("");
    shown_ = false;
}

} // namespace lanescope::app
