// Kernels whose whole text is one octet region, which native code runs without any branching. A
// warp that meets the region's assumptions finishes before anything could inspect its state, so no
// state is built for it.
#pragma once

#include <exception>

#include "compute/simt/machine/aligned.h"
#include "compute/simt/native/native.h"

namespace lanescope::simt {
struct Block;
struct Warp;
} // namespace lanescope::simt

namespace lanescope::simt::native {

class Straight {
public:
    // `code`: the kernel's code, with a nonzero FunctionCode::straight_steps().
    Straight(Executor& executor, const FunctionCode& code);
    // Call when the executor's block starts its warps' first turns.
    void begin_block(Executor& executor);
    // Runs a warp of the block to completion. Returns false, without side effects, if it doesn't
    // meet the assumptions. Throws what an observer throws.
    bool run(Executor& executor, Warp& warp);

private:
    const FunctionCode& code_;
    const Enter enter_;
    const void* const entry_;
    Activation activation_;
    std::exception_ptr fault_;
    Rows rows_; // registers of the running warp
};

} // namespace lanescope::simt::native
