// Special registers as rows: the same for a whole launch (constants), for a block, or for a warp's
// place in its block.
#pragma once

#include <optional>
#include <string_view>

#include "compute/simt/machine/executor.h"

namespace lanescope::simt {

// Rows that every warp has of its own, in Warp::specials, 4 bytes a lane each, in this order.
enum class Special : std::uint8_t {
    tid_x,
    tid_y,
    tid_z,
    ctaid_x,
    ctaid_y,
    ctaid_z,
    laneid,
    warpid,
    lanemask_eq,
    lanemask_le,
    lanemask_lt,
    lanemask_ge,
    lanemask_gt,
    ntid_x,
    ntid_y,
    ntid_z,
    nctaid_x,
    nctaid_y,
    nctaid_z,
    nwarpid,
    smid,
    nsmid,
    dynamic_smem_size,
    total_smem_size,
    grid_sync_high,
    grid_sync_low,
    count,
};

// By its PTX name without '%'; nullopt for names that are no row (clock and the like) or unknown.
std::optional<Special> find_special(std::string_view name);
RowRef special_row(Special special);

// The value of a special register that is the same in every launch on this machine: nothing of
// shared memory is reserved, each block is a cluster of its own, and the host sets no %envreg.
std::optional<std::uint64_t> constant_special(std::string_view name);

// The rows that do not change during a launch, then those of one block.
void fill_specials(const LaunchState& launch, Warp& warp);
void fill_block_specials(Warp& warp, Dim3 index);

} // namespace lanescope::simt
