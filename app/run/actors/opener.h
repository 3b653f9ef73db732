// Opens whatever the window requests (labs, sessions, files) while the current experiment stays on
// screen: finds the file, opens its engine, and validates external kernels. Only the newest job
// counts; older jobs end by themselves. The runner then starts the finished job.
#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "app/run/actors/frame_board.h"
#include "app/run/actors/inbox.h"
#include "app/run/actors/interruption.h"
#include "app/run/actors/placement.h"
#include "app/run/frame/open_job.h"

namespace lanescope::app {

// An opened job, ready to be started.
struct Opening {
    OpeningFrame frame;
    OpenJob job;
    struct Beginning {
        Found found;
        std::optional<OpenedEngine> engine;
    };
    std::future<Beginning> beginning;
};

class Opener {
public:
    struct Links { // the actors that it notifies
        SharedState& shared_state;
        Inbox& inbox;
        Interruption& interruption;
        FrameBoard& board;
        Placement& placement;
    };
    explicit Opener(const Links& links) : links_(links) {}

    // Called on OpenGL's thread. Returns a number that identifies the opening.
    std::uint64_t open(OpenJob job);

    // --- any thread ---

    std::optional<OpeningFrame> opening_job(const Held&) const
    {
        return next_ ? std::optional(next_->frame) : started_;
    }
    bool pending(const Held&) const { return next_.has_value(); }
    // True if something is ready to open, so that the running experiment is no longer needed.
    bool leaves(const Held&) const { return switch_pending_; }

    // --- the runner ---

    std::optional<Opening> take_ready();
    void note_started(); // call once the opening that the runner took is open, or has failed
    void forget_ended(const Held&);
    void end(); // waits for jobs in progress

private:
    Opening::Beginning begin(const OpenJob& job);
    void begun(std::uint64_t number);
    void report_failed_open(std::uint64_t number, const std::exception_ptr& error);

    Links links_;
    // Guarded by the mutex.
    std::uint64_t numbers_ = 0;
    bool switch_pending_ = false;
    std::optional<Opening> next_;
    std::optional<OpeningFrame> started_; // opening that the runner has taken
    std::vector<std::future<Opening::Beginning>> superseded_;
};

} // namespace lanescope::app
