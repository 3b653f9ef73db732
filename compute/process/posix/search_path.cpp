// Searches PATH as execvp() does, but skips folders that depend on the current one.
#include "compute/process/search_path.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

extern char** environ;

namespace lanescope {
namespace fs = std::filesystem;
namespace {

std::string_view name_of(std::string_view entry)
{
    return entry.substr(0, entry.find('='));
}

bool changes_variable(const std::string& change, std::string_view name)
{
    const std::string_view changed = name_of(change);
    return changed.ends_with('*') ? name.starts_with(changed.substr(0, changed.size() - 1))
                                  : name == changed;
}

std::string joined(const std::vector<fs::path>& folders)
{
    std::string all;
    for (const fs::path& folder : folders) all += (all.empty() ? "" : ":") + folder.string();
    return all;
}

} // namespace

bool is_executable(const fs::path& file)
{
    struct stat found {};
    return stat(file.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
           access(file.c_str(), X_OK) == 0;
}

std::vector<fs::path> absolute_folders(const char* variable)
{
    std::vector<fs::path> folders;
    const char* value = std::getenv(variable);
    std::istringstream all(value ? value : "");
    for (std::string folder; std::getline(all, folder, ':');)
        if (folder.starts_with('/')) folders.emplace_back(folder);
    return folders;
}

std::optional<fs::path> find_program(const std::string& name)
{
    if (name.find('/') != std::string::npos)
        return is_executable(name) ? std::optional<fs::path>(name) : std::nullopt;
    std::vector<fs::path> folders = absolute_folders("PATH");
    if (!std::getenv("PATH")) folders = {"/usr/bin", "/bin"};
    for (const fs::path& folder : folders)
        if (is_executable(folder / name)) return folder / name;
    return std::nullopt;
}

std::string package_installation(const std::string& program)
{
    std::error_code none;
    if (fs::exists("/usr/bin/dnf", none))
        return "sudo dnf install " + program + (program == "ffmpeg" ? "-free" : "");
    if (fs::exists("/usr/bin/pacman", none)) return "sudo pacman -S " + program;
    if (fs::exists("/usr/bin/zypper", none)) return "sudo zypper install " + program;
    return "sudo apt install " + program;
}

std::vector<std::string> environment_for_program(const std::vector<std::string>& changes)
{
    std::vector<std::string> entries;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view name = name_of(*entry);
        if (std::ranges::any_of(
                changes, [&](const std::string& one) { return changes_variable(one, name); }))
            continue;
        if (name != "PATH" && name != "LD_LIBRARY_PATH") {
            entries.emplace_back(*entry);
            continue;
        }
        const std::string folders = joined(absolute_folders(std::string(name).c_str()));
        if (!folders.empty()) entries.push_back(std::string(name) + "=" + folders);
    }
    for (const std::string& change : changes)
        if (change.find('=') != std::string::npos) entries.push_back(change);
    return entries;
}

} // namespace lanescope
