// Stubs: a page cannot start processes.
#include "app/run/program/watchdog.h"
#include "app/run/program/watched_launches.h"

#include "compute/error.h"

namespace lanescope::app {
namespace {

[[noreturn]] void refuse()
{
    throw Error(ExitStatus::device_unavailable, "A browser cannot start programs.",
                "Use the desktop version of Lanescope.");
}

} // namespace

WatchedFolder::WatchedFolder()
{
    refuse();
}

WatchedFolder::~WatchedFolder() = default;

WatchedLaunches::WatchedLaunches(WatchedProcess&)
{
    refuse();
}

WatchedLaunches::~WatchedLaunches() = default;

ProcessEnd run_watched(const WatchedProcess&)
{
    refuse();
}

} // namespace lanescope::app
