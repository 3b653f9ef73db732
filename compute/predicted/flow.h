// How often each basic block of a kernel's SASS ran: the executions of memory accesses and
// branches, which were counted at lines of the PTX, distributed over the copies that the assembler
// made.
#pragma once

#include <map>
#include <vector>

#include "compute/assembled/sass.h"
#include "compute/caches/hierarchy.h"
#include "compute/trace/trace.h"

namespace lanescope::predicted {

// Counts of the sites at one PTX line, and the levels that served their sectors.
struct Access {
    trace::Site site; // the line's first
    trace::Counts counts;
    caches::Served served;

    // Average per request; at least 1.
    double wavefronts() const;
    double lines() const;
    double sectors() const;
    // Shares of the sectors read; 0 if none were.
    double from_l1() const;
    double from_dram() const;
};
using Accesses = std::map<int, Access>; // by PTX line

// `served` is parallel to the trace's sites.
Accesses accesses_of(const trace::Trace& trace, const std::vector<caches::Served>& served);

// Instructions [begin, end) of a function.
struct Block {
    int begin = 0;
    int end = 0;
    std::vector<int> successors{};
    std::vector<int> predecessors{};
    double executions = 0; // by warps, of the whole launch
    bool counted = false;  // from a site, not estimated from the neighbours
};

std::vector<Block> blocks_of(const assembled::SassFunction& function);

// Fills the executions. `warps` is the launch's number of warps.
void count_executions(std::vector<Block>& blocks, const assembled::SassFunction& function,
                      const Accesses& accesses, double warps);

bool is_memory(const assembled::SassInstruction& instruction);
bool is_padding(const assembled::SassInstruction& instruction);

} // namespace lanescope::predicted
