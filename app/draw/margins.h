// What the words around a picture take of its viewport, in heights of its text. Fixed, so that a
// picture keeps its place whatever is said beside it.
#pragma once

namespace lanescope::app {

inline constexpr float margin_em = 0.35F; // on every side
inline constexpr float title_em = 1.6F;   // the caption's first line
inline constexpr float detail_em = 1.35F; // … and its second
inline constexpr float column_em = 6.9F;  // the legend's, with the gap before it

// The lecture mode writes them that much larger.
inline constexpr float lecture_zoom = 1.35F;

} // namespace lanescope::app
