// Explains a value: source lines with the values they produced, each below the line that used its
// value.
#pragma once

#include <string>
#include <vector>

#include "render/views/paint/painter.h"

namespace lanescope::render {

struct SliceLine {
    int depth = 0;
    std::string value;  // value that the line produced
    std::string source; // source text, or a description: "in[37]"
    std::string words;  // position: "line 12, lane 5 of warp 0, block 3"
    bool leaf = false;  // an input, a constant
    bool chosen = false;
};

struct SliceView {
    std::string title; // "column 3, row 4"
    std::string said;  // states the error, or how to continue
    bool bad = false;
    std::vector<SliceLine> lines;
    std::string keys;
};

struct SliceHit {
    Box box;
    int index = 0; // index of the line
};

std::vector<SliceHit> draw_slice(Painter& painter, const Box& box, const SliceView& view,
                                 const Theme& theme, float text_px);

} // namespace lanescope::render
