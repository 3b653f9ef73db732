// Stubs for systems on which whole programs do not run: a page, and Windows.
#include "app/run/program/watchdog.h"
#include "app/run/program/watched_launches.h"

#include "compute/process/programs.h"

namespace lanescope::app {
WatchedFolder::WatchedFolder()
{
    refuse_programs();
}

WatchedFolder::~WatchedFolder() = default;

WatchedLaunches::WatchedLaunches(WatchedProcess&)
{
    refuse_programs();
}

WatchedLaunches::~WatchedLaunches() = default;

ProcessEnd run_watched(const WatchedProcess&)
{
    refuse_programs();
}

} // namespace lanescope::app
