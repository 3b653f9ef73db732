// What came of a program as JSON: for programs that read it, and for the window, which runs each in
// a process beside it.
#pragma once

#include <nlohmann/json.hpp>

#include "app/run/program/program_run.h"

namespace lanescope::app {

nlohmann::ordered_json to_json(const ProgramResult& result);
// Throws nlohmann::json::exception for what to_json() does not write.
ProgramResult program_result(const nlohmann::ordered_json& json);

} // namespace lanescope::app
