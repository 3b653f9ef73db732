// A file that is open elsewhere cannot be opened for this process alone.
#include "compute/process/open_files.h"

#include <windows.h>

namespace lanescope {

bool is_open_anywhere(const std::filesystem::path& file)
{
    const HANDLE alone =
        CreateFileW(file.c_str(), GENERIC_READ, 0, nullptr, OPEN_EXISTING, 0, nullptr);
    if (alone == INVALID_HANDLE_VALUE) return GetLastError() == ERROR_SHARING_VIOLATION;
    CloseHandle(alone);
    return false;
}

} // namespace lanescope
