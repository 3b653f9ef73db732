// Predicts the times of a program's launches on the simulated GPU, from the memory that was kept of
// each.
#pragma once

#include <vector>

#include "app/run/program/program_report.h"

namespace lanescope::app {

// Fills ProgramLaunch::predicted. A launch is run again on its memory; launches of one kernel with
// the same sizes and counts are predicted once. Launches from the device are not predicted.
void predict_launches(std::vector<ProgramLaunch>& launches);

} // namespace lanescope::app
