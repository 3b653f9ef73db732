// Cost of accesses to a tile in shared memory under a layout: executed on the lockstep machine by
// one warp, and counted there. A search tries other layouts of the same tile.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/run/layout/layout_access.h"
#include "compute/counting/counting.h"
#include "compute/counting/layout.h"

namespace lanescope::app {

// The largest block of an H100 has this many bytes of shared memory.
constexpr std::uint64_t max_tile_bytes = 227 * 1024;

struct MeasuredAccess {
    TileAccess access;
    std::array<std::uint64_t, 32> offsets{}; // bytes from the beginning of the tile
    counting::SharedCost cost;               // as counted on the lockstep machine
};

// The PTX of the access, as a kernel `access` with two parameters: 32 offsets (0xffffffff: the lane
// takes no part) and 32 × 16 bytes of output.
std::string kernel_of(const TileAccess& access, std::uint64_t tile_bytes);

// Executes the access. Throws Error (bad_usage) if the tile has more than max_tile_bytes, or as
// offsets_of() does.
MeasuredAccess measure(const TileAccess& access, const counting::Layout& layout, int element_bytes);

// A layout that a search found, with its cost for each access.
struct FoundLayout {
    counting::Layout layout;
    std::uint64_t memory_bytes = 0;
    std::vector<counting::SharedCost> costs;

    // Wavefronts of all accesses beyond those that are needed.
    std::uint32_t excess() const;
};

// Tries the layout's rows × columns with up to eight chunks of padding after each row, and with
// every swizzle of up to five bits; a chunk is as wide as the widest access. Sorted by excess, then
// by memory. Costs are from the counting rules (compute/counting).
std::vector<FoundLayout> search_layouts(std::span<const TileAccess> accesses,
                                        const counting::Layout& layout, int element_bytes);

// How the layout places elements: "in row r, chunk k of 8 elements (16 bytes) moves to chunk
// k xor (r mod 8)". For layouts that search_layouts() finds.
std::string explanation(const counting::Layout& layout, int element_bytes);

} // namespace lanescope::app
