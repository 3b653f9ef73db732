// Walls where a process cannot give up access to files. Browsers start no processes. Windows would
// need another account, so a sandbox there is a job object's limits of memory and CPU time
// (windows/process.cpp); SECURITY.md says so.
#include "compute/process/walls.h"

#include "compute/process/file_view.h"

namespace lanescope {

Walls walls_for_program(const std::filesystem::path&)
{
    return {};
}

PreparedWalls::PreparedWalls(const Walls& walls) : network_(walls.network), limits_(walls.limits) {}
PreparedWalls::~PreparedWalls() = default;

bool PreparedWalls::raise() const noexcept
{
    return ruleset_ < 0 || network_ || limits_.memory_bytes == 0;
}

void limit_processes(unsigned) noexcept {}

KnownWalls known_walls()
{
    return {.no_landlock = "this system has none"};
}

FileView::FileView(const Walls&, std::set<std::string>) {}
FileView::~FileView() = default;

bool FileView::watch_this_thread()
{
    return watches_own_process_ && listener_ != ending_;
}

void FileView::watch_and_hand_over(int) noexcept {}

bool FileView::take_over(int)
{
    return false;
}

std::vector<std::string> FileView::take_refused_paths()
{
    return {};
}

} // namespace lanescope
