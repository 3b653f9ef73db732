// Files that programs have open.
#pragma once

#include <filesystem>

namespace lanescope {

// True if a process has the file open. An encoder may outlive the program that fed it, because it
// first writes everything it has.
bool is_open_anywhere(const std::filesystem::path& file);

} // namespace lanescope
