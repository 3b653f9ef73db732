// What a frame counts.
#pragma once

#include <optional>
#include <string>

#include "app/document/look.h"
#include "compute/trace/trace.h"

namespace lanescope::app {

struct Counting {
    bool map = false;                        // which warp wrote what, for the heatmap
    trace::Scope map_of = trace::Scope::all; // the accesses that it sums by warp
    bool sites = false;                      // by site, and the totals
    bool sass = false;                       // with the sites, as the assembler made them, too
    std::optional<std::string> memory;       // the sectors of that memory; "": the first there is
    std::optional<RequestChoice> request;    // one request, lane by lane
    std::optional<std::int64_t> tree; // data exchange in the block of that warp of the launch

    bool any() const { return map || sites || memory || request || tree; }
    friend bool operator==(const Counting&, const Counting&) = default;
};

} // namespace lanescope::app
