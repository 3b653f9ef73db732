// Selects the counts that a frame needs.
#pragma once

#include <optional>
#include <string>

#include "app/document/look/look.h"
#include "compute/caches/replay.h"
#include "compute/trace/trace.h"

namespace lanescope::app {

struct Counting {
    bool map = false;                        // records which warp wrote each element
    trace::Scope map_of = trace::Scope::all; // kind of access whose cost the map sums per warp
    bool sites = false;                      // counts by site, and totals
    bool sass = false;                       // also counts the assembled code
    std::optional<std::string> memory;       // counts sectors of this memory; "": the first
    std::optional<RequestChoice> request;    // records one request by lane
    std::optional<std::int64_t> tree;        // records data exchange in this warp's block

    std::optional<caches::Before> caches{}; // follows the launch through the caches

    bool any() const { return map || sites || memory || request || tree; }
    friend bool operator==(const Counting&, const Counting&) = default;
};

} // namespace lanescope::app
