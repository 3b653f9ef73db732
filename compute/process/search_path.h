// Programs by their names, as PATH has them. The current folder is never searched: it may be a
// stranger's.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope {

// The absolute folders of a variable such as PATH; those that are empty or relative mean the
// current folder and are left out.
std::vector<std::filesystem::path> absolute_folders(const char* variable);

// The first executable file of that name in PATH's absolute folders; a name with a slash is a path
// already.
std::optional<std::filesystem::path> find_program(const std::string& name);

// This process's environment for another program, as NAME=VALUE: without folders of PATH and
// LD_LIBRARY_PATH that are relative. `changes` replace variables; NAME alone removes one, and NAME*
// all that begin so.
std::vector<std::string> environment_for_program(const std::vector<std::string>& changes = {});

} // namespace lanescope
