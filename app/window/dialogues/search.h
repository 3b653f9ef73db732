// Search in lists: how well a text matches what was typed.
#pragma once

#include <string_view>

namespace lanescope::app {

// How well the text matches. 0: it lacks one of the typed words, ignoring case; else higher is
// better: 3 if the text begins with them, 2 if one of its words does. An empty search matches
// everything.
int match_rank(std::string_view text, std::string_view typed);

} // namespace lanescope::app
