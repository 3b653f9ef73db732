// Data of the heatmaps: OpenGL names of buffers and their layout.
#pragma once

#include "compute/trace/served.h"
#include "compute/trace/trace.h"

namespace lanescope::render {

struct WarpMapData {
    // width × height unsigned 32-bit: warp index + 1, or 0 if nothing was stored; bottom row first.
    unsigned owners = 0;
    int width = 0;
    int height = 0;
    unsigned warps = 0; // warp_count × trace::WarpCounts
    int warp_count = 0;
    int warps_per_block = 1;
    unsigned served = 0; // warp_count × trace::Served; 0 if the caches were not followed
};

constexpr int sector_bytes = 32; // granularity of global memory traffic

enum class SectorMetric { touches, warps };

struct MemoryMapData {
    unsigned counts = 0; // one unsigned 32-bit count per sector
    int sectors = 0;
};

} // namespace lanescope::render
