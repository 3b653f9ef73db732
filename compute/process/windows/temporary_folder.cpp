// Below the user's own temporary folder, whose rights it inherits: other users cannot read it.
#include "compute/process/temporary_folder.h"

#include <windows.h>

#include <atomic>

#include <fmt/format.h>

#include "compute/error.h"
#include "compute/process/windows/text.h"

namespace lanescope {
namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder()
{
    static std::atomic<unsigned> count = 0;
    std::error_code failed;
    const fs::path parent = fs::temp_directory_path(failed);
    for (;;) {
        path_ = parent / fmt::format("lanescope-{}-{}", GetCurrentProcessId(), count++);
        if (CreateDirectoryW(path_.c_str(), nullptr)) return;
        const DWORD error = GetLastError();
        if (error == ERROR_ALREADY_EXISTS) continue; // left by a process that had this number
        throw Error(ExitStatus::bad_usage,
                    fmt::format("No temporary folder can be created in {}: {}.", parent.string(),
                                windows_message(error)),
                    "Set TMP to a writable folder.");
    }
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code none;
    fs::remove_all(path_, none);
}

} // namespace lanescope
