// How many blocks of a kernel one multiprocessor can hold, and which resource sets the limit: the
// arithmetic of NVIDIA's occupancy calculator for compute capabilities 7.5 to 12.0.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lanescope::counting {

enum class OccupancyLimit : std::uint8_t { warps, blocks, registers, shared_memory };
std::string_view name(OccupancyLimit limit);

// What one multiprocessor offers, and in which portions.
struct MultiprocessorLimits {
    int compute_major = 0;
    int compute_minor = 0;
    int warps = 0;
    int blocks = 0;
    int registers = 65536;
    int registers_per_thread = 255;
    int shared_bytes = 0;                        // at the largest carve-out
    int shared_bytes_per_block = 0;              // with opt-in
    int reserved_shared_bytes = 0;               // taken by the system for each block
    static constexpr int register_portion = 256; // registers are given to warps in these
    static constexpr int warp_portion = 4; // warps per block are rounded up to these for registers
    int shared_portion = 128;              // bytes
};

// The limits of one compute capability; nullopt for one that is not known.
std::optional<MultiprocessorLimits> multiprocessor_limits(int compute_major, int compute_minor);

struct Occupancy {
    int blocks = 0; // per multiprocessor
    int warps = 0;
    int maximum_warps = 0;
    OccupancyLimit limit = OccupancyLimit::warps;
    int blocks_by_warps = 0; // what each resource alone would allow
    int blocks_by_blocks = 0;
    int blocks_by_registers = 0;
    int blocks_by_shared_memory = 0;

    double fraction() const
    {
        return maximum_warps == 0 ? 0.0 : static_cast<double>(warps) / maximum_warps;
    }
};

// `shared_bytes_per_block` is static and dynamic together. A kernel that cannot run at all gets 0
// blocks.
Occupancy occupancy(const MultiprocessorLimits& limits, int threads_per_block,
                    int registers_per_thread, int shared_bytes_per_block);

} // namespace lanescope::counting
