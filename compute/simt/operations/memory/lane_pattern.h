// What the addresses of one warp access look like from afar, so that the next access through the
// same register need not look again: which lanes are neighbours, and which stretches of bytes they
// cover. Both stay true when all lanes move by the same distance.
#pragma once

#include <array>
#include <cstdint>

#include "compute/simt/operations/memory/row_addresses.h"

namespace lanescope::simt {

struct Allocation;

struct ByteRun {
    std::uint64_t begin, end;
};

// Disjoint from one to the next, but not sorted: stretches of bytes that the active lanes touch. A
// byte may be in two of them when lanes come back to it.
struct ByteRuns {
    int count = 0;
    std::array<ByteRun, warp_lanes> run;
};

void find_runs(const std::uint64_t* lanes, std::uint32_t mask, std::uint32_t width, ByteRuns& runs);

// The addresses of the last access through a register, for accesses behind it in the same basic
// block that add another constant to the same register (Access::group), and for later ones whose
// lanes have all moved by the same distance.
struct AddressGroup {
    std::uint64_t entered = 0; // Executor::entered of the access that formed them; 0: none
    std::uint64_t offset = 0;  // of that access, less how far its lanes had moved from `at`
    // Executor::entered when a batch of loads was last found within bounds, 0 when it was not;
    // lane's bytes are then at base + its address here + the load's offset - `offset`.
    std::uint64_t batch_entered = 0;
    std::byte* base = nullptr;
    const Allocation* allocation = nullptr; // of global memory
    std::uint32_t mask = 0;
    std::uint32_t width = 0;
    bool octets_known = false;
    bool runs_known = false;
    bool wavefronts_known = false, wavefronts_of_stores = false;
    std::uint32_t wavefronts = 0, ideal_wavefronts = 0; // of shared loads and stores
    // What a load or store of global memory costs so many words behind `at`: it is the same a line
    // further on. Bits of those that are known.
    struct Cost {
        std::uint8_t sectors, ideal_sectors, wavefronts, lines;
    };
    std::uint32_t costs_known = 0;
    std::array<Cost, 32> costs;
    Octets octets{};
    Addresses at; // near each other: high - low is how far the lanes reach, wherever they move
    ByteRuns runs;
};

// Fills in `octets` and `runs` once; octets of all lanes only.
void ensure_octets(AddressGroup& group, const AddressFunctions& functions);
void ensure_runs(AddressGroup& group, const AddressFunctions& functions);

} // namespace lanescope::simt
