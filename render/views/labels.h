// A grid of cells that each hold several integers: one of them selects the colour, borders separate
// cells whose first integers differ, and labels appear where there is room. For a few thousand
// cells.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "render/views/colours/scale.h"
#include "render/views/paint/painter.h"
#include "render/views/paint/placement.h"

namespace lanescope::render {

struct LabelsData {
    std::span<const std::int32_t> numbers; // by cell, bottom row first
    int layers = 1;                        // numbers per cell
    int width = 0;
    int height = 0;
    int shown = 0; // layer that determines colour and label; negative numbers are gaps

    std::int32_t at(int x, int y, int layer) const
    {
        return numbers[(static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                        static_cast<std::size_t>(x)) *
                           static_cast<std::size_t>(layers) +
                       static_cast<std::size_t>(layer)];
    }
};

// Location of the cells: `placement` counts from the lower left of a viewport of that height, the
// painter from its upper left.
struct LabelsPlace {
    const Placement& placement;
    const PixelRect& viewport;
};

// Numbers that would have to be smaller than `min_px` are left out.
struct LabelsStyle {
    const Theme& theme;
    float text_px;
    float min_px;
};

// Space that the names of rows need at the left of the cells.
float row_names_width(Painter& painter, std::span<const std::string> names, float text_px);

// Writes the names of the rows, from the bottom, at the left of the cells.
void draw_row_names(Painter& painter, std::span<const std::string> names, int height,
                    const LabelsPlace& place, const LabelsStyle& style);

// Writes the names of the columns above the cells; neighbours of the same name share it.
void draw_column_names(Painter& painter, std::span<const std::string> names, int width,
                       const LabelsPlace& place, const LabelsStyle& style);

void draw_labels(Painter& painter, const LabelsData& data, const Scale& scale,
                 const LabelsPlace& place, const LabelsStyle& style);

} // namespace lanescope::render
