// A program's result as JSON: for other programs, and for the window, which runs each one in a
// separate process.
#pragma once

#include <nlohmann/json.hpp>

#include "app/run/program/program_run.h"

namespace lanescope::app {

nlohmann::ordered_json to_json(const ProgramResult& result);
// Throws nlohmann::json::exception for anything that to_json() does not write.
ProgramResult program_result(const nlohmann::ordered_json& json);

} // namespace lanescope::app
