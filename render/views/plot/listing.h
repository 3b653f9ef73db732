// Source lines with columns of numbers, hot lines on a coloured background.
#pragma once

#include <string>
#include <vector>

#include "render/views/paint/painter.h"

namespace lanescope::render {

struct ListingLine {
    std::string text;
    std::vector<std::string> cells; // one per column, or none
    float heat = 0;                 // 0: none, 1: hottest
};

struct Listing {
    std::vector<std::string> columns; // titles of the number columns
    std::vector<ListingLine> lines;
};

float listing_height(const Listing& listing, float text_px);

// Text that is too wide shrinks to half its size at most; then it is truncated.
void draw_listing(Painter& painter, const Box& box, const Listing& listing, const Theme& theme,
                  float text_px);

} // namespace lanescope::render
