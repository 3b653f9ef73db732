// A lab as a folder that others open: its record, its kernels, its lesson, and all else that the
// record names.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "compute/labs/lab.h"

namespace lanescope::app {

using LabFiles = std::map<std::string, std::string>;

// The files that make the lab, by name: those of its texts and, below them, of its folder or of the
// program. Throws Error for one that there is not.
LabFiles files_of(const labs::Lab& lab);

// Throws Error (bad_usage) when the folder is there and holds anything: nothing is overwritten; or
// when it cannot be written.
void write_lab_folder(const LabFiles& files, const std::filesystem::path& folder);

// The small lab that `lanescope new-lab` begins with.
LabFiles first_lab();

// "heat_lab", "heat_lab_2" and so on in that folder: the first that is not there.
std::filesystem::path free_lab_folder(const std::filesystem::path& folder, const std::string& lab);

} // namespace lanescope::app
