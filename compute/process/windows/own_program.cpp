// The module's file name, which may be longer than MAX_PATH.
#include "compute/process/own_program.h"

#include <windows.h>

#include <psapi.h>
#include <shellapi.h>

#include "compute/process/windows/text.h"

namespace lanescope {
namespace {

std::wstring module_file()
{
    std::wstring name(MAX_PATH, L'\0');
    for (;;) {
        const DWORD length =
            GetModuleFileNameW(nullptr, name.data(), static_cast<DWORD>(name.size()));
        if (length < name.size()) {
            name.resize(length);
            return name;
        }
        name.resize(2 * name.size());
    }
}

} // namespace

std::string own_program()
{
    return to_utf8(module_file());
}

std::filesystem::path own_program_file()
{
    return module_file();
}

ProgramArguments::ProgramArguments(int, char**)
{
    int count = 0;
    wchar_t** const wide = CommandLineToArgvW(GetCommandLineW(), &count);
    for (int i = 0; i < count; ++i) texts_.push_back(to_utf8(wide[i]));
    LocalFree(wide);
    for (std::string& text : texts_) words_.push_back(text.data());
    words_.push_back(nullptr);
}

int process_id()
{
    return static_cast<int>(GetCurrentProcessId());
}

bool is_running(int process)
{
    const HANDLE handle = OpenProcess(SYNCHRONIZE, FALSE, static_cast<DWORD>(process));
    if (handle == nullptr) return GetLastError() == ERROR_ACCESS_DENIED;
    const bool running = WaitForSingleObject(handle, 0) == WAIT_TIMEOUT;
    CloseHandle(handle);
    return running;
}

std::ptrdiff_t open_descriptors()
{
    DWORD handles = 0;
    return GetProcessHandleCount(GetCurrentProcess(), &handles) ? std::ptrdiff_t{handles} : 0;
}

std::size_t heap_bytes()
{
    PROCESS_MEMORY_COUNTERS used{};
    return GetProcessMemoryInfo(GetCurrentProcess(), &used, sizeof used) ? used.PagefileUsage : 0;
}

} // namespace lanescope
