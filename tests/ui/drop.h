// Files dropped on a window as a file manager drops them: the source's side of XDND version 5.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lanescope::test {

// Drops the files on the middle of the display's only window that takes drops, and returns when
// that has taken them. Throws std::runtime_error that says which answer did not come.
void drop_files(const std::string& display, const std::vector<std::filesystem::path>& files);

} // namespace lanescope::test
