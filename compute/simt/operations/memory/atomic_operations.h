// Effect of atom and red on memory, per operation and type.
#pragma once

#include <cstdint>

#include "compute/simt/machine/state/program.h"

namespace lanescope::simt {

struct AtomicOperation {
    AtomicFunction on_shared = nullptr;
    AtomicFunction on_global = nullptr;
    AtomicFunction on_global_parallel = nullptr; // null: the result depends on the block order, so
                                                 // blocks can't run in parallel
    int operands = 1;                            // 2 for cas
};

enum class AtomicKind : std::uint8_t {
    add,
    min,
    max,
    bit_and,
    bit_or,
    bit_xor,
    exchange,
    increment,
    decrement,
    compare_and_swap,
};

// All pointers are null if PTX has no such atomic or the machine doesn't support it.
AtomicOperation find_atomic(AtomicKind kind, ptx::Type type);

} // namespace lanescope::simt
