// Only one multiprocessor is simulated: %smid is 0, and %warpid is the index in the block.
#include "compute/simt/machine/state/specials.h"

#include <algorithm>
#include <array>
#include <utility>

#include "compute/simt/machine/state/cluster.h"

namespace lanescope::simt {

namespace {

constexpr std::size_t row_bytes = warp_lanes * sizeof(std::uint32_t);

constexpr std::array<std::pair<std::string_view, Special>, 42> names{{
    {"tid.x", Special::tid_x},
    {"tid.y", Special::tid_y},
    {"tid.z", Special::tid_z},
    {"ctaid.x", Special::ctaid_x},
    {"ctaid.y", Special::ctaid_y},
    {"ctaid.z", Special::ctaid_z},
    {"laneid", Special::laneid},
    {"warpid", Special::warpid},
    {"lanemask_eq", Special::lanemask_eq},
    {"lanemask_le", Special::lanemask_le},
    {"lanemask_lt", Special::lanemask_lt},
    {"lanemask_ge", Special::lanemask_ge},
    {"lanemask_gt", Special::lanemask_gt},
    {"ntid.x", Special::ntid_x},
    {"ntid.y", Special::ntid_y},
    {"ntid.z", Special::ntid_z},
    {"nctaid.x", Special::nctaid_x},
    {"nctaid.y", Special::nctaid_y},
    {"nctaid.z", Special::nctaid_z},
    {"nwarpid", Special::nwarpid},
    {"smid", Special::smid},
    {"nsmid", Special::nsmid},
    {"clusterid.x", Special::clusterid_x},
    {"clusterid.y", Special::clusterid_y},
    {"clusterid.z", Special::clusterid_z},
    {"nclusterid.x", Special::nclusterid_x},
    {"nclusterid.y", Special::nclusterid_y},
    {"nclusterid.z", Special::nclusterid_z},
    {"cluster_ctaid.x", Special::cluster_ctaid_x},
    {"cluster_ctaid.y", Special::cluster_ctaid_y},
    {"cluster_ctaid.z", Special::cluster_ctaid_z},
    {"cluster_nctaid.x", Special::cluster_nctaid_x},
    {"cluster_nctaid.y", Special::cluster_nctaid_y},
    {"cluster_nctaid.z", Special::cluster_nctaid_z},
    {"cluster_ctarank", Special::cluster_ctarank},
    {"cluster_nctarank", Special::cluster_nctarank},
    {"is_explicit_cluster", Special::is_explicit_cluster},
    {"aggr_smem_size", Special::total_smem_size},
    {"dynamic_smem_size", Special::dynamic_smem_size},
    {"total_smem_size", Special::total_smem_size},
    // Cooperative launches read the address of their grid barrier from here.
    {"envreg1", Special::grid_sync_high},
    {"envreg2", Special::grid_sync_low},
}};

std::uint32_t* row_of(Warp& warp, Special special)
{
    return reinterpret_cast<std::uint32_t*>(warp.specials.data() +
                                            static_cast<std::size_t>(special) * row_bytes);
}

} // namespace

std::optional<Special> find_special(std::string_view name)
{
    for (const auto& [text, special] : names)
        if (text == name) return special;
    return std::nullopt;
}

std::optional<std::uint64_t> constant_special(std::string_view name)
{
    const std::size_t dot = name.find('.');
    const std::string_view axis = dot == std::string_view::npos ? "" : name.substr(dot);
    const bool counts = name.starts_with("n") || name.starts_with("cluster_n");
    if (name == "current_graph_exec" || (name.starts_with("envreg") && !find_special(name)) ||
        name.starts_with("reserved_smem_offset_") || (axis == ".w" && !counts))
        return 0;
    if (axis == ".w") return 1;
    return std::nullopt;
}

RowRef special_row(Special special)
{
    return row_ref(static_cast<std::size_t>(special) * row_bytes, RowBase::specials);
}

void fill_specials(const LaunchState& launch, Warp& warp)
{
    const Special end = launch.program.cluster_specials ? Special::count : Special::clusterid_x;
    warp.specials.assign(static_cast<std::size_t>(end) * row_bytes, std::byte{0});
    const auto everywhere = [&](Special special, std::uint32_t value) {
        std::fill_n(row_of(warp, special), warp_lanes, value);
    };
    const std::uint32_t first = static_cast<std::uint32_t>(warp.index) * warp_lanes;
    Dim3 thread{first % launch.block.x, first / launch.block.x % launch.block.y,
                first / launch.block.x / launch.block.y};
    warp.affine_threads = thread.x + warp_lanes <= launch.block.x;
    for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
        const std::uint32_t bit = 1u << lane;
        row_of(warp, Special::tid_x)[lane] = thread.x;
        row_of(warp, Special::tid_y)[lane] = thread.y;
        row_of(warp, Special::tid_z)[lane] = thread.z;
        if (++thread.x == launch.block.x) {
            thread.x = 0;
            if (++thread.y == launch.block.y) {
                thread.y = 0;
                ++thread.z;
            }
        }
        row_of(warp, Special::laneid)[lane] = lane;
        row_of(warp, Special::lanemask_eq)[lane] = bit;
        row_of(warp, Special::lanemask_lt)[lane] = bit - 1;
        row_of(warp, Special::lanemask_le)[lane] = bit | (bit - 1);
        row_of(warp, Special::lanemask_ge)[lane] = ~(bit - 1);
        row_of(warp, Special::lanemask_gt)[lane] = ~(bit | (bit - 1));
    }
    everywhere(Special::warpid, static_cast<std::uint32_t>(warp.index));
    everywhere(Special::ntid_x, launch.block.x);
    everywhere(Special::ntid_y, launch.block.y);
    everywhere(Special::ntid_z, launch.block.z);
    everywhere(Special::nctaid_x, launch.grid.x);
    everywhere(Special::nctaid_y, launch.grid.y);
    everywhere(Special::nctaid_z, launch.grid.z);
    everywhere(Special::nwarpid, block_warps);
    everywhere(Special::nsmid, 1);
    everywhere(
        Special::dynamic_smem_size,
        static_cast<std::uint32_t>(launch.shared_bytes - launch.program.static_shared_bytes));
    everywhere(Special::total_smem_size, static_cast<std::uint32_t>(launch.shared_bytes));
    everywhere(Special::grid_sync_high, static_cast<std::uint32_t>(launch.grid_sync >> 32));
    everywhere(Special::grid_sync_low, static_cast<std::uint32_t>(launch.grid_sync));
    if (!launch.program.cluster_specials) return;
    const Dim3 size = launch.cluster;
    everywhere(Special::nclusterid_x, launch.grid.x / size.x);
    everywhere(Special::nclusterid_y, launch.grid.y / size.y);
    everywhere(Special::nclusterid_z, launch.grid.z / size.z);
    everywhere(Special::cluster_nctaid_x, size.x);
    everywhere(Special::cluster_nctaid_y, size.y);
    everywhere(Special::cluster_nctaid_z, size.z);
    everywhere(Special::cluster_nctarank, static_cast<std::uint32_t>(size.count()));
    everywhere(Special::is_explicit_cluster, launch.explicit_cluster ? full_mask : 0);
}

void fill_block_specials(const LaunchState& launch, Warp& warp, Dim3 index)
{
    const auto everywhere = [&](Special special, std::uint32_t value) {
        std::uint32_t* const row = row_of(warp, special);
        if (row[0] != value) std::fill_n(row, warp_lanes, value); // usually unchanged
    };
    everywhere(Special::ctaid_x, index.x);
    everywhere(Special::ctaid_y, index.y);
    everywhere(Special::ctaid_z, index.z);
    if (!launch.program.cluster_specials) return;
    const ClusterPlace place = cluster_place(launch, index);
    everywhere(Special::clusterid_x, place.cluster.x);
    everywhere(Special::clusterid_y, place.cluster.y);
    everywhere(Special::clusterid_z, place.cluster.z);
    everywhere(Special::cluster_ctaid_x, place.block.x);
    everywhere(Special::cluster_ctaid_y, place.block.y);
    everywhere(Special::cluster_ctaid_z, place.block.z);
    everywhere(Special::cluster_ctarank, place.rank);
}

} // namespace lanescope::simt
