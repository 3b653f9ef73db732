// Windows' calls, with paths of any length and language.
#include "compute/process/files.h"

#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
#include <windows.h>

#include <cerrno>
#include <initializer_list>

namespace lanescope {
namespace fs = std::filesystem;
namespace {

int errno_of(DWORD error)
{
    switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_NETPATH:
    case ERROR_INVALID_DRIVE: return ENOENT;
    case ERROR_ALREADY_EXISTS:
    case ERROR_FILE_EXISTS: return EEXIST;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL: return ENOSPC;
    case ERROR_FILENAME_EXCED_RANGE: return ENAMETOOLONG;
    case ERROR_ACCESS_DENIED:
    case ERROR_WRITE_PROTECT: return EACCES;
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION: return EBUSY;
    default: return EIO;
    }
}

bool fail(DWORD error)
{
    errno = errno_of(error);
    return false;
}

// Paths of 260 characters and more need a prefix, after which nothing in them is interpreted.
std::wstring any_length(const fs::path& path)
{
    std::error_code none;
    fs::path whole = fs::absolute(path, none).lexically_normal().make_preferred();
    std::wstring name = none ? path.native() : whole.native();
    constexpr std::size_t max_plain = 240;
    if (name.size() < max_plain || name.starts_with(L"\\\\")) return name;
    return L"\\\\?\\" + name;
}

} // namespace

int create_file(const fs::path& file, const fs::path&)
{
    const HANDLE made = CreateFileW(any_length(file).c_str(), GENERIC_WRITE, FILE_SHARE_READ,
                                    nullptr, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr);
    if (made == INVALID_HANDLE_VALUE) {
        fail(GetLastError());
        return -1;
    }
    return _open_osfhandle(reinterpret_cast<std::intptr_t>(made), _O_BINARY);
}

int open_file(const fs::path& file)
{
    // FILE_FLAG_BACKUP_SEMANTICS opens folders, too, so that find_facts() can name them.
    const HANDLE made = CreateFileW(any_length(file).c_str(), GENERIC_READ,
                                    FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                    OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
    if (made == INVALID_HANDLE_VALUE) {
        fail(GetLastError());
        return -1;
    }
    return _open_osfhandle(reinterpret_cast<std::intptr_t>(made), _O_RDONLY | _O_BINARY);
}

bool find_facts(int file, FileFacts& facts)
{
    const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(file));
    facts = {};
    if (GetFileType(handle) != FILE_TYPE_DISK) return true;
    BY_HANDLE_FILE_INFORMATION about{};
    if (!GetFileInformationByHandle(handle, &about)) return fail(GetLastError());
    facts.folder = (about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    facts.regular = !facts.folder;
    facts.bytes = (std::uintmax_t{about.nFileSizeHigh} << 32) | about.nFileSizeLow;
    return true;
}

namespace {

// The part of a name that decides, in capitals: "nul .png" is NUL, too.
std::wstring name_of_device(const std::wstring& name)
{
    std::wstring device = name.substr(0, name.find(L'.'));
    device.erase(device.find_last_not_of(L' ') + 1);
    for (wchar_t& letter : device)
        if (letter >= L'a' && letter <= L'z') letter = static_cast<wchar_t>(letter - L'a' + L'A');
    return device;
}

bool is_device(const std::wstring& name)
{
    if (name == L"CON" || name == L"PRN" || name == L"AUX" || name == L"NUL") return true;
    const std::wstring_view digits = L"0123456789\u00b9\u00b2\u00b3";
    return name.size() == 4 && (name.starts_with(L"COM") || name.starts_with(L"LPT")) &&
           digits.find(name.back()) != digits.npos;
}

} // namespace

std::string name_problem(const fs::path& file)
{
    const std::wstring name = file.filename().native();
    if (const std::wstring device = name_of_device(name); is_device(device))
        return "Windows keeps the name " + fs::path(device).string() + " for a device";
    if (const auto at = name.find_first_of(L"<>:\"|?*"); at != name.npos)
        return std::string("names in Windows cannot contain ") + static_cast<char>(name[at]);
    return {};
}

bool close_written(int file)
{
    return _close(file) == 0;
}

bool remove_file(const fs::path& file)
{
    return DeleteFileW(any_length(file).c_str()) || fail(GetLastError());
}

bool replace_by(const fs::path& to, const fs::path& from)
{
    const HANDLE file =
        CreateFileW(any_length(from).c_str(), GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                    nullptr, OPEN_EXISTING, 0, nullptr);
    if (file != INVALID_HANDLE_VALUE) {
        FlushFileBuffers(file);
        CloseHandle(file);
    }
    // A virus scanner or a viewer may hold the old file for a moment.
    constexpr int attempts = 20;
    for (int attempt = 0;; ++attempt) {
        if (MoveFileExW(any_length(from).c_str(), any_length(to).c_str(),
                        MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH))
            return true;
        const DWORD error = GetLastError();
        if (error != ERROR_SHARING_VIOLATION || attempt == attempts) return fail(error);
        constexpr DWORD pause_ms = 25;
        Sleep(pause_ms);
    }
}

std::span<const int> full_disk_errors()
{
    static constexpr int all[] = {ENOSPC, EFBIG};
    return all;
}

namespace {

// The variables of other systems come first: Wine replaces Windows' own for every program.
fs::path folder_named_by(std::initializer_list<const wchar_t*> variables)
{
    for (const wchar_t* const variable : variables)
        if (const wchar_t* const folder = _wgetenv(variable); folder && *folder != L'\0')
            return fs::path(folder) / "lanescope";
    return {};
}

} // namespace

fs::path state_folder()
{
    return folder_named_by({L"XDG_STATE_HOME", L"LOCALAPPDATA"});
}

fs::path settings_folder()
{
    return folder_named_by({L"XDG_CONFIG_HOME", L"APPDATA"});
}

} // namespace lanescope
