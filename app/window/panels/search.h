// Search in lists: how well a text matches what was typed.
#pragma once

#include <string_view>

namespace lanescope::app {

// 0: the text lacks one of the typed words, ignoring case; else higher is better: 3 if the text
// begins with them, 2 if one of its words does. Nothing typed matches everything.
int match_rank(std::string_view text, std::string_view typed);

} // namespace lanescope::app
