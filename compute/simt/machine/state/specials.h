// Special registers as rows, constant per launch, per block, or per warp position in its block.
#pragma once

#include <optional>
#include <string_view>

#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

// Rows stored per warp in Warp::specials, 4 bytes per lane each, in this order.
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
    // Present only if the program reads one of them.
    clusterid_x,
    clusterid_y,
    clusterid_z,
    nclusterid_x,
    nclusterid_y,
    nclusterid_z,
    cluster_ctaid_x,
    cluster_ctaid_y,
    cluster_ctaid_z,
    cluster_nctaid_x,
    cluster_nctaid_y,
    cluster_nctaid_z,
    cluster_ctarank,
    cluster_nctarank,
    is_explicit_cluster, // a predicate: one bit per lane
    count,
};
constexpr bool is_cluster_register(Special special)
{
    return special >= Special::clusterid_x;
}

// Looks up a PTX name without '%'. nullopt for unknown names and for those that are not rows
// (clocks).
std::optional<Special> find_special(std::string_view name);
RowRef special_row(Special special);

// Value of a special register that is the same in every launch on this machine: no shared memory is
// reserved, and the host sets no %envreg.
std::optional<std::uint64_t> constant_special(std::string_view name);

// Fill the rows that are constant during a launch, and those that are constant during a block.
void fill_specials(const LaunchState& launch, Warp& warp);
void fill_block_specials(const LaunchState& launch, Warp& warp, Dim3 index);

} // namespace lanescope::simt
