// Kernels that native code runs from their first instruction to their last without a choice: all
// of their text is one octet region. Where a warp is as the region expects, it has run before
// anybody could ask for its state, so that it needs none.
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
    // `code`: the kernel's, FunctionCode::straight_steps() of which is not 0.
    Straight(Executor& executor, const FunctionCode& code);
    // The executor's block has its warps' first turns.
    void begin_block(Executor& executor);
    // Runs a warp of the block from its first instruction to its end. False when it is not as
    // expected: then nothing has been done. Throws what an observer throws.
    bool run(Executor& executor, Warp& warp);

private:
    const FunctionCode& code_;
    const Enter enter_;
    const void* const entry_;
    Activation activation_;
    std::exception_ptr fault_;
    Rows rows_; // of whichever warp runs
};

} // namespace lanescope::simt::native
