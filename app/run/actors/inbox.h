// Requests of OpenGL's thread to the runner: the plan, changes and single steps. Numbered, so that
// each side knows which requests the other has seen.
#pragma once

#include <cstdint>
#include <deque>

#include "app/document/experiment/journal.h"
#include "app/run/actors/interruption.h"
#include "app/run/actors/shared_state.h"
#include "app/run/frame/plan.h"

namespace lanescope::app {

class Inbox {
public:
    Inbox(SharedState& shared_state, Interruption& interruption)
        : shared_state_(shared_state), interruption_(interruption)
    {
    }

    // --- OpenGL's thread ---

    void tell(const Plan& plan);
    void apply(std::uint64_t opened, Change change);
    void step(std::uint64_t opened, std::int64_t launches);
    void quit();
    // True if the runner had nothing left to do when it last looked, and nothing arrived since.
    bool settled(const Held&) const { return settled_ == inputs_; }

    // --- any thread ---

    bool quits(const Held&) const { return quit_requested_; }
    const Plan& plan(const Held&) const { return plan_; }
    // Notes a request. A nudge also wakes a runner that halted after a failure.
    void note(const Held&, bool nudge);

    // --- the runner ---

    struct Round {
        Plan plan{};
        std::int64_t steps = 0; // single steps that were requested and not made yet
        std::uint64_t inputs = 0;
        std::uint64_t nudges = 0;
    };
    // The requests that apply to the open experiment now.
    Round begin_round(const Held&, std::uint64_t opened) const;
    bool has_more(const Held&, const Round& round) const { return inputs_ != round.inputs; }
    struct Asked { // a change, and which experiment was open when it was requested
        std::uint64_t opened = 0;
        Change change;
    };
    std::deque<Asked> take_changes();
    void note_made(std::uint64_t opened, std::int64_t launches);
    // Call when nothing is left to do in this round.
    void settle(const Held&, const Round& round);

private:
    SharedState& shared_state_;
    Interruption& interruption_;
    std::uint64_t inputs_ = 0;  // incremented by every request
    std::uint64_t nudges_ = 0;  // number of requests that do more than pause
    std::uint64_t settled_ = 0; // value of inputs_ when the runner was last idle
    bool quit_requested_ = false;
    Plan plan_;
    std::deque<Asked> changes_;
    std::uint64_t steps_of_ = 0; // the opening that the steps were requested for
    std::int64_t steps_ = 0;
};

} // namespace lanescope::app
