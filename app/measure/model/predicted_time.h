// The predicted time of a counted step on a GPU: its limit, its costliest line, and a change that
// would help. The machine's launches must have been recorded.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/measure/model/followed_caches.h"
#include "compute/predicted/prediction.h"

namespace lanescope::app {

struct TimeReport {
    std::string gpu{};                  // "H100"
    std::string before{};               // contents of the caches: "cold" or "warm"
    std::string unavailable{};          // why there is no prediction, as a sentence; else empty
    std::size_t launches = 1;           // of the step, one after another
    predicted::Work work{};             // of its longest launch
    predicted::Prediction prediction{}; // of the step
    // The line with the largest part of the limiting unit's work, of the sites alone, in the
    // longest launch.
    struct Line {
        trace::Site site;
        double share = 0; // of the unit's work
    };
    std::optional<Line> costliest{};
    // The change whose predicted gain is largest, if any gains 5%.
    struct Change {
        std::string how; // "without bank conflicts"
        double us = 0;
    };
    std::optional<Change> better{};
    std::vector<std::string> notes{}; // sentences about parts of the launch outside the model
};

// `ptx` has the step's kernels. Needs ptxas and nvdisasm; without them, `unavailable` names the
// missing one.
TimeReport predict_time(const caches::Recordings& launches, const CacheReport& caches,
                        std::string_view ptx, const counting::Gpu& gpu);

// "DRAM", "instructions (FP64 pipe)", "launching": the limit in words.
std::string limit_words(const predicted::Prediction& prediction);

} // namespace lanescope::app
