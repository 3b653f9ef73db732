// One request of one warp: its textual form, and its cost.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "compute/counting/counting.h"
#include "compute/trace/trace.h"

namespace lanescope::app {

// Parses SITE[,WARP[,OCCURRENCE]], as used by --request and lessons: SITE is the number of a site
// or, as L12, a source line, whose first memory access is meant. Throws Error: bad_usage for
// invalid text or a branch, no_such_thing for a site or line that does not exist.
trace::WatchedRequest parse_request(std::string_view text, std::span<const trace::Site> sites);

// Cost of the request in global or local memory, and in shared or constant memory.
counting::GlobalCost global_cost(const trace::WatchedRequest& request, const trace::Site& site);
counting::SharedCost shared_cost(const trace::WatchedRequest& request, const trace::Site& site);
// Sectors of the request or, for shared memory, wavefronts and, for constant memory, passes; and
// the minimum that its lanes need.
struct RequestCost {
    int paid = 0;
    int ideal = 0;
};
RequestCost cost_of(const trace::WatchedRequest& request, const trace::Site& site);
// "8 sectors, ideal 4", "2 wavefronts, ideal 1" or "25 passes, ideal 1".
std::string cost_text(const trace::WatchedRequest& request, const trace::Site& site);

} // namespace lanescope::app
