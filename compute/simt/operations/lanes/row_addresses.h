// Common properties of a warp's 32 addresses, computed with vector instructions: range, alignment,
// and whether they are contiguous.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "compute/simt/operations/rows/rows.h"

namespace lanescope::simt {

// Addresses of one warp access, within its space. Inactive lanes hold the lowest active lane's
// address.
struct Addresses {
    alignas(64) std::array<std::uint64_t, warp_lanes> lane;
    std::uint64_t low = 0;      // first byte touched by an active lane
    std::uint64_t high = 0;     // one past the last byte
    std::uint64_t all_bits = 0; // OR of all active addresses, for alignment checks
    bool contiguous = false;    // all 32 lanes are active and contiguous
};

// Layout of eight lanes: arbitrary, contiguous words, or all at one address.
enum class Octet : std::uint8_t { scattered, neighbours, same };
using Octets = std::array<Octet, 4>;

struct AddressFunctions {
    // Compute lane = row + offset, then the common properties of the addresses. `mask` is nonzero;
    // `width` is a power of two, in bytes.
    void (*from64)(const std::uint64_t* row, std::uint64_t offset, std::uint32_t mask,
                   std::uint32_t width, Addresses& addresses);
    void (*from32)(const std::uint32_t* row, std::uint32_t offset, std::uint32_t mask,
                   std::uint32_t width, Addresses& addresses);
    // Returns true if row + offset differs from `addresses` by the same distance `by` in every
    // lane. Requires all lanes.
    bool (*moved64)(const std::uint64_t* row, std::uint64_t offset, const Addresses& addresses,
                    std::uint64_t& by);
    bool (*moved32)(const std::uint32_t* row, std::uint32_t offset, const Addresses& addresses,
                    std::uint64_t& by);
    // Requires all lanes.
    void (*find_octets)(const Addresses& addresses, Octets& octets);
    // Loads the words at from + addresses.lane into `row`, for all lanes. `from` may be any number
    // for which these sums are host addresses.
    void (*load_words)(const std::byte* from, const Addresses& addresses, const Octets& octets,
                       std::uint32_t* row);
    // Loads 32 contiguous words into `row`.
    void (*load_row)(const std::byte* from, std::uint32_t* row);
};

AddressFunctions address_functions(Isa isa);

} // namespace lanescope::simt
