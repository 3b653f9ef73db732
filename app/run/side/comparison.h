// A/B: how the second variant reaches the state of the first.
#pragma once

#include <string>

#include "app/document/experiment/journal.h"

namespace lanescope::app {

// Journal that takes variant `id` from the same start through the same strokes and values, each at
// the same simulation step as in `journal`. If its launches make several steps each, it ends at the
// next multiple.
Journal comparison_journal(const Journal& journal, const std::string& id);

} // namespace lanescope::app
