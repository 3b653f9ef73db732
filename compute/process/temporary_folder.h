// A new folder in the system's temporary one, removed with everything in it.
#pragma once

#include <filesystem>

namespace lanescope {

#if !defined(_WIN32)
// The system's temporary folder. Throws Error (bad_usage) if there is none.
std::filesystem::path system_temporary_folder();
#endif

class TemporaryFolder {
public:
    // Throws Error (bad_usage) if the folder cannot be created.
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
