// Reports exceptions from a part of a frame in the strip, and keeps the window running.
#pragma once

#include <exception>
#include <functional>

#include "app/document/edits.h"
#include "compute/system_failure.h"

namespace lanescope::app {

// Runs `work`; returns true if it did not throw.
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

// The same for code that opens Dear ImGui windows; closes the windows that an exception left open.
void guarded_panels(Edits& edits, const std::function<void()>& draw);

} // namespace lanescope::app
