// One request of one warp: which one a text asks for, and what it costs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "compute/counting/counting.h"
#include "compute/trace/trace.h"

namespace lanescope::app {

// SITE[,WARP[,OCCURRENCE]], as --request and lessons have it, among a kernel's sites: SITE is one
// of their numbers or, as L12, a line of the source, whose first memory access is meant. Throws
// Error: bad_usage for a text that is no such thing or a branch, no_such_thing for a site or line
// that there is not.
trace::WatchedRequest parse_request(std::string_view text, std::span<const trace::Site> sites);

// What the request costs, of global and of shared memory.
counting::GlobalCost global_cost(const trace::WatchedRequest& request, const trace::Site& site);
counting::SharedCost shared_cost(const trace::WatchedRequest& request, const trace::Site& site);
// Sectors or, of shared memory, wavefronts: those of the request, and those that its lanes need at
// the least.
struct RequestCost {
    int paid = 0;
    int ideal = 0;
};
RequestCost cost_of(const trace::WatchedRequest& request, const trace::Site& site);
// "8 sectors, ideal 4" or "2 wavefronts, ideal 1".
std::string cost_text(const trace::WatchedRequest& request, const trace::Site& site);

} // namespace lanescope::app
