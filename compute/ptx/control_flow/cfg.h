// Control flow of one function: basic blocks, and the reconvergence point of each branch.
#pragma once

#include <vector>

#include "compute/ptx/text/module.h"

namespace lanescope::ptx {

// Instructions [begin, end). Ends after every branch, return, exit, trap and call, and
// before every label that is a target.
struct Block {
    int begin = 0;
    int end = 0;
    std::vector<int> successors; // distinct; ControlFlow::exit() means leaving the function
};

struct ControlFlow {
    std::vector<Block> blocks;                // in text order; block 0 is the entry
    std::vector<int> block_of;                // instruction → block
    std::vector<int> immediate_postdominator; // block → block, or exit()

    // The virtual block after every return, exit, trap and noreturn call.
    int exit() const { return static_cast<int>(blocks.size()); }

    // First instruction of the immediate post-dominator of the instruction's block, where lanes
    // that diverged at this branch reconverge; -1 for the function's end. The last block of an
    // endless loop is treated as if it could exit.
    int reconvergence(int instruction) const;
};

// `module` provides the called functions, of which some are marked .noreturn.
ControlFlow control_flow(const Module& module, const Function& function);

// Targets of a taken bra or brx, as instruction indices (possibly one past the end), in table order
// for brx.
std::vector<int> branch_targets(const Function& function, const Instruction& instruction);

} // namespace lanescope::ptx
