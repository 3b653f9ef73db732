// Warnings of one core: one per kind and source line, from the lowest block, so that the report
// does not depend on the number of cores.
#pragma once

#include <cstdint>
#include <vector>

#include "compute/trace/trace.h"

namespace lanescope::simt {

struct Instruction;

class LineWarnings {
public:
    // True if this instruction's source line already has a warning from this block or a lower one.
    bool is_known(const Instruction* instruction, std::uint64_t block) const;
    void add(const Instruction* instruction, std::uint64_t block, trace::Fault fault);
    // Adds these warnings to those of other cores.
    void merge_into(std::vector<trace::Fault>& faults) const;

private:
    struct Warning {
        std::vector<const Instruction*> instructions; // all on one source line
        std::uint64_t block = 0;
        trace::Fault fault;
    };
    std::vector<Warning> warnings_;
};

} // namespace lanescope::simt
