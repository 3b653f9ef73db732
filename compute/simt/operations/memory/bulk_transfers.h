// When bulk copies take effect: those that an mbarrier counts, no earlier than a wait that needs
// them; copies to global memory, at the wait for their group or at the end of the block.
#pragma once

#include <cstdint>

#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

// While it exists, the executor's warp and function are those of the thread that started the copy:
// observers and faults refer to them.
class AsIssuer {
public:
    AsIssuer(Executor& x, const BulkCopy& copy) : x_(x), warp_(x.warp), function_(x.function)
    {
        x.warp = &x.block->warps[copy.warp];
        x.function = copy.function;
    }
    ~AsIssuer()
    {
        x_.warp = warp_;
        x_.function = function_;
    }
    AsIssuer(const AsIssuer&) = delete;
    AsIssuer& operator=(const AsIssuer&) = delete;

private:
    Executor& x_;
    Warp* warp_;
    const Function* function_;
};

// Adds a copy that the running warp starts, and reports it to the observers. `first`: by the first
// lane of the instruction.
void start_bulk_copy(Executor& executor, BulkCopy copy, bool first);
// Performs the block's copies that this mbarrier counts. Returns false if there were none.
bool perform_object_copies(Executor& executor, std::uint32_t object);
// Performs the running warp's groups of copies that the lanes wait for: all but the last `allowed`
// ones of each lane. `read`: only reads their sources.
void wait_for_groups(Executor& executor, std::uint32_t lanes, std::uint32_t allowed, bool read);
// At the end of a block: performs the copies to global memory and drops all others.
void finish_bulk_copies(Executor& executor);

// mbarrier.cpp: whether an mbarrier has been initialised at this address of shared memory.
bool is_initialised_object(const Block& block, std::uint32_t object);
// mbarrier.cpp: bytes have arrived at the mbarrier of a copy.
void complete_copy(Executor& executor, const BulkCopy& copy);

// mbarrier.cpp: state of the current phase of the mbarrier at this address of shared memory.
struct PhaseState {
    bool odd = false;
    std::int64_t expected = 0, pending = 0; // arrivals in total, and those that are missing
    std::uint64_t bytes_expected = 0, bytes_arrived = 0;
};
PhaseState phase_of(const Block& block, std::uint32_t object);

} // namespace lanescope::simt
