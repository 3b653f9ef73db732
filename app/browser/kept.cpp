// No processes are started beside a page.
#include "app/run/program/kept.h"

#include "compute/error.h"

namespace lanescope::app {
namespace {

[[noreturn]] void refuse()
{
    throw Error(ExitStatus::device_unavailable, "A browser starts no programs.",
                "Use the desktop's lanescope program.");
}

} // namespace

KeptFolder::KeptFolder()
{
    refuse();
}

KeptFolder::~KeptFolder() = default;

ProcessEnd run_kept(const KeptProcess&)
{
    refuse();
}

} // namespace lanescope::app
