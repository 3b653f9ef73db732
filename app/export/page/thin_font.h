// Subsets fonts for pages: keeps the letters that a page may need.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::app {

// Returns a copy of the font reduced to Latin, Greek and Cyrillic letters, punctuation, arrows,
// mathematics and box drawing, without substitutions or kerning. The other glyphs are empty and
// compress to nothing. Throws Error (bad_usage) unless it is a TrueType or OpenType font.
std::string thin_font(std::string_view font);

} // namespace lanescope::app
