// Measures wall-clock time and the thread's own CPU time.
#include "app/window/pace.h"

#include <algorithm>

#include "compute/thread_time.h"

namespace lanescope::app {
namespace {

double seconds_between(Pace::Clock::time_point from, Pace::Clock::time_point to)
{
    return std::chrono::duration<double>(to - from).count();
}

} // namespace

void Pace::frame(std::uint64_t picture, std::int64_t steps, bool fault)
{
    const auto now = Clock::now();
    const bool new_picture = picture != picture_;
    picture_ = picture;
    const double own_ms = 1e3 * thread_seconds();
    if (first_picture_s_) {
        ++frames_;
        pictures_ += new_picture;
        note_duration(1e3 * seconds_between(last_, now), own_ms - own_ms_);
    } else if (new_picture || fault) {
        first_picture_s_ = seconds_between(started_, now);
        window_start_ = now;
    }
    last_ = now;
    // Use a decaying maximum of recent frame times: on shared processors, every few frames there is
    // a slow one.
    constexpr double fades = 0.95;
    expected_work_s_ = std::max(fades * expected_work_s_, seconds_between(work_, now));
    own_ms_ = own_ms;
    window_pictures_ += new_picture;
    constexpr double window_s = 0.5;
    if (const double passed = seconds_between(window_start_, now); passed > window_s) {
        recent_pictures_ = static_cast<double>(window_pictures_) / passed;
        // Fewer steps than before mean that the experiment restarted.
        recent_steps_ = static_cast<double>(steps - window_steps_) / passed;
        if (steps < window_steps_) recent_steps_ = 0;
        window_start_ = now;
        window_pictures_ = 0;
        window_steps_ = steps;
    }
}

void Pace::note_duration(double ms, double own_ms)
{
    constexpr double slow_ms = 50;
    constexpr std::size_t max_kept = 500;
    worst_frame_ms_ = std::max(worst_frame_ms_, ms);
    if (ms <= slow_ms) return;
    slow_frames_.push_back({seconds(), ms, own_ms, busy_with_});
    if (slow_frames_.size() > max_kept) slow_frames_.pop_front();
}

double Pace::wait_s() const
{
    if (!first_picture_s_) return 0; // draw the first picture as soon as it exists
    return std::max(0.0, min_frame_s - seconds_between(work_, Clock::now()));
}

std::chrono::duration<double> Pace::patience() const
{
    // Before the first picture, the step that makes it needs the processors more than an empty
    // frame does.
    if (!first_picture_s_) return std::chrono::duration<double>(max_frame_s);
    const double passed = seconds_between(last_, Clock::now());
    return std::chrono::duration<double>(std::max(0.0, max_frame_s - passed - expected_work_s_));
}

double Pace::seconds() const
{
    return seconds_between(started_, Clock::now());
}

double Pace::frames_per_s() const
{
    return first_picture_s_ ? static_cast<double>(frames_) / (seconds() - *first_picture_s_) : 0;
}

double Pace::pictures_per_s() const
{
    return first_picture_s_ ? static_cast<double>(pictures_) / (seconds() - *first_picture_s_) : 0;
}

} // namespace lanescope::app
