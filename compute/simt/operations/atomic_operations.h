// What atom and red do to memory, by operation and type.
#pragma once

#include <string_view>

#include "compute/simt/machine/program.h"

namespace lanescope::simt {

struct AtomicOperation {
    AtomicFunction on_shared = nullptr;
    AtomicFunction on_global = nullptr;
    AtomicFunction on_global_parallel =
        nullptr;      // null: the order of blocks would show, they must not run in parallel
    int operands = 1; // 2 for cas
};

// "add", ptx::Type::u32, …; all pointers null when PTX has no such atomic or the machine does not
// know it.
AtomicOperation find_atomic(std::string_view operation, ptx::Type type);

} // namespace lanescope::simt
