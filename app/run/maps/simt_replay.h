// What only the lockstep machine records of a launch, for a side that runs on a GPU: the data
// exchange of a block, and which elements it moves. The first step of the same lab is run on simt.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "app/document/counting.h"
#include "app/document/look.h"
#include "compute/error.h"
#include "compute/labs/lab.h"
#include "compute/trace/trace.h"

namespace lanescope::app {

class SimtReplay {
public:
    // Fills `lanes` and `watched_block` of `trace`, where `wanted` and the view ask for them. The
    // last answer is kept: only another question runs anything, a second at the most for each
    // launch. Throws Error where that is not enough, or the memory is more than the machine should
    // be given.
    void complete(const labs::Setup& setup, const std::string& view, const Counting& wanted,
                  trace::Trace& trace);

private:
    struct Question {
        std::string lab; // its place
        std::string variant;
        std::map<std::string, std::string> values;
        std::uint64_t seed = 0;
        std::string image;
        std::string view;
        std::optional<RequestChoice> request;
        std::optional<std::int64_t> tree;
        friend bool operator==(const Question&, const Question&) = default;
    };

    std::optional<Question> asked_;
    trace::LaneRecording lanes_;
    trace::WatchedBlock watched_block_;
    std::optional<Error> problem_; // why there is no answer
};

} // namespace lanescope::app
