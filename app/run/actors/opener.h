// Begins to open what the window asks for, links what is shown: finds it, opens its engine, tries
// what came from elsewhere. The newest job counts; what it supersedes ends by itself. The runner
// takes what is ready.
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
#include "app/run/open_job.h"

namespace lanescope::app {

// What is ready to be started.
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

    // OpenGL's thread's. Gives the opening's number.
    std::uint64_t open(OpenJob job);

    // --- any thread ---

    std::optional<OpeningFrame> what_opens(const Held&) const
    {
        return next_ ? std::optional(next_->frame) : started_;
    }
    bool pending(const Held&) const { return next_.has_value(); }
    // Something can be opened: what runs is not wanted any more.
    bool leaves(const Held&) const { return switch_pending_; }

    // --- the runner ---

    std::optional<Opening> take_ready();
    void note_started(); // what was taken is open, or failed
    void forget_ended(const Held&);
    void end(); // waits for what still begins

private:
    Opening::Beginning begin(const OpenJob& job);
    void begun(std::uint64_t number);
    void report_failed_open(std::uint64_t number, const std::exception_ptr& error);

    Links links_;
    // Under the mutex.
    std::uint64_t numbers_ = 0;
    bool switch_pending_ = false;
    std::optional<Opening> next_;
    std::optional<OpeningFrame> started_; // what the runner is opening
    std::vector<std::future<Opening::Beginning>> superseded_;
};

} // namespace lanescope::app
