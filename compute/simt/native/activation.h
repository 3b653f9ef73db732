// What native code works on while a path runs, and how it leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>

#include "compute/simt/machine/program.h"

namespace lanescope::simt {
struct Executor;
}

namespace lanescope::simt::native {

struct Activation {
    Executor* executor = nullptr;
    std::byte* frame = nullptr; // the rows of each base
    std::byte* constants = nullptr;
    std::byte* specials = nullptr;
    std::uint64_t steps = 0; // warp instructions of the slice so far
    std::uint64_t slice = 0;
    std::uint64_t* slice_steps = nullptr; // Executor::slice_steps
    std::exception_ptr* fault = nullptr;  // what a handler threw
    std::uint32_t active = 0;
    std::int32_t pc = 0;                           // Leave::slice_over: where to go on
    std::int32_t reconvergence = -1;               // of the path
    alignas(32) std::uint32_t lanes[warp_lanes]{}; // all ones for active lanes
    RowOperands operands;                          // of the row function that is called
};

// The first three are what handlers say (Flow), so that native code hands them on.
enum class Leave : std::uint32_t { next = 0, jump = 1, blocked = 2, fault = 3, slice_over = 4 };

using Enter = std::uint32_t (*)(Activation*, const void* entry);

// What native code calls; none of these lets an exception pass.
struct Helpers {
    std::uint32_t (*handler)(Activation*, const Instruction*, std::uint32_t mask);
    std::uint32_t (*uniform_branch)(Activation*, const Instruction*); // for observers
};

} // namespace lanescope::simt::native
