// What PTX the lockstep machine runs and what it refuses, as lists made from the instruction table.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace lanescope::app {

std::string supported_text();
// {"runs": [{"instruction", "modifiers": [{"words": […], "optional"}]}],
//  "refused": [{"name", "reason"}]}
nlohmann::ordered_json supported_json();

} // namespace lanescope::app
