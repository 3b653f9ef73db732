// Data exchange, drawn as a tree: threads across, steps down, a line for each value that went from
// one thread to another.
#pragma once

#include <string>
#include <vector>

#include "compute/trace/exchange.h"
#include "render/views/paint/painter.h"

namespace lanescope::render {

struct TreeData {
    const trace::Exchange& exchange;
    int warp = -1;       // whose 32 lanes are drawn; -1: all threads of the block, warp beside warp
    std::string where{}; // "block (0, 0), warp 0 of 8"; empty: it is said elsewhere
    std::vector<std::string> code{}; // lines of source to read above it
};

// Steps for which there is no room are left out at the end, and said to be.
void draw_tree(Painter& painter, const Box& box, const TreeData& data, const Theme& theme,
               float text_px);

} // namespace lanescope::render
