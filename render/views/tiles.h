// One block's accesses to an array by element: loaded elements coloured by how often, current ones
// framed, stored ones in a separate colour. Rows from the top.
#pragma once

#include <optional>

#include "render/gl/objects.h"
#include "render/views/colours/colour_map_texture.h"
#include "render/views/colours/scale.h"
#include "render/views/paint/cells.h"
#include "render/views/paint/painter.h"

namespace lanescope::render {

// Scale of the number of requests that loaded an element. The fixed range is always 0 to 8, so that
// variants can be compared by eye; the automatic one ends at the maximum.
Scale tiles_scale(std::optional<std::uint32_t> greatest = {});

struct TilesData {
    GLuint counts = 0; // trace::WatchedBlock's word for each element …
    int first = 0;     // … starting at this index
    int width = 0;
    int height = 0;
};

// Boxes for arrays of these aspect ratios within `all`, side by side or, if they are larger that
// way, stacked. Leaves `words` pixels below each.
std::vector<Box> tiles_layout(const Box& all, std::span<const double> aspects, float gap,
                              float words);

class TilesView {
public:
    TilesView();
    // Compiles one of the programs that may be needed; returns false if all are compiled.
    bool prepare() { return programs_.prepare(); }
    void draw(const TilesData& data, const Scale& scale, const Placement& placement,
              const Theme& theme, float frame_px);

private:
    CellPrograms programs_;
    CellDrawing cells_;
    gl::BufferTexture counts_;
    ColourMapTexture maps_;
};

// Colour of stored elements: none of the scale's, nor that of warnings.
inline Colour stored_colour(const Theme& theme)
{
    return theme.series[4];
}

} // namespace lanescope::render
