// Limits of each architecture are those of the CUDA programming guide, table "Technical
// Specifications per Compute Capability"; the rounding is that of the occupancy calculator.
#include "compute/counting/occupancy.h"

#include <algorithm>
#include <array>

namespace lanescope::counting {

namespace {

constexpr int kib = 1024;

//                                                  major minor warps blocks registers per_thread
//                                                  shared per_block reserved
constexpr std::array<MultiprocessorLimits, 7> known = {{
    {7, 5, 32, 16, 65536, 255, 64 * kib, 64 * kib, 0, 256},
    {8, 0, 64, 32, 65536, 255, 164 * kib, 163 * kib, 1 * kib, 128},
    {8, 6, 48, 16, 65536, 255, 100 * kib, 99 * kib, 1 * kib, 128},
    {8, 9, 48, 24, 65536, 255, 100 * kib, 99 * kib, 1 * kib, 128},
    {9, 0, 64, 32, 65536, 255, 228 * kib, 227 * kib, 1 * kib, 128},
    {10, 0, 64, 32, 65536, 255, 228 * kib, 227 * kib, 1 * kib, 128},
    {12, 0, 48, 24, 65536, 255, 100 * kib, 99 * kib, 1 * kib, 128},
}};

constexpr int round_up(int value, int portion)
{
    return (value + portion - 1) / portion * portion;
}

int blocks_by_registers(const MultiprocessorLimits& limits, int warps_per_block,
                        int registers_per_thread)
{
    if (registers_per_thread > limits.registers_per_thread) return 0;
    if (registers_per_thread <= 0) return limits.blocks;
    const int per_warp =
        round_up(registers_per_thread * 32, MultiprocessorLimits::register_portion);
    // Each of the four schedulers has its own quarter of the registers, so warps come in fours.
    const int warps = limits.registers / per_warp / MultiprocessorLimits::warp_portion *
                      MultiprocessorLimits::warp_portion;
    return warps / warps_per_block;
}

int blocks_by_shared_memory(const MultiprocessorLimits& limits, int shared_bytes)
{
    if (shared_bytes > limits.shared_bytes_per_block) return 0;
    const int per_block =
        round_up(shared_bytes + limits.reserved_shared_bytes, limits.shared_portion);
    return per_block == 0 ? limits.blocks : limits.shared_bytes / per_block;
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
    if (threads_per_block < 1 || threads_per_block > 1024) return result;
    const int warps_per_block = (threads_per_block + 31) / 32;
    result.blocks_by_warps = limits.warps / warps_per_block;
    result.blocks_by_blocks = limits.blocks;
    result.blocks_by_registers = blocks_by_registers(limits, warps_per_block, registers_per_thread);
    result.blocks_by_shared_memory = blocks_by_shared_memory(limits, shared_bytes_per_block);

    const std::array<std::pair<int, OccupancyLimit>, 4> by_resource = {{
        {result.blocks_by_warps, OccupancyLimit::warps},
        {result.blocks_by_blocks, OccupancyLimit::blocks},
        {result.blocks_by_registers, OccupancyLimit::registers},
        {result.blocks_by_shared_memory, OccupancyLimit::shared_memory},
    }};
    const auto tightest = std::min_element(
        by_resource.begin(), by_resource.end(),
        [](const auto& one, const auto& other) { return one.first < other.first; });
    result.blocks = tightest->first;
    result.limit = tightest->second;
    result.warps = result.blocks * warps_per_block;
    return result;
}

} // namespace lanescope::counting
