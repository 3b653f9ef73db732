// One request of one warp on the command line: which one is asked for, and its lanes as text and as
// JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>
#include <string_view>

#include "compute/trace/trace.h"

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace lanescope::app {

// Adds --request SITE[,WARP[,OCCURRENCE]] to the command.
CLI::Option* add_request_option(CLI::App& command, std::string& request);

// What the option's text asks for among a kernel's sites: SITE is one of their numbers or, as L12,
// a line of the source, whose first memory access is meant. Throws Error: bad_usage for a text that
// is no such thing or a branch, no_such_thing for a site or line that there is not.
trace::WatchedRequest parse_request(std::string_view text, std::span<const trace::Site> sites);

// The request of a counted launch, with all 32 lanes. Throw Error (no_such_thing) when the warp
// made no such request.
std::string request_text(const trace::Trace& trace);
nlohmann::ordered_json request_json(const trace::Trace& trace);

// "8 sectors, ideal 4" or "2 wavefronts, ideal 1".
std::string cost_text(const trace::WatchedRequest& request, const trace::Site& site);

} // namespace lanescope::app
