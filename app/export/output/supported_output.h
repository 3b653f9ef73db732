// Lists the PTX that the lockstep machine runs and refuses, derived from the instruction table.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace lanescope::app {

std::string supported_text();
// {"runs": [{"instruction", "modifiers": [{"words": […], "optional"}]}],
//  "refused": [{"name", "reason"}]}
nlohmann::ordered_json supported_json();

} // namespace lanescope::app
