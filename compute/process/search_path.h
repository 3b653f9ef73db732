// Finds programs through PATH. The current folder is never searched: it may be untrusted.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope {

// The absolute folders in a variable such as PATH. Empty and relative entries, which depend on the
// current folder, are left out.
std::vector<std::filesystem::path> absolute_folders(const char* variable);

// The first executable file of that name in PATH's absolute folders. A name with a slash is used as
// a path.
std::optional<std::filesystem::path> find_program(const std::string& name);

bool is_executable(const std::filesystem::path& file);

// The command that installs the program, as this system's package manager names it.
std::string package_installation(const std::string& program);

// This process's environment for another program, as NAME=VALUE, without relative folders in PATH
// and LD_LIBRARY_PATH. In `changes`, NAME=VALUE replaces a variable, NAME removes it, and NAME*
// removes all that start with NAME.
std::vector<std::string> environment_for_program(const std::vector<std::string>& changes = {});

} // namespace lanescope
