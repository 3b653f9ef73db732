// Colour maps that grow evenly lighter and that colour-blind people can read: viridis, inferno,
// plasma, cividis; excess, which begins at a calm green for what is ideal; shortfall, which ends
// there; and grey for what lies under another.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "render/views/paint/theme.h"

namespace lanescope::render {

enum class ColourMap { viridis, inferno, plasma, cividis, excess, shortfall, grey };

inline constexpr std::array all_colour_maps{
    ColourMap::viridis, ColourMap::inferno,   ColourMap::plasma, ColourMap::cividis,
    ColourMap::excess,  ColourMap::shortfall, ColourMap::grey};
std::string_view name(ColourMap map);

// 256 colours from low to high.
std::span<const Colour, 256> colours(ColourMap map);
// The colour at `position` in [0, 1]; outside is clamped, NaN is magenta, which no map holds.
Colour colour_at(ColourMap map, float position);

} // namespace lanescope::render
