// Cost of one warp access in the memory system, by rules measured on hardware: pure functions of
// the lanes' addresses. A lane participates if its bit in `active` is set; without active lanes
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
        0; // distinct 32-byte sectors touched; for atomics weighted by collisions
    std::uint32_t ideal_sectors = 0; // ceil(distinct bytes / 32)
    std::uint32_t wavefronts = 0;    // tag stage: ceil(lines / 4)
    std::uint32_t lines = 0;         // distinct 128-byte lines touched

    friend bool operator==(const GlobalCost&, const GlobalCost&) = default;
};

// Passes of shared or constant memory.
struct SharedCost {
    std::uint32_t wavefronts = 0;
    // Wavefronts needed without bank conflicts; in constant memory, by lanes that want one word.
    std::uint32_t ideal_wavefronts = 0;

    friend bool operator==(const SharedCost&, const SharedCost&) = default;
};

// For all functions below, an active lane moves `width_bytes` (1, 2, 4, 8, 16 or 32) at an address
// that is a multiple of it.

// A load or store.
GlobalCost global_access(Addresses addresses, std::uint32_t active, int width_bytes);

// An atomic or reduction: each sector is charged once per lane at its busiest address.
GlobalCost global_atomic(Addresses addresses, std::uint32_t active, int width_bytes);

// Local memory is interleaved by word: the 4-byte words of a warp's 32 lanes at one address are
// contiguous. Addresses are relative to each lane's memory. Returns the number of distinct 32-byte
// sectors.
std::uint32_t local_sectors(Addresses addresses, std::uint32_t active, int width_bytes);

// Shared memory has 32 banks of 4 bytes. 8-byte accesses are served per half-warp, 16-byte ones per
// quarter-warp. Groups of a load merge if neighbouring lanes have equal addresses; those of a store
// never merge, nor do the rows of ldmatrix, which count like stores.
SharedCost shared_load(Addresses addresses, std::uint32_t active, int width_bytes);
SharedCost shared_store(Addresses addresses, std::uint32_t active, int width_bytes);
SharedCost shared_atomic(Addresses addresses, std::uint32_t active, int width_bytes);

// Constant memory reads one 4-byte word per pass, and lanes that want this word share it.
SharedCost constant_load(Addresses addresses, std::uint32_t active, int width_bytes);

} // namespace lanescope::counting
