// The rhythm of the window: counts frames and pictures, keeps the slowest, and waits so that
// nothing is drawn more often than a screen shows it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

namespace lanescope::app {

class Pace {
public:
    using Clock = std::chrono::steady_clock;

    explicit Pace(Clock::time_point started) : started_(started) {}

    // The waiting is over: the next frame's work begins.
    void begin_work() { work_ = Clock::now(); }
    // What the frame is busy with besides its picture, for the list of slow ones.
    void busy_with(const char* what) { busy_with_ = what; }
    // Ends a frame that shows this picture, as the worker counts them, of so many steps, or the
    // fault that stands in the place of one.
    void frame(std::uint64_t picture, std::int64_t steps, bool fault);
    // How long until the next frame is due, 0 when it is late. From begin to begin of their work: a
    // frame that takes long to draw is not followed by a pause as well.
    double wait_s() const;
    // How long to wait for something new, so that frames come often enough although there is
    // nothing: their work takes time, too.
    std::chrono::duration<double> patience() const;

    double seconds() const; // since the start of the program
    std::optional<double> first_picture_s() const { return first_picture_s_; }
    long frames() const { return frames_; }
    long pictures() const { return pictures_; }
    double frames_per_s() const;                              // since the first picture
    double pictures_per_s() const;                            // since the first picture
    double worst_frame_ms() const { return worst_frame_ms_; } // since the first picture
    // Frames that took so long that an eye sees it, newest last; the oldest are forgotten.
    struct SlowFrame {
        double at_s;
        double took_ms;
        double own_ms; // of them on the processor, by the window's thread: other load adds none
        const char* busy_with; // "opening", "parsing", "compiling" or "other"
    };
    const std::deque<SlowFrame>& slow_frames() const { return slow_frames_; }
    // Over the last half second.
    double recent_pictures_per_s() const { return recent_pictures_; }
    double recent_steps_per_s() const { return recent_steps_; }

private:
    void note_duration(double ms, double own_ms);

    static constexpr double min_frame_s = 1.0 / 60;
    static constexpr double max_frame_s = 1.0 / 30;

    Clock::time_point started_;
    Clock::time_point last_ = Clock::now();
    Clock::time_point work_ = Clock::now();
    double expected_work_s_ = 0; // of a frame, without its waiting
    double own_ms_ = 0;          // when the last frame ended
    const char* busy_with_ = "other";
    std::optional<double> first_picture_s_;
    long frames_ = 0;
    long pictures_ = 0;
    double worst_frame_ms_ = 0;
    std::deque<SlowFrame> slow_frames_;
    Clock::time_point window_start_ = Clock::now();
    std::uint64_t picture_ = 0; // that was shown last
    long window_pictures_ = 0;
    std::int64_t window_steps_ = 0; // when it began
    double recent_pictures_ = 0;
    double recent_steps_ = 0;
};

} // namespace lanescope::app
