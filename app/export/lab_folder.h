// Writes a lab as a folder that others can open: record, kernels, lesson, and everything else the
// record names.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "compute/experiment/lab/lab.h"

namespace lanescope::app {

using LabFiles = std::map<std::string, std::string>;

// The lab's files by name: its texts first, then files of its folder or of the program. Throws
// Error for a missing one.
LabFiles files_of(const labs::Lab& lab);

// Throws Error (bad_usage) if the folder exists and is not empty, since nothing is overwritten, or
// if it cannot be written.
void write_lab_folder(const LabFiles& files, const std::filesystem::path& folder);

// The host program of a lab: program.cu, the files of the lab that it includes, and a
// CMakeLists.txt. Throws Error (no_such_thing) if the lab has none.
LabFiles host_program(const labs::Lab& lab);

// The small lab that `lanescope new-lab` starts from.
LabFiles first_lab();

// The first of "heat_lab", "heat_lab_2", … that does not exist in the folder.
std::filesystem::path free_lab_folder(const std::filesystem::path& folder, const std::string& lab);

} // namespace lanescope::app
