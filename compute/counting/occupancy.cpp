// The limits of each architecture, and the arithmetic of each resource with its rounding.
#include "compute/counting/occupancy.h"

#include <algorithm>
#include <array>

namespace lanescope::counting {

namespace {

constexpr int warp_lanes = 32;
constexpr int kib = 1024;

constexpr MultiprocessorLimits known[] = {
#define MULTIPROCESSOR(id, title, major, minor, threads_per_block, warps, blocks, registers,       \
                       registers_per_thread, register_unit, partitions, launch_partitions,         \
                       registers_by_block, shared_kib, shared_kib_per_block, reserved_kib,         \
                       shared_unit)                                                                \
    {id,                                                                                           \
     title,                                                                                        \
     major,                                                                                        \
     minor,                                                                                        \
     threads_per_block,                                                                            \
     warps,                                                                                        \
     blocks,                                                                                       \
     registers,                                                                                    \
     registers_per_thread,                                                                         \
     register_unit,                                                                                \
     partitions,                                                                                   \
     launch_partitions,                                                                            \
     (registers_by_block) != 0,                                                                    \
     (shared_kib)*kib,                                                                             \
     (shared_kib_per_block)*kib,                                                                   \
     (reserved_kib)*kib,                                                                           \
     shared_unit},
#include "compute/counting/multiprocessors.def"
#undef MULTIPROCESSOR
};

int round_up(int value, int unit)
{
    return (value + unit - 1) / unit * unit;
}

// Computes a block's register allocation, and how many blocks that permits.
void limit_by_registers(const MultiprocessorLimits& limits, int registers_per_thread,
                        Occupancy& result)
{
    const int warps = result.warps_per_block;
    result.register_limit = 0;
    if (registers_per_thread > limits.registers_per_thread) return;
    if (registers_per_thread <= 0) {
        result.register_limit = limits.blocks;
    } else if (limits.registers_by_block) {
        result.registers_per_block =
            round_up(round_up(warps, limits.partitions) * warp_lanes * registers_per_thread,
                     limits.register_unit);
        result.register_limit = limits.registers / result.registers_per_block;
    } else {
        const int per_warp = round_up(registers_per_thread * warp_lanes, limits.register_unit);
        result.registers_per_block = warps * per_warp;
        // The hardware's launch check assumes that warps are distributed evenly over the
        // partitions.
        if (round_up(warps, limits.launch_partitions) * per_warp > limits.registers) return;
        const int total_warps = limits.registers / limits.partitions / per_warp * limits.partitions;
        result.register_limit = total_warps / warps;
    }
}

void limit_by_shared_memory(const MultiprocessorLimits& limits, int shared_bytes, Occupancy& result)
{
    result.shared_memory_limit = 0;
    result.shared_bytes_per_block =
        round_up(shared_bytes + limits.reserved_shared_bytes, limits.shared_unit);
    if (result.shared_bytes_per_block >
        limits.shared_bytes_per_block + limits.reserved_shared_bytes)
        return;
    result.shared_memory_limit = result.shared_bytes_per_block == 0
                                     ? limits.blocks
                                     : limits.shared_bytes / result.shared_bytes_per_block;
}

} // namespace

std::string_view name(OccupancyLimit limit)
{
    switch (limit) {
    case OccupancyLimit::warps: return "warps";
    case OccupancyLimit::blocks: return "blocks";
    case OccupancyLimit::registers: return "registers";
    case OccupancyLimit::shared_memory: return "shared memory";
    }
    return "";
}

std::span<const MultiprocessorLimits> multiprocessors()
{
    return known;
}

std::optional<MultiprocessorLimits> multiprocessor_limits(int compute_major, int compute_minor)
{
    for (const MultiprocessorLimits& limits : known)
        if (limits.compute_major == compute_major && limits.compute_minor == compute_minor)
            return limits;
    return std::nullopt;
}

Occupancy occupancy(const MultiprocessorLimits& limits, int threads_per_block,
                    int registers_per_thread, int shared_bytes_per_block)
{
    Occupancy result;
    result.maximum_warps = limits.warps;
    if (threads_per_block < 1) return result;
    result.warps_per_block = (threads_per_block + warp_lanes - 1) / warp_lanes;
    result.warp_limit =
        threads_per_block > limits.threads_per_block ? 0 : limits.warps / result.warps_per_block;
    result.block_limit = limits.blocks;
    limit_by_registers(limits, registers_per_thread, result);
    limit_by_shared_memory(limits, shared_bytes_per_block, result);

    const std::array<std::pair<int, OccupancyLimit>, 4> by_resource = {{
        {result.warp_limit, OccupancyLimit::warps},
        {result.block_limit, OccupancyLimit::blocks},
        {result.register_limit, OccupancyLimit::registers},
        {result.shared_memory_limit, OccupancyLimit::shared_memory},
    }};
    const auto tightest = std::min_element(
        by_resource.begin(), by_resource.end(),
        [](const auto& one, const auto& other) { return one.first < other.first; });
    result.blocks = tightest->first;
    result.limit = tightest->second;
    result.warps = result.blocks * result.warps_per_block;
    return result;
}

} // namespace lanescope::counting
