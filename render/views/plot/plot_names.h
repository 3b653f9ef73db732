// The names in a plot, placed so that none lies over another: beside the ends of the lines, and
// along the roofs.
#pragma once

#include <string>
#include <vector>

#include "render/views/paint/painter.h"

namespace lanescope::render {

struct PlotName {
    std::string text;
    int place = 0; // of the marker before it
    bool strong = false;
    float wanted_y = 0; // where its line ends
};

// The column of names at the right of a plot.
class PlotNames {
public:
    // Names that need more than `max_width` are shortened.
    PlotNames(Painter& painter, const std::vector<PlotName>& names, float max_width, float height,
              float text_px);

    float width() const { return width_; } // 0 without names
    // `names` are those of the constructor, with wanted_y filled in.
    void draw(Painter& painter, const Box& box, std::vector<PlotName> names,
              const Theme& theme) const;

private:
    float text_px_ = 0;
    float width_ = 0;
    float column_ = 0;     // width of one column with its marker
    std::size_t rows_ = 1; // names below each other
};

// Where a text may lie: the first of the candidates that touches none of the points and none of the
// boxes, else the one that touches fewest. Candidates are not empty.
Box free_place(const std::vector<Box>& candidates, const std::vector<glm::vec2>& points,
               const std::vector<Box>& taken);

} // namespace lanescope::render
