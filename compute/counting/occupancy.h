// How many blocks of a kernel one multiprocessor can hold, and which resource sets the limit: the
// arithmetic of NVIDIA's occupancy calculator, from compute capability 1.0 on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lanescope::counting {

enum class OccupancyLimit : std::uint8_t { warps, blocks, registers, shared_memory };
std::string_view name(OccupancyLimit limit);

// What one multiprocessor offers, and in which units (multiprocessors.def says from where).
struct MultiprocessorLimits {
    std::string_view id;    // "hopper"
    std::string_view title; // "Hopper"
    int compute_major = 0;
    int compute_minor = 0;
    int threads_per_block = 1024;
    int warps = 0;
    int blocks = 0;
    int registers = 65536;
    int registers_per_thread = 255;
    int register_unit = 256;
    int partitions = 4;              // a warp's registers lie in one of them
    int launch_partitions = 4;       // a launch must have room for warps in all of these
    bool registers_by_block = false; // units are rounded for a block as a whole
    int shared_bytes = 0;            // at the largest carve-out
    int shared_bytes_per_block = 0;  // with opt-in
    int reserved_shared_bytes = 0;   // taken by the system for each block
    int shared_unit = 128;           // bytes
};

// All that are known, oldest first.
std::span<const MultiprocessorLimits> multiprocessors();
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
    int warps_per_block = 0; // what a block takes
    int registers_per_block = 0;
    int shared_bytes_per_block = 0;

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
