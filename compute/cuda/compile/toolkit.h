// Possible locations of CUDA's compilers, libraries and headers on this machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lanescope::cuda {

// Toolkit folders that exist, best first: $CUDA_HOME, $CUDA_PATH, beside this program, nvcc's on
// $PATH, /usr/local/cuda. Relative ones are ignored: the current folder may be untrusted.
std::vector<std::filesystem::path> toolkit_roots();

// The folder that holds this executable.
std::filesystem::path program_folder();

std::optional<std::filesystem::path> find_nvcc();
// Candidates for dlopen of a toolkit library; bare names, for the loader's own search, come last.
std::vector<std::filesystem::path> library_candidates(const std::vector<std::string>& sonames);
// Header folders of the toolkits, for `-I`.
std::vector<std::filesystem::path> toolkit_includes();

} // namespace lanescope::cuda
