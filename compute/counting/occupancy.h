// Number of blocks of a kernel that fit on one multiprocessor, and the resource that limits it: the
// arithmetic of NVIDIA's occupancy calculator, for compute capability 1.0 and up.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lanescope::counting {

enum class OccupancyLimit : std::uint8_t { warps, blocks, registers, shared_memory };
std::string_view name(OccupancyLimit limit);

// Resources of one multiprocessor, with their allocation units (sources in multiprocessors.def).
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
    int partitions = 4; // of the register file; each warp uses one of them
    // The launch check rounds the number of warps up to a multiple of this.
    int launch_partitions = 4;
    bool registers_by_block = false; // allocated per block, not per warp
    int shared_bytes = 0;            // at the maximum carve-out
    int shared_bytes_per_block = 0;  // with opt-in
    int reserved_shared_bytes = 0;   // per block, used by the system
    int shared_unit = 128;           // in bytes
};

// All known architectures, oldest first.
std::span<const MultiprocessorLimits> multiprocessors();
// Limits of a compute capability; nullopt if it is unknown.
std::optional<MultiprocessorLimits> multiprocessor_limits(int compute_major, int compute_minor);

struct Occupancy {
    int blocks = 0; // per multiprocessor
    int warps = 0;
    int maximum_warps = 0;
    OccupancyLimit limit = OccupancyLimit::warps;
    int warp_limit = 0; // the limit of each resource alone
    int block_limit = 0;
    int register_limit = 0;
    int shared_memory_limit = 0;
    int warps_per_block = 0; // allocated per block
    int registers_per_block = 0;
    int shared_bytes_per_block = 0;

    double fraction() const
    {
        return maximum_warps == 0 ? 0.0 : static_cast<double>(warps) / maximum_warps;
    }
};

// `shared_bytes_per_block` is static plus dynamic. Returns 0 blocks for a kernel that can't run at
// all.
Occupancy occupancy(const MultiprocessorLimits& limits, int threads_per_block,
                    int registers_per_thread, int shared_bytes_per_block);

} // namespace lanescope::counting
