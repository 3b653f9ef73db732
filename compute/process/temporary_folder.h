// A folder of its own under the system's temporary one, removed with all that is in it.
#pragma once

#include <filesystem>

namespace lanescope {

class TemporaryFolder {
public:
    // Throws Error (bad_usage) where none can be made.
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const char* name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

} // namespace lanescope
