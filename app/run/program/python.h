// Python programs: finds the interpreter that runs them, and makes Numba add line numbers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lanescope::app {

// True for Python source files, by their name.
bool is_python_source(const std::filesystem::path& file);

// The interpreter that LANESCOPE_PYTHON names, that of the active virtual environment, or python3
// in PATH. Throws Error if there is none.
std::filesystem::path find_python();

// Writes a start file for interpreters into the folder, which makes Numba compile kernels with line
// numbers. Returns the settings that make an interpreter read it.
std::vector<std::string> make_python_start(const std::filesystem::path& folder);

} // namespace lanescope::app
