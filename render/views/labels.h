// Cells with whole numbers in them: coloured by one of a cell's numbers, with borders where its
// first one changes, and written where there is room. For a few thousand cells.
#pragma once

#include <cstdint>
#include <span>

#include "render/views/colours/scale.h"
#include "render/views/paint/painter.h"
#include "render/views/paint/placement.h"

namespace lanescope::render {

struct LabelsData {
    std::span<const std::int32_t> numbers; // cell after cell, row 0 at the bottom
    int layers = 1;                        // numbers of a cell
    int width = 0;
    int height = 0;
    int shown = 0; // the layer that gives colour and word; negative numbers are gaps

    std::int32_t at(int x, int y, int layer) const
    {
        return numbers[(static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                        static_cast<std::size_t>(x)) *
                           static_cast<std::size_t>(layers) +
                       static_cast<std::size_t>(layer)];
    }
};

// Where the cells lie: `placement` counts from the lower left of a viewport of that height, the
// painter from its upper left.
struct LabelsPlace {
    const Placement& placement;
    const PixelRect& viewport;
};

// A number that would have to be smaller than `min_px` is left out.
struct LabelsStyle {
    const Theme& theme;
    float text_px;
    float min_px;
};

void draw_labels(Painter& painter, const LabelsData& data, const Scale& scale,
                 const LabelsPlace& place, const LabelsStyle& style);

} // namespace lanescope::render
