// PATH has semicolons, names of variables have no case, and programs end in .exe.
#include "compute/process/search_path.h"

#include <windows.h>

#include <algorithm>
#include <cwctype>
#include <sstream>

#include "compute/process/windows/text.h"

namespace lanescope {
namespace fs = std::filesystem;
namespace {

std::string lower(std::string_view text)
{
    std::string made(text);
    for (char& one : made)
        if (one >= 'A' && one <= 'Z') one = static_cast<char>(one - 'A' + 'a');
    return made;
}

std::string_view name_of(std::string_view entry)
{
    // Names of hidden variables such as "=C:" start with an equals sign.
    return entry.substr(0, entry.find('=', 1));
}

bool changes_variable(const std::string& change, std::string_view name)
{
    const std::string changed = lower(name_of(change));
    const std::string own = lower(name);
    return changed.ends_with('*') ? own.starts_with(changed.substr(0, changed.size() - 1))
                                  : own == changed;
}

std::string variable_value(const char* variable)
{
    const std::wstring name = to_wide(variable);
    std::wstring value(GetEnvironmentVariableW(name.c_str(), nullptr, 0), L'\0');
    value.resize(
        GetEnvironmentVariableW(name.c_str(), value.data(), static_cast<DWORD>(value.size())));
    return to_utf8(value);
}

std::string joined(const std::vector<fs::path>& folders)
{
    std::string all;
    for (const fs::path& folder : folders) all += (all.empty() ? "" : ";") + folder.string();
    return all;
}

bool is_file(const fs::path& file)
{
    std::error_code none;
    return fs::is_regular_file(file, none);
}

// Other files may share the name without being programs: a script, or one for Linux.
std::optional<fs::path> with_ending(const fs::path& file)
{
    fs::path program = file;
    if (lower(file.extension().string()) != ".exe") program += ".exe";
    return is_file(program) ? std::optional(program) : std::nullopt;
}

} // namespace

std::vector<fs::path> absolute_folders(const char* variable)
{
    std::vector<fs::path> folders;
    std::istringstream all(variable_value(variable));
    for (std::string folder; std::getline(all, folder, ';');)
        if (const fs::path path = folder; path.is_absolute()) folders.push_back(path);
    return folders;
}

std::optional<fs::path> find_program(const std::string& name)
{
    if (name.find_first_of("/\\") != std::string::npos) return with_ending(name);
    for (const fs::path& folder : absolute_folders("PATH"))
        if (auto found = with_ending(folder / name)) return found;
    return std::nullopt;
}

bool is_executable(const fs::path& file)
{
    return with_ending(file).has_value();
}

std::string package_installation(const std::string& program)
{
    return "winget install " + program;
}

std::vector<std::string> environment_for_program(const std::vector<std::string>& changes)
{
    std::vector<std::string> entries;
    wchar_t* const all = GetEnvironmentStringsW();
    for (const wchar_t* entry = all; entry && *entry != L'\0';) {
        const std::wstring_view wide = entry;
        entry += wide.size() + 1;
        const std::string text = to_utf8(wide);
        const std::string_view name = name_of(text);
        if (std::ranges::any_of(
                changes, [&](const std::string& one) { return changes_variable(one, name); }))
            continue;
        if (lower(name) != "path") {
            entries.push_back(text);
            continue;
        }
        const std::string folders = joined(absolute_folders("PATH"));
        if (!folders.empty()) entries.push_back("PATH=" + folders);
    }
    FreeEnvironmentStringsW(all);
    for (const std::string& change : changes) {
        if (change.find('=') == std::string::npos) continue;
        entries.push_back(change);
        // Windows' own name of the variable.
        if (change.starts_with("TMPDIR="))
            for (const char* name : {"TMP=", "TEMP="})
                entries.push_back(name + change.substr(change.find('=') + 1));
    }
    return entries;
}

} // namespace lanescope
