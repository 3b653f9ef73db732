// Checks of the operands of instructions that start bulk copies.
#pragma once

#include <cstdint>
#include <string_view>

#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

constexpr std::uint64_t bulk_unit_bytes = 16; // alignment of addresses and sizes

// One lane of an instruction that starts a copy.
struct BulkStart {
    Executor& x;
    const Instruction& in;
    const BulkWork& work;
    int lane;
    bool first = true; // the first lane of the instruction
};

// Faults if the value is not a multiple of `unit`.
void check_multiple(const BulkStart& at, std::uint64_t value, std::uint64_t unit, Address address,
                    std::string_view name);
// Checks a range of shared memory, and returns its address. All addresses are those of the thread's
// own block.
std::uint32_t shared_range(const BulkStart& at, trace::Op op, std::uint64_t address,
                           std::uint64_t bytes, std::uint64_t unit);
Address global_range(const BulkStart& at, trace::Op op, Address address, std::uint64_t bytes);
// Faults if the copy goes to other blocks, which needs a cluster.
void check_blocks(const BulkStart& at);
// Faults if the copy's mbarrier has not been initialised.
void check_object(const BulkStart& at, const BulkCopy& copy);
// A copy with the fields that all kinds of copies share.
BulkCopy new_copy(const BulkStart& at);

} // namespace lanescope::simt
