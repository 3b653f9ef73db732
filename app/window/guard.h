// What goes wrong in a part of a frame is told in the strip, and the window goes on.
#pragma once

#include <exception>
#include <functional>

#include "app/document/edits.h"
#include "compute/system_failure.h"

namespace lanescope::app {

// Runs what may throw; whether it did not.
template <class Work>
bool guarded(Edits& edits, Work&& work)
{
    try {
        work();
        return true;
    } catch (const std::exception& error) {
        const auto refused = system_failure(error);
        edits.complain(refused ? refused->what() : error.what());
        return false;
    }
}

// The same for what makes windows of Dear ImGui: what it left open there is closed.
void guarded_panels(Edits& edits, const std::function<void()>& draw);

} // namespace lanescope::app
