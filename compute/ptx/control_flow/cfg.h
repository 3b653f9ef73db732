// The control flow of one function: basic blocks, and for each branch the place where its lanes
// meet again.
#pragma once

#include <vector>

#include "compute/ptx/text/module.h"

namespace lanescope::ptx {

// Instructions [begin, end). Ends behind every branch, return, exit, trap and call, and before
// every label that is used.
struct Block {
    int begin = 0;
    int end = 0;
    std::vector<int> successors; // without repetition; ControlFlow::exit() for leaving the function
};

struct ControlFlow {
    std::vector<Block> blocks;                // in text order; block 0 is the entry
    std::vector<int> block_of;                // instruction → block
    std::vector<int> immediate_postdominator; // block → block, or exit()

    // The virtual block that every return, exit, trap and noreturn call leads to.
    int exit() const { return static_cast<int>(blocks.size()); }

    // First instruction of the immediate post-dominator of the instruction's block: where lanes
    // that this branch parts run together again; -1 for the function's end. An endless loop counts
    // as if its last block could leave.
    int reconvergence(int instruction) const;
};

// `module` tells which called functions are marked .noreturn.
ControlFlow control_flow(const Module& module, const Function& function);

// Where a bra or brx may go when taken, as instruction indices (may be one past the end), in table
// order for brx.
std::vector<int> branch_targets(const Function& function, const Instruction& instruction);

} // namespace lanescope::ptx
