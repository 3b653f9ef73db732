// The screen as it was left, kept where programs keep their state, so that the window opens with it
// again.
#pragma once

#include <optional>

#include "app/document/session.h"

namespace lanescope::app {

// Keeps lab, variant, parameters and look; the next start begins at step 0. A place that cannot be
// written is no error: the program is being left.
void keep_last_session(const Session& session);

// Nothing when there is none, or when it no longer fits the program.
std::optional<Session> last_session();

} // namespace lanescope::app
