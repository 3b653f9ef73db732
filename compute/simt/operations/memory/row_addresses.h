// What a warp's 32 addresses have in common, found with vector instructions: the span, the
// alignment, and whether they are neighbours.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "compute/simt/operations/rows/rows.h"

namespace lanescope::simt {

// The addresses of one warp access, in the space's own addresses. Inactive lanes hold the lowest
// active lane's.
struct Addresses {
    alignas(64) std::array<std::uint64_t, warp_lanes> lane;
    std::uint64_t low = 0;      // first byte touched by an active lane
    std::uint64_t high = 0;     // behind the last
    std::uint64_t all_bits = 0; // of all active addresses, or-ed: tells alignment
    bool strided = false;       // all 32 lanes, one behind the other
};

// How eight lanes lie: anyhow, 4 bytes apart in order, or all at one place.
enum class Octet : std::uint8_t { scattered, neighbours, same };
using Octets = std::array<Octet, 4>;

struct AddressFunctions {
    // lane = row + offset; then what they have in common. `mask` is not 0, `width` a power of two,
    // in bytes.
    void (*from64)(const std::uint64_t* row, std::uint64_t offset, std::uint32_t mask,
                   std::uint32_t width, Addresses& addresses);
    void (*from32)(const std::uint32_t* row, std::uint32_t offset, std::uint32_t mask,
                   std::uint32_t width, Addresses& addresses);
    // Whether row + offset is everywhere as far from `addresses`, by the distance `by`. Needs all
    // lanes.
    bool (*moved64)(const std::uint64_t* row, std::uint64_t offset, const Addresses& addresses,
                    std::uint64_t& by);
    bool (*moved32)(const std::uint32_t* row, std::uint32_t offset, const Addresses& addresses,
                    std::uint64_t& by);
    // Needs all lanes.
    void (*find_octets)(const Addresses& addresses, Octets& octets);
    // row = the words at from + lane, for all lanes. `from` may be any number that makes these
    // sums host addresses.
    void (*load_words)(const std::byte* from, const Addresses& addresses, const Octets& octets,
                       std::uint32_t* row);
    // row = 32 neighbouring words.
    void (*load_row)(const std::byte* from, std::uint32_t* row);
};

AddressFunctions address_functions(Isa isa);

} // namespace lanescope::simt
