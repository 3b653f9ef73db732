// Why a value is what it is: lines of source with the values that they made, each below the line
// that used it.
#pragma once

#include <string>
#include <vector>

#include "render/views/paint/painter.h"

namespace lanescope::render {

struct SliceLine {
    int depth = 0;
    std::string value;  // that the line made
    std::string source; // its text, or what it is instead: "in[37]"
    std::string words;  // where: "line 12, lane 5 of warp 0, block 3"
    bool leaf = false;  // an input, a constant
    bool chosen = false;
};

struct SliceView {
    std::string title; // "column 3, row 4"
    std::string said;  // what is wrong, or how to go on
    bool bad = false;
    std::vector<SliceLine> lines;
    std::string keys;
};

struct SliceHit {
    Box box;
    int index = 0; // of the line
};

std::vector<SliceHit> draw_slice(Painter& painter, const Box& box, const SliceView& view,
                                 const Theme& theme, float text_px);

} // namespace lanescope::render
