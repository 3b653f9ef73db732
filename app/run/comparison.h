// A/B: how the other variant reaches the same state.
#pragma once

#include <string>

#include "app/document/journal.h"

namespace lanescope::app {

// Journal that takes variant `id` through the same start, strokes and values at the same simulation
// steps as `journal`. If its launches make several steps at once, it continues to the next
// multiple.
Journal comparison_journal(const Journal& journal, const std::string& id);

} // namespace lanescope::app
