// Which counts a frame needs.
#pragma once

#include <optional>
#include <string>

#include "app/document/look.h"
#include "compute/trace/trace.h"

namespace lanescope::app {

struct Counting {
    bool map = false;                        // which warp wrote each element, for the heatmap
    trace::Scope map_of = trace::Scope::all; // accesses summed per warp
    bool sites = false;                      // counts by site, and totals
    bool sass = false;                       // also as assembled
    std::optional<std::string> memory;       // sectors of that memory; "": of the first one
    std::optional<RequestChoice> request;    // one request by lane
    std::optional<std::int64_t> tree;        // data exchange in the block of that warp

    bool any() const { return map || sites || memory || request || tree; }
    friend bool operator==(const Counting&, const Counting&) = default;
};

} // namespace lanescope::app
