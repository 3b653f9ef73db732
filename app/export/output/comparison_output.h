// Counts of several sources side by side: output of `trace --compare` and `emulate --compare`.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

#include "app/measure/comparison.h"

namespace lanescope::app {

std::string comparison_text(const Comparison& comparison);
nlohmann::ordered_json comparison_json(const Comparison& comparison);

} // namespace lanescope::app
