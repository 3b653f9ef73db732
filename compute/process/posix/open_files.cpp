// Looks through the descriptors in /proc that this user may see.
#include "compute/process/open_files.h"

#include <string>

namespace lanescope {
namespace fs = std::filesystem;

bool is_open_anywhere(const fs::path& file)
{
    std::error_code none;
    const fs::path wanted = fs::weakly_canonical(file, none);
    for (fs::directory_iterator process("/proc", none); process != fs::directory_iterator();
         process.increment(none)) {
        if (process->path().filename().native().find_first_not_of("0123456789") !=
            std::string::npos)
            continue;
        std::error_code gone; // exited, or belongs to another user
        for (fs::directory_iterator open(process->path() / "fd", gone);
             open != fs::directory_iterator(); open.increment(gone)) {
            std::error_code closed;
            if (fs::read_symlink(open->path(), closed) == wanted) return true;
        }
    }
    return false;
}

} // namespace lanescope
