// Where the manual is: packages install it beside the program.
#pragma once

#include <filesystem>

namespace lanescope::app {

// The manual's first page, or an empty path where it is not installed.
std::filesystem::path manual_page();

} // namespace lanescope::app
