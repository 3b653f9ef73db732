// Two handles: a reader must not move the writers' common position.
#include "compute/process/windows/kept_file.h"

#include <windows.h>

#include <algorithm>
#include <atomic>

namespace lanescope {

KeptFile make_kept_file()
{
    static std::atomic<unsigned> count = 0;
    KeptFile made{INVALID_HANDLE_VALUE, INVALID_HANDLE_VALUE};
    wchar_t folder[MAX_PATH + 1];
    if (GetTempPathW(MAX_PATH, folder) == 0) return made;
    const std::wstring name = std::wstring(folder) + L"lanescope-" +
                              std::to_wstring(GetCurrentProcessId()) + L"-" +
                              std::to_wstring(count++);
    constexpr DWORD shared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    SECURITY_ATTRIBUTES security{
        .nLength = sizeof security, .lpSecurityDescriptor = nullptr, .bInheritHandle = TRUE};
    made.writing =
        CreateFileW(name.c_str(), GENERIC_READ | GENERIC_WRITE | DELETE, shared, &security,
                    CREATE_NEW, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr);
    if (made.writing == INVALID_HANDLE_VALUE) return made;
    made.reading = CreateFileW(name.c_str(), GENERIC_READ, shared, nullptr, OPEN_EXISTING,
                               FILE_ATTRIBUTE_TEMPORARY, nullptr);
    if (made.reading == INVALID_HANDLE_VALUE) {
        CloseHandle(made.writing);
        made.writing = INVALID_HANDLE_VALUE;
    }
    return made;
}

std::string contents_of(void* reading, std::size_t max_bytes)
{
    LARGE_INTEGER size{}, start{};
    if (!GetFileSizeEx(reading, &size)) return {};
    std::string text(std::min(max_bytes, static_cast<std::size_t>(size.QuadPart)), '\0');
    SetFilePointerEx(reading, start, nullptr, FILE_BEGIN);
    std::size_t have = 0;
    while (have < text.size()) {
        constexpr std::size_t max_part = std::size_t{1} << 24;
        DWORD got = 0;
        if (!ReadFile(reading, text.data() + have,
                      static_cast<DWORD>(std::min(max_part, text.size() - have)), &got, nullptr) ||
            got == 0)
            break;
        have += got;
    }
    text.resize(have);
    return text;
}

} // namespace lanescope
