// Space around a picture for its words, in em. Fixed, so that the picture does not move when the
// words change.
#pragma once

namespace lanescope::app {

inline constexpr float margin_em = 0.35F; // on every side
inline constexpr float title_em = 1.6F;   // the caption's first line
inline constexpr float detail_em = 1.35F; // … and its second
inline constexpr float column_em = 6.9F;  // width of the legend, with the gap before it

// Text scale of lecture mode.
inline constexpr float lecture_zoom = 1.35F;

} // namespace lanescope::app
