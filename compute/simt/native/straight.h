// Kernels whose whole text is one octet region, which native code runs without branches. A
// warp that meets the region's assumptions finishes before anything could inspect its state,
// so no state is built for the warp.
#pragma once

#include <exception>

#include "compute/simt/machine/state/aligned.h"
#include "compute/simt/native/native.h"

namespace lanescope::simt {
struct Block;
struct Warp;
} // namespace lanescope::simt

namespace lanescope::simt::native {

class Straight {
public:
    // `code`: the kernel's code, whose straight_steps() is nonzero.
    Straight(Executor& executor, const FunctionCode& code);
    // Call when the executor's block starts its warps' first turns.
    void begin_block(Executor& executor);
    // Runs a warp of the block to completion. Returns false, without side effects, if the warp
    // doesn't meet the assumptions. Rethrows exceptions of observers.
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
