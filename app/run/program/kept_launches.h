// Launches of a program with their memory as labs: each in its own folder, which every command and
// the window open like any other lab.
#pragma once

#include <filesystem>
#include <vector>

#include "app/run/program/program_report.h"

namespace lanescope::app {

// Makes labs from the files that the runtime library kept in the folder: record, PTX and, if found,
// the source with its headers. `sources` are the program's, if it was built from any.
// `as_written` has texts of kernels for stepping, each after a line with the kernel's name; the
// folder may be missing. ProgramLaunch::not_kept explains launches that cannot become a lab.
void make_labs(const std::filesystem::path& folder, const std::string& program,
               const std::vector<std::filesystem::path>& sources,
               const std::filesystem::path& as_written, std::vector<ProgramLaunch>& launches);

} // namespace lanescope::app
