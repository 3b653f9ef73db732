// LoadLibraryExW(), which searches the library's own folder, the program's, the system's and those
// that were added, but not the current folder or PATH.
#include "compute/process/library.h"

#include <windows.h>

#include "compute/process/windows/text.h"

namespace lanescope {

std::string driver_library()
{
    return "nvcuda.dll";
}

std::string cuda_library(const std::string& name, int major_version)
{
    const std::string major = std::to_string(major_version);
    return name == "nvrtc" ? name + "64_" + major + "0_0.dll" : name + "64_" + major + ".dll";
}

void* open_library(const std::filesystem::path& name, Binding)
{
    // A missing library is an answer, not a reason for a message box.
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOOPENFILEERRORBOX);
    std::error_code none;
    if (!name.has_parent_path())
        return LoadLibraryExW(name.c_str(), nullptr, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
    const std::filesystem::path whole = std::filesystem::absolute(name, none).make_preferred();
    return LoadLibraryExW(whole.c_str(), nullptr,
                          LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
}

void* find_function(void* library, const char* name)
{
    return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

std::string library_problem()
{
    return windows_message(GetLastError());
}

} // namespace lanescope
