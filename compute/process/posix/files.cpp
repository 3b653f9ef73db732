// open(), fsync() and rename().
#include "compute/process/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace lanescope {
namespace fs = std::filesystem;
namespace {

// Some file systems cannot sync a folder; errors are ignored.
void sync_folder(const fs::path& folder)
{
    const int opened =
        open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0) return;
    fsync(opened);
    close(opened);
}

} // namespace

int create_file(const fs::path& file, const fs::path& like)
{
    constexpr mode_t allowed_by_umask = 0666;
    const int descriptor =
        open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, allowed_by_umask);
    struct stat replaced {};
    if (descriptor >= 0 && stat(like.c_str(), &replaced) == 0)
        fchmod(descriptor, replaced.st_mode & 07777);
    return descriptor;
}

int open_file(const fs::path& file)
{
    return open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

bool find_facts(int file, FileFacts& facts)
{
    struct stat about {};
    if (fstat(file, &about) != 0) return false;
    facts = {.folder = S_ISDIR(about.st_mode),
             .regular = S_ISREG(about.st_mode),
             .bytes = static_cast<std::uintmax_t>(about.st_size)};
    return true;
}

std::string name_problem(const fs::path&)
{
    return {};
}

bool close_written(int file)
{
    return close(file) == 0;
}

bool remove_file(const fs::path& file)
{
    return unlink(file.c_str()) == 0;
}

bool replace_by(const fs::path& to, const fs::path& from)
{
    const int file = open(from.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const bool synced = fsync(file) == 0 || errno == EINVAL;
    const int error = errno;
    close(file);
    errno = error;
    if (!synced || rename(from.c_str(), to.c_str()) != 0) return false;
    sync_folder(to.parent_path());
    return true;
}

std::span<const int> full_disk_errors()
{
    static constexpr int all[] = {ENOSPC, EFBIG, EDQUOT};
    return all;
}

fs::path state_folder()
{
    if (const char* state = std::getenv("XDG_STATE_HOME"); state && *state)
        return fs::path(state) / "lanescope";
    if (const char* home = std::getenv("HOME"); home && *home)
        return fs::path(home) / ".local" / "state" / "lanescope";
    return {};
}

fs::path settings_folder()
{
    if (const char* folder = std::getenv("XDG_CONFIG_HOME"); folder && *folder)
        return fs::path(folder) / "lanescope";
    if (const char* home = std::getenv("HOME"); home && *home)
        return fs::path(home) / ".config" / "lanescope";
    return {};
}

} // namespace lanescope
