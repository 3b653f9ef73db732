// What one block does to an array, element by element: loaded elements coloured by how often, those
// of the moment framed, stored ones in a colour of their own. Rows from the top.
#pragma once

#include <optional>

#include "render/gl/objects.h"
#include "render/views/colours/colour_map_texture.h"
#include "render/views/colours/scale.h"
#include "render/views/paint/cells.h"
#include "render/views/paint/painter.h"

namespace lanescope::render {

// Requests that loaded an element. The fixed range never changes, so that variants can be compared
// by eye: 0 to 8. The automatic one ends at the greatest count.
Scale tiles_scale(std::optional<std::uint32_t> greatest = {});

struct TilesData {
    GLuint counts = 0; // trace::WatchedBlock's number for each element …
    int first = 0;     // … from this one on
    int width = 0;
    int height = 0;
};

// Boxes for arrays of these proportions (width over height) within `all`, beside each other or,
// where they are larger so, below each other. Under each remain `words` pixels.
std::vector<Box> tiles_layout(const Box& all, std::span<const double> aspects, float gap,
                              float words);

class TilesView {
public:
    TilesView();
    // Compiles one program that it may need; false when all are.
    bool prepare() { return programs_.prepare(); }
    void draw(const TilesData& data, const Scale& scale, const Placement& placement,
              const Theme& theme, float frame_px);

private:
    CellPrograms programs_;
    CellDrawing cells_;
    gl::BufferTexture counts_;
    ColourMapTexture maps_;
};

// What stored elements are drawn in.
inline Colour stored_colour(const Theme& theme)
{
    return theme.series[1];
}

} // namespace lanescope::render
