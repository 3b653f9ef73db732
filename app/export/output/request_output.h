// One request of one warp by lane: output of `trace --request` and `emulate --request`.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

#include "compute/trace/trace.h"

namespace lanescope::app {

// The request of a counted launch with all 32 lanes. Throws Error (no_such_thing) if the warp made
// no such request.
std::string request_text(const trace::Trace& trace);
nlohmann::ordered_json request_json(const trace::Trace& trace);

} // namespace lanescope::app
