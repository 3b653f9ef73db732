// Fonts for pages: the letters that a page may want, of a font that has thousands.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::app {

// A TrueType or OpenType font that draws Latin, Greek and Cyrillic letters, punctuation, arrows,
// mathematics and boxes as the font does, and nothing else, without substitutions and kerning. Its
// other glyphs are empty, which leaves nothing of them when the font is packed. Throws Error
// (bad_usage) of what is no such font.
std::string thin_font(std::string_view font);

} // namespace lanescope::app
