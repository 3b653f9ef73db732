// Bulk copies that a block has started (cp.async.bulk, st.async and the like), and the bytes that
// its mbarriers wait for. Plain values: a copy of the block is a saved state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compute/simt/machine/memory/windows.h"

namespace lanescope::simt {

struct BulkWork;
struct Function;
struct Instruction;

// Contiguous bytes of a copy.
struct BulkPiece {
    Address global = 0;       // address in global memory; unused if the piece is filled
    std::uint32_t shared = 0; // address in shared memory: the source if the copy leaves it
    std::uint32_t bytes = 0;
    std::uint32_t source = 0; // copies within shared memory: address of the source
    bool filled = false;      // outside the tensor: shared memory receives the fill value
};

enum class BulkRoute : std::uint8_t {
    to_shared, // from global memory
    to_global, // from shared memory
    within,    // from shared to shared memory
    registers, // from registers to shared memory
};

struct BulkCopy {
    BulkRoute route = BulkRoute::to_shared;
    std::uint8_t warp = 0, lane = 0; // the thread that started the copy
    bool read = false;               // `data` holds the source
    // Updates the destination's elements; null: the copy overwrites them.
    void (*reduce)(std::byte*, const std::uint64_t*, std::uint32_t, const void*, const void*,
                   void*) = nullptr;
    std::uint8_t element_bytes = 1;
    std::uint64_t fill = 0;           // an element of a filled piece
    std::uint16_t byte_mask = 0xffff; // bytes to write in each 16 bytes of the destination
    std::uint32_t group = 0;  // to_global: number of groups that the thread had committed before
    std::uint32_t object = 0; // other routes: address of the mbarrier that counts the bytes
    std::uint64_t bytes = 0;  // in total, as the mbarrier counts them
    const Function* function = nullptr;
    const Instruction* instruction = nullptr;
    const BulkWork* work = nullptr;
    std::uint32_t low = 0, high = 0; // bounds of the bytes that it touches in shared memory
    std::vector<BulkPiece> pieces;
    std::vector<std::byte> data;
};

// Memory of the host that a pending copy needs at most: its pieces, and its source once read.
inline std::uint64_t host_bytes_of(const BulkCopy& copy)
{
    return copy.pieces.size() * sizeof(BulkPiece) + copy.bytes;
}

// Bytes of the current phase of an mbarrier.
struct ObjectBytes {
    std::uint32_t object = 0; // address in shared memory
    std::uint64_t expected = 0, arrived = 0;
};

struct BulkCopies {
    std::vector<BulkCopy> copies; // in the order in which they were started
    std::vector<ObjectBytes> objects;
    std::uint64_t host_bytes = 0; // sum of host_bytes_of() over `copies`
    void clear()
    {
        copies.clear();
        host_bytes = 0;
        objects.clear();
    }
};

// The last wait at an mbarrier that found its phase incomplete.
struct ObjectWait {
    const Function* function = nullptr; // null: none
    const Instruction* instruction = nullptr;
    std::uint32_t object = 0; // address in shared memory
    std::uint8_t lane = 0;
    bool odd = false;    // parity of the phase that it waits for
    bool parked = false; // the warp's turn is over
    std::uint32_t tries = 0;
};

} // namespace lanescope::simt
