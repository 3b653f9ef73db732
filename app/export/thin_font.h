// Subsets fonts for pages: keeps the letters that a page may need.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::app {

// Returns the TrueType or OpenType font with Latin, Greek and Cyrillic letters, punctuation,
// arrows, mathematics and box drawing only, without substitutions and kerning. The other glyphs are
// empty and compress to nothing. Throws Error (bad_usage) if it is not such a font.
std::string thin_font(std::string_view font);

} // namespace lanescope::app
