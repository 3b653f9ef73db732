// What only the lockstep machine records of a launch, for a side that runs on a GPU: the data
// exchange of a block, and which elements it moves. The step that is shown is made again on simt,
// with all that was done before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "app/document/counting.h"
#include "app/document/look.h"
#include "app/run/debug/debug_start.h"
#include "compute/error.h"
#include "compute/trace/trace.h"

namespace lanescope::app {

class SimtReplay {
public:
    // Fills `lanes` and `watched_block` of `trace`, where `wanted` and the view ask for them. The
    // last answer is kept: only another question runs anything, a second at the most for each
    // launch and for all steps before. Where those take longer, it is step 1 that is recorded.
    // `of_any_step`: the answer may be of another step, as while steps follow each other. Throws
    // Error where a second is not enough, or the memory is more than the machine should be given.
    void complete(const DebugStart& start, const std::string& view, const Counting& wanted,
                  bool of_any_step, trace::Trace& trace);

    // The step of the last answer, from 1; 0: nothing was asked for.
    std::int64_t step() const { return question_ ? step_ : 0; }
    // Whether the next answer would be of that step where the last one was not asked for it.
    bool lags(std::int64_t step) const { return question_ && asked_ != step; }

private:
    struct Question {
        std::string lab; // its place
        std::string variant;
        std::map<std::string, std::string> values;
        std::uint64_t seed = 0;
        std::string image;
        std::size_t events = 0; // a journal only grows
        std::string view;
        std::optional<RequestChoice> request;
        std::optional<std::int64_t> tree;
        friend bool operator==(const Question&, const Question&) = default;
    };
    void watch(const DebugStart& start, const std::string& view, const Counting& wanted,
               trace::Trace& trace);

    std::optional<Question> question_;
    std::int64_t asked_ = 0; // the step that was asked for …
    std::int64_t step_ = 0;  // … and the one that was made
    trace::LaneRecording lanes_;
    trace::WatchedBlock watched_block_;
    std::optional<Error> problem_; // why there is no answer
};

} // namespace lanescope::app
