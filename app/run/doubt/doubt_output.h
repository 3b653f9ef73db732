// A doubt's report as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

#include "app/run/doubt/doubt.h"

namespace lanescope::app {

std::string doubt_text(const DoubtReport& report);
nlohmann::ordered_json doubt_json(const DoubtReport& report);

} // namespace lanescope::app
