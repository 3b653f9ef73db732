// Which lanes touched the bytes of a cell, and when: the memory of the precise checks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "compute/simt/checks/shadow/cells.h"
#include "compute/simt/machine/state/observer.h"

namespace lanescope::simt::precise {

constexpr std::uint8_t several = 0x80;
// Accesses by one instruction of one warp to bytes of one cell.
struct Touch {
    std::uint64_t bits = 0;
    std::uint64_t block = 0;
    const Function* function = nullptr;
    const Instruction* instruction = nullptr;
    std::uint32_t tick = 0;
    std::uint8_t warp = 0;
    trace::Op op = trace::Op::load;
    bool strong = false;        // volatile, relaxed, acquire, release or atomic
    bool block_scope = false;   // strong access: synchronises only with threads of its block
    bool cluster_scope = false; // same with threads of its cluster
    bool is_volatile = false;
    bool fenced = false;        // a store that follows a fence in its warp
    std::uint32_t meetings = 0; // number of meetings of the warp's lanes before it
    bool by_copy = false;       // written by a bulk copy; `warp` is then a copier's number
    bool by_product =
        false; // read by a wgmma; `warp` is then the number of its warp group's reader
    std::uint8_t started_by = 0; // the warp that started that copy or product
    // Per byte: the first lane that touched it, plus `several` if
    // other lanes of `mask` did too.
    std::array<std::uint8_t, cell_bytes> lanes{};
    std::uint32_t mask = 0;
    std::uint32_t lanes_at(std::size_t byte) const
    {
        return (lanes[byte] & several) != 0 ? mask : 1u << lanes[byte];
    }
    std::uint32_t lanes_of(std::uint64_t bytes) const;
    // The warp whose threads reports name.
    std::uint8_t named_warp() const { return by_copy || by_product ? started_by : warp; }
};
// Bytes of a cell that threads have stored through the generic proxy: bulk copies, which use
// another, see them only after a proxy fence.
struct GenericStore {
    std::uint64_t bits = 0;
    const Function* function = nullptr;
    const Instruction* instruction = nullptr;
    std::uint32_t tick = 0;
    int warp = 0, lane = 0;
};
struct Cell {
    std::vector<GenericStore> generic; // shared memory of kernels with bulk copies
    std::uint64_t round = 0;   // shared memory: value of HappensBefore::rounds for the touches
    std::uint64_t written = 0; // shared memory: bytes ever written by this block
    std::vector<Touch> touches;
    // Copy of each touch's bits, for a fast search: most touches don't overlap a new one.
    std::vector<std::uint64_t> bits;
    std::size_t reads = 0; // number of loads among them
    bool emptied = false;  // at least one touch has no bits left and can be removed
    void add(const Touch& touch);
    void forget_all();
    void forget_empty();
    void forget_first_read();
    // Global memory, only when detecting searches: bytes that each warp of the block
    // `readers_block` has read.
    std::uint64_t readers_block = 0;
    std::vector<std::pair<int, std::uint64_t>> readers;
};

} // namespace lanescope::simt::precise
