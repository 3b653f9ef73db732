// Lines of source text with columns of numbers beside them, the hot ones on a coloured ground.
#pragma once

#include <string>
#include <vector>

#include "render/views/paint/painter.h"

namespace lanescope::render {

struct ListingLine {
    std::string text;
    std::vector<std::string> cells; // as many as Listing::columns, or none
    float heat = 0;                 // 0: plain, 1: hottest
};

struct Listing {
    std::vector<std::string> columns; // titles of the numbers
    std::vector<ListingLine> lines;
};

float listing_height(const Listing& listing, float text_px);

// Text that is too wide for the box shrinks, down to half its size; then it is shortened.
void draw_listing(Painter& painter, const Box& box, const Listing& listing, const Theme& theme,
                  float text_px);

} // namespace lanescope::render
