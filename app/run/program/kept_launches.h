// Launches of a program with the memory that they had, as labs: each in a folder of its own, which
// every command and the window open like any other lab.
#pragma once

#include <filesystem>
#include <vector>

#include "app/run/program/program_report.h"

namespace lanescope::app {

// Makes labs of what the runtime library kept in the folder: record, PTX and, where it is found,
// the source with its headers. `sources` are the program's, if it was built from any. What cannot
// become one gets ProgramLaunch::not_kept.
void make_labs(const std::filesystem::path& folder, const std::string& program,
               const std::vector<std::filesystem::path>& sources,
               std::vector<ProgramLaunch>& launches);

} // namespace lanescope::app
