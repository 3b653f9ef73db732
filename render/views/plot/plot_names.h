// Names in a plot, placed without overlap: next to the ends of the lines, and along the roofs.
#pragma once

#include <string>
#include <vector>

#include "render/views/paint/painter.h"

namespace lanescope::render {

struct PlotName {
    std::string text;
    int place = 0; // index of the marker before it
    bool strong = false;
    float wanted_y = 0; // end of its line
};

// The column of names at the right of a plot.
class PlotNames {
public:
    // Names wider than `max_width`, or 1.3 times as much in several columns, are truncated.
    PlotNames(Painter& painter, const std::vector<PlotName>& names, float max_width, float height,
              float text_px);

    float width() const { return width_; } // 0 without names
    // `names` are the constructor's, with wanted_y filled in.
    void draw(Painter& painter, const Box& box, std::vector<PlotName> names,
              const Theme& theme) const;

private:
    float text_px_ = 0;
    float pitch_ = 0; // of two names, in em
    float width_ = 0;
    float column_ = 0;     // width of a column including the marker
    std::size_t rows_ = 1; // names per column
};

// Chooses the place of a text: the first candidate that overlaps no point and no box, else the
// candidate that overlaps fewest of them. Needs at least one candidate.
Box free_place(const std::vector<Box>& candidates, const std::vector<glm::vec2>& points,
               const std::vector<Box>& taken);

} // namespace lanescope::render
