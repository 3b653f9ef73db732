// A/B: the other variant's way to the same state.
#pragma once

#include <string>

#include "app/document/journal.h"

namespace lanescope::app {

// What the variant `id` must do to have lived through the same as `journal`: the same start,
// strokes and values, at the same steps of the simulated thing. Where its launches make several
// steps at once, it goes on to the next multiple.
Journal comparison_journal(const Journal& journal, const std::string& id);

} // namespace lanescope::app
