// What the heatmaps draw: OpenGL's names of memory, and how it is laid out.
#pragma once

#include "compute/trace/trace.h"

namespace lanescope::render {

struct WarpMapData {
    // width × height unsigned 32-bit: warp index + 1, 0 where nothing was stored; row 0 at the
    // bottom.
    unsigned owners = 0;
    int width = 0;
    int height = 0;
    unsigned warps = 0; // warp_count × trace::WarpCounts
    int warp_count = 0;
    int warps_per_block = 1;
};

constexpr int sector_bytes = 32; // what GPUs move of global memory at a time

enum class SectorMetric { touches, warps };

struct MemoryMapData {
    unsigned counts = 0; // an unsigned 32-bit count a sector
    int sectors = 0;
};

} // namespace lanescope::render
