// The work of one launch for each unit of a GPU, from its counts and its SASS.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "compute/assembled/sass.h"
#include "compute/caches/recording.h"
#include "compute/caches/replay.h"
#include "compute/predicted/chain.h"

namespace lanescope::predicted {

struct Work {
    double blocks = 1;
    int warps_per_block = 1;
    int resident_blocks = 1; // per multiprocessor
    int registers = 0;       // per thread

    // Cycles of one multiprocessor's pipes, over all blocks: instructions that are issued, and
    // those of each pipe.
    double issue = 0;
    std::array<double, pipe_count> pipes{};
    double data = 0; // of the data pipe of L1 and shared memory

    double l2_read_bytes = 0;
    double l2_written_bytes = 0;
    double l2_store_lines = 0;     // lines of global stores, per request
    double l2_atomic_sectors = 0;  // updates of a sector; lanes at one address make several
    double l2_busiest_updates = 0; // those of the busiest 512 bytes
    double dram_bytes = 0;

    Chain chain{};                                                // one block on its own
    std::map<int, double> data_lines{}, l2_lines{}, dram_lines{}; // by PTX line, any scale
    bool calls_functions = false; // whose instructions are not included
    bool indexed_constants = false;
};

// A launch that was counted, and followed through the caches.
struct Launch {
    const trace::Trace& trace; // of this launch alone
    const caches::Recording& recording;
    const std::vector<caches::Served>& served; // indexed by site of the trace
    const caches::Traffic& traffic;
};

// Improvements to assume: accesses without these defects.
struct WhatIf {
    bool no_bank_conflicts = false;
    bool contiguous = false; // every request moves the sectors that its bytes fill
};

Work work_of(const assembled::SassFunction& function, const Launch& launch,
             const counting::Gpu& gpu, const WhatIf& what_if = {});

} // namespace lanescope::predicted
