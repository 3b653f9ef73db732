// Frame pacing: counts frames and pictures, records the slowest, and waits so that nothing is drawn
// more often than a screen shows it.
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

    // Call after waiting, when the next frame's work starts.
    void begin_work() { work_ = Clock::now(); }
    // Says what else the frame does besides drawing, for the list of slow frames.
    void busy_with(const char* what) { busy_with_ = what; }
    // Ends a frame that shows this picture (numbered by the worker) after `steps` steps, or a fault
    // in its place.
    void frame(std::uint64_t picture, std::int64_t steps, bool fault);
    // Time until the next frame is due; 0 if it is late. Frames are spaced from start to start, so
    // a frame that takes long to draw is not followed by a pause.
    double wait_s() const;
    // Maximum time to wait for news; shorter than a frame, because the frame's own work takes time.
    std::chrono::duration<double> patience() const;

    double seconds() const; // since the start of the program
    std::optional<double> first_picture_s() const { return first_picture_s_; }
    long frames() const { return frames_; }
    long pictures() const { return pictures_; }
    double frames_per_s() const;                              // since the first picture
    double pictures_per_s() const;                            // since the first picture
    double worst_frame_ms() const { return worst_frame_ms_; } // since the first picture
    // Visibly slow frames, newest last; the oldest are dropped.
    struct SlowFrame {
        double at_s;
        double took_ms;
        double own_ms;         // CPU time of the window's thread: unaffected by other load
        const char* busy_with; // "opening", "parsing", "compiling" or "other"
    };
    const std::deque<SlowFrame>& slow_frames() const { return slow_frames_; }
    // Average over the last half second.
    double recent_pictures_per_s() const { return recent_pictures_; }
    double recent_steps_per_s() const { return recent_steps_; }

private:
    void note_duration(double ms, double own_ms);

    static constexpr double min_frame_s = 1.0 / 60;
    static constexpr double max_frame_s = 1.0 / 30;

    Clock::time_point started_;
    Clock::time_point last_ = Clock::now();
    Clock::time_point work_ = Clock::now();
    double expected_work_s_ = 0; // per frame, without waiting
    double own_ms_ = 0;          // CPU time at the end of the last frame
    const char* busy_with_ = "other";
    std::optional<double> first_picture_s_;
    long frames_ = 0;
    long pictures_ = 0;
    double worst_frame_ms_ = 0;
    std::deque<SlowFrame> slow_frames_;
    Clock::time_point window_start_ = Clock::now();
    std::uint64_t picture_ = 0; // the last picture shown
    long window_pictures_ = 0;
    std::int64_t window_steps_ = 0; // steps at the start of the half-second window
    double recent_pictures_ = 0;
    double recent_steps_ = 0;
};

} // namespace lanescope::app
