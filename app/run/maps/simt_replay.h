// Records facts that only the lockstep machine can record, for a side that runs on a GPU: a block's
// data exchange, and the elements that it moves. Repeats everything up to the step on screen on
// simt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "app/document/look/counting.h"
#include "app/document/look/look.h"
#include "app/run/debug/debug_start.h"
#include "compute/error.h"
#include "compute/trace/trace.h"

namespace lanescope::app {

class SimtReplay {
public:
    // Fills `lanes` and `watched_block` of `trace` as far as `wanted` and the view need them. The
    // last answer is cached: only a new question runs anything. Each launch may take up to a
    // second, and so may all earlier steps together; if those take longer, step 1 is recorded
    // instead. `accept_any_step` accepts the answer for another step while the simulation is
    // running. Throws Error if a second is not enough, or the machine would need too much memory.
    void complete(const DebugStart& start, const std::string& view, const Counting& wanted,
                  bool accept_any_step, trace::Trace& trace);

    // Step of the last answer, from 1; 0 if nothing was requested.
    std::int64_t step() const { return question_ ? step_ : 0; }
    // True if the last answer was requested for another step than `step`.
    bool lags(std::int64_t step) const { return question_ && requested_ != step; }

private:
    struct Question {
        std::string lab; // id of the lab
        std::string variant;
        std::map<std::string, std::string> values;
        std::uint64_t seed = 0;
        std::string image;
        std::size_t events = 0; // their number identifies them: a journal only grows
        std::string view;
        std::optional<RequestChoice> request;
        std::optional<std::int64_t> tree;
        friend bool operator==(const Question&, const Question&) = default;
    };
    void watch(const DebugStart& start, const std::string& view, const Counting& wanted,
               trace::Trace& trace);

    std::optional<Question> question_;
    std::int64_t requested_ = 0; // the requested step …
    std::int64_t step_ = 0;      // … and the recorded one
    trace::LaneRecording lanes_;
    trace::WatchedBlock watched_block_;
    std::optional<Error> problem_; // why there is no answer
};

} // namespace lanescope::app
