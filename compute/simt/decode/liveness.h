// Which registers still matter where: a register is live before an instruction when some way from
// there reads it before it is written again. Rows are shared by registers that are never live
// together.
#pragma once

#include <cstdint>
#include <vector>

#include "compute/ptx/control_flow/cfg.h"

namespace lanescope::simt {

class Liveness {
public:
    Liveness(const ptx::Function& function, const ptx::ControlFlow& flow);

    bool live_before(std::size_t instruction, std::size_t reg) const;

    // First and last instruction, in text order, between which a register must keep its row; first
    // > last when it is never used.
    struct Interval {
        int first = 0;
        int last = -1;
    };
    std::vector<Interval> intervals() const;

private:
    using Bits = std::vector<std::uint64_t>;
    void transfer(std::size_t instruction, Bits& live) const; // from behind it to before it

    const ptx::Function& function_;
    std::size_t words_;
    std::vector<std::vector<int>> reads_;          // by instruction
    std::vector<std::vector<int>> writes_;         // without a guard: these end a life
    std::vector<std::vector<int>> touched_writes_; // with or without
    std::vector<Bits> before_;
};

} // namespace lanescope::simt
