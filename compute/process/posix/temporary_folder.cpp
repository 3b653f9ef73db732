// Uses mkdtemp(), whose folder only this user can access.
#include "compute/process/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "compute/error.h"

namespace lanescope {
namespace fs = std::filesystem;

fs::path system_temporary_folder()
{
    std::error_code failed;
    const fs::path folder = fs::temp_directory_path(failed);
    if (failed) {
        const char* const named = std::getenv("TMPDIR");
        throw Error(ExitStatus::bad_usage,
                    fmt::format("No temporary folder can be created: \"{}\" is no folder.",
                                named ? named : "/tmp"),
                    "Set TMPDIR to a writable folder.");
    }
    return fs::absolute(folder);
}

TemporaryFolder::TemporaryFolder()
{
    const fs::path parent = system_temporary_folder();
    std::string pattern = (parent / "lanescope-XXXXXX").string();
    if (!mkdtemp(pattern.data()))
        throw Error(ExitStatus::bad_usage,
                    fmt::format("No temporary folder can be created in {}: {}.", parent.string(),
                                std::strerror(errno)),
                    "Set TMPDIR to a writable folder.");
    path_ = pattern;
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code none;
    fs::remove_all(path_, none);
}

} // namespace lanescope
