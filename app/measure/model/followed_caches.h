// Follows counted launches of the lockstep machine through the caches of a GPU: which level served
// the sectors of each site and warp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compute/caches/recording.h"
#include "compute/caches/replay.h"
#include "compute/counting/gpus.h"
#include "compute/device/device.h"
#include "compute/trace/trace.h"

namespace lanescope::app {

struct CacheReport {
    std::string gpu;    // "H100"
    std::string before; // "cold" or "warm"
    caches::Sizes sizes;
    std::size_t launches = 0; // of one step, and from the device
    caches::Result result;
    std::vector<caches::Served> sites; // as in the trace
    std::vector<caches::Served> warps; // as in the trace; empty if not requested, or not known
    std::string unavailable;           // why there is no result, as a sentence; else empty
};

// "cold" or "warm".
std::string_view name(caches::Before before);

// Records the traced launches of a device during its lifetime.
class RecordedAccesses {
public:
    // Throws Error (bad_usage) if the device is not the lockstep machine; the message starts with
    // `user`: "--caches".
    RecordedAccesses(device::Device& device, std::string_view user,
                     std::uint64_t max_words = caches::Recordings::default_max_words);
    ~RecordedAccesses();
    RecordedAccesses(const RecordedAccesses&) = delete;
    RecordedAccesses& operator=(const RecordedAccesses&) = delete;

    const caches::Recordings& launches() const { return launches_; }

private:
    device::Device& device_;
    caches::Recordings launches_;
};

// Follows the recorded launches, which were counted in `trace`.
CacheReport follow_caches(const caches::Recordings& launches, const trace::Trace& trace,
                          const counting::Gpu& gpu, caches::Before before);

// Follows steps of one experiment, per warp as well. Warm caches are those after the step followed
// before or, for the first one, after the same step.
class FollowedSteps {
public:
    CacheReport follow(const caches::Recordings& launches, const trace::Trace& trace,
                       const counting::Gpu& gpu, caches::Before before);
    void forget() { warm_.reset(); }

private:
    std::optional<caches::Replay> warm_; // empty: nothing was followed yet
};

// The report's part for pictures and source lines.
std::shared_ptr<const trace::ServedBy> served_by(CacheReport report);

} // namespace lanescope::app
