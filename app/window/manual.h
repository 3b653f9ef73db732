// Finds the manual, which packages install beside the program.
#pragma once

#include <filesystem>

namespace lanescope::app {

// The manual's first page; empty if the manual is not installed.
std::filesystem::path manual_page();

} // namespace lanescope::app
