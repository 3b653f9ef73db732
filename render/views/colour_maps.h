// Colour maps that grow evenly lighter and that colour-blind people can read: viridis, inferno,
// plasma, cividis, and grey for what lies under another.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "render/gl/objects.h"
#include "render/gl/program.h"
#include "render/views/paint/theme.h"

namespace lanescope::render {

struct Scale;
enum class ColourMap { viridis, inferno, plasma, cividis, grey };

inline constexpr std::array all_colour_maps{ColourMap::viridis, ColourMap::inferno,
                                            ColourMap::plasma, ColourMap::cividis, ColourMap::grey};
std::string_view name(ColourMap map);
std::optional<ColourMap> colour_map(std::string_view name);

// 256 colours from low to high.
std::span<const Colour, 256> colours(ColourMap map);
// The colour at `position` in [0, 1]; outside is clamped, NaN is magenta, which no map holds.
Colour colour_at(ColourMap map, float position);

// The maps as one texture for shaders: 256 × maps, one row a map.
class ColourMapTexture {
public:
    ColourMapTexture();
    // Binds the maps to the texture unit and gives the program what shaders/colour.glsl needs.
    void set(gl::Program& program, const Scale& scale, GLuint unit) const;

private:
    gl::Texture texture_;
    gl::Sampler sampler_;
};

} // namespace lanescope::render
