// Drops files on a window like a file manager: the source side of XDND version 5.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lanescope::test {

// Drops the files on the centre of the display's only drop target, and returns when they have been
// accepted. Throws std::runtime_error naming the missing reply.
void drop_files(const std::string& display, const std::vector<std::filesystem::path>& files);

} // namespace lanescope::test
