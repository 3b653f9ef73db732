// Colour maps of monotonic lightness that are safe for colour-blind readers: viridis, inferno,
// plasma, cividis; `excess`, which starts at a calm green for the ideal; `shortfall`, which ends at
// that green; levels, whose start, middle and end stand for three classes; and grey for pictures
// under an overlay.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "render/views/paint/theme.h"

namespace lanescope::render {

enum class ColourMap { viridis, inferno, plasma, cividis, excess, shortfall, levels, grey };

inline constexpr std::array all_colour_maps{
    ColourMap::viridis, ColourMap::inferno,   ColourMap::plasma, ColourMap::cividis,
    ColourMap::excess,  ColourMap::shortfall, ColourMap::levels, ColourMap::grey};
std::string_view name(ColourMap map);

// 256 colours from low to high.
std::span<const Colour, 256> colours(ColourMap map);
// The colour at `position` in [0, 1]; values outside are clamped, NaN is magenta, which no map
// contains.
Colour colour_at(ColourMap map, float position);

// Mixes the three colours of `levels` by these shares of 1.
Colour mixed_levels(double first, double second, double third);

} // namespace lanescope::render
