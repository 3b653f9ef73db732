// Data exchange as a tree: threads across, steps down, one line for each value passed between
// threads.
#pragma once

#include <string>
#include <vector>

#include "compute/trace/exchange.h"
#include "render/views/paint/painter.h"

namespace lanescope::render {

struct TreeData {
    const trace::Exchange& exchange;
    int warp = -1;       // warp whose 32 lanes are drawn; -1: all threads of the block, warp
                         // after warp
    std::string where{}; // "block (0, 0), warp 0 of 8"; empty if stated elsewhere
    std::vector<std::string> code{}; // source lines shown above the tree
};

// Steps that do not fit are left out at the end, with a note.
void draw_tree(Painter& painter, const Box& box, const TreeData& data, const Theme& theme,
               float text_px);

} // namespace lanescope::render
