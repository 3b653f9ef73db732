// The predicted time of a launch, and what limits it, as text and JSON: output of `trace --time`
// and `emulate --time`.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

#include "app/measure/model/predicted_time.h"

namespace lanescope::app {

nlohmann::ordered_json time_json(const TimeReport& report);
std::string time_text(const TimeReport& report);

} // namespace lanescope::app
