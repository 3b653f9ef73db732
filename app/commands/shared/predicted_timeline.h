// The predicted times of a program's launches, one after another, as text.
#pragma once

#include <string>

#include "app/run/program/program_report.h"

namespace lanescope::app {

// A row per launch, or per run of launches that differ in nothing that is shown; then the sum, and
// which parts of the program are not in it. Empty if nothing was to be predicted.
std::string predicted_timeline(const ProgramReport& report);

} // namespace lanescope::app
