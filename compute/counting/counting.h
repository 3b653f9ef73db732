// What one warp access costs the memory system, by the rules measured on hardware: pure functions
// of the lanes' addresses. A lane takes part when its bit in `active` is set; with no active lane
// every cost is zero.
#pragma once

#include <cstdint>
#include <span>

namespace lanescope::counting {

using Addresses = std::span<const std::uint64_t, 32>;

constexpr int sector_bytes = 32;
constexpr int line_bytes = 128;
constexpr int banks = 32;
constexpr int bank_bytes = 4;

struct GlobalCost {
    std::uint32_t sectors =
        0; // distinct 32-byte sectors touched; of an atomic, weighted by its collisions
    std::uint32_t ideal_sectors = 0; // ceil(distinct bytes / 32)
    std::uint32_t wavefronts = 0;    // tag stage: ceil(lines / 4)
    std::uint32_t lines = 0;         // distinct 128-byte lines touched

    friend bool operator==(const GlobalCost&, const GlobalCost&) = default;
};

struct SharedCost {
    std::uint32_t wavefronts = 0;
    std::uint32_t ideal_wavefronts = 0; // what the same lanes would need without a bank conflict

    friend bool operator==(const SharedCost&, const SharedCost&) = default;
};

// In all of these an active lane moves `width_bytes` (1, 2, 4, 8, 16 or 32), at an address that is
// a multiple of it.

// A load or store.
GlobalCost global_access(Addresses addresses, std::uint32_t active, int width_bytes);

// An atomic or reduction: each sector costs as many as the lanes that hit its busiest address.
GlobalCost global_atomic(Addresses addresses, std::uint32_t active, int width_bytes);

// Local memory is laid out word by word: the 4-byte words at one address of the 32 lanes of a warp
// lie side by side. Addresses are those within each lane's own memory. Gives distinct 32-byte
// sectors.
std::uint32_t local_sectors(Addresses addresses, std::uint32_t active, int width_bytes);

// Shared memory has 32 banks of 4 bytes. 8-byte accesses go by half-warps, 16-byte ones by
// quarter-warps; groups of a load merge when neighbouring lanes agree on their addresses, those of
// a store never do, nor do the rows of ldmatrix, which count as a store's.
SharedCost shared_load(Addresses addresses, std::uint32_t active, int width_bytes);
SharedCost shared_store(Addresses addresses, std::uint32_t active, int width_bytes);
SharedCost shared_atomic(Addresses addresses, std::uint32_t active, int width_bytes);

} // namespace lanescope::counting
