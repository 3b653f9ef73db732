// Pattern of a warp access's addresses: which lanes are adjacent, and which byte ranges they cover.
// Cached for later accesses through the same register, since it stays valid when all lanes move by
// the same distance.
#pragma once

#include <array>
#include <cstdint>

#include "compute/simt/operations/lanes/row_addresses.h"

namespace lanescope::simt {

struct Allocation;

struct ByteRun {
    std::uint64_t begin, end;
};

// Byte ranges touched by the active lanes. Consecutive runs are disjoint, but the list is unsorted,
// and a byte may occur in two runs if lanes return to it.
struct ByteRuns {
    int count = 0;
    std::array<ByteRun, warp_lanes> run;
};

void find_runs(const std::uint64_t* lanes, std::uint32_t mask, std::uint32_t width, ByteRuns& runs);

// Addresses of the last access through a register, reused by later accesses in the same basic block
// with a different constant offset (Access::group), and by later executions in which all lanes have
// moved by the same distance.
struct AddressGroup {
    std::uint64_t entered = 0; // Executor::entered of the access that formed them; 0: none
    // The offset of that access, minus the distance that its lanes had moved from `at`.
    std::uint64_t offset = 0;
    // Executor::entered at the last successful bounds check of a load batch, 0 after a failed one.
    // A lane's bytes are at base + the lane's address here + the load's offset - `offset`.
    std::uint64_t batch_entered = 0;
    std::byte* base = nullptr;
    const Allocation* allocation = nullptr; // global memory only
    std::uint32_t mask = 0;
    std::uint32_t width = 0;
    bool disjoint = false; // it is known that no two lanes share a byte
    bool octets_known = false;
    bool runs_known = false;
    bool wavefronts_known = false, wavefronts_of_stores = false;
    std::uint32_t wavefronts = 0, ideal_wavefronts = 0; // shared loads and stores
    // Cost of a global load or store `i` words after `at`; repeats every line. `costs_known` has
    // one bit per entry.
    struct Cost {
        std::uint8_t sectors, ideal_sectors, wavefronts, lines;
    };
    std::uint32_t costs_known = 0;
    std::array<Cost, 32> costs;
    Octets octets{};
    Addresses at; // close together: high - low remains their extent wherever the lanes move
    ByteRuns runs;
};

// Compute `octets` and `runs` once; octets require all lanes.
void ensure_octets(AddressGroup& group, const AddressFunctions& functions);
void ensure_runs(AddressGroup& group, const AddressFunctions& functions);

} // namespace lanescope::simt
