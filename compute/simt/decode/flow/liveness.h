// Register liveness: a register is live before an instruction if some path from there reads it
// before it is written. Registers that are never live at the same time share rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compute/ptx/control_flow/cfg.h"

namespace lanescope::simt {

class Liveness {
public:
    // A use of a register that is not among an instruction's operands.
    struct Read {
        int instruction = 0;
        int reg = 0;
    };
    // `also`: further reads, in the order of their instructions.
    Liveness(const ptx::Function& function, const ptx::ControlFlow& flow,
             std::span<const Read> also = {});

    bool live_before(std::size_t instruction, std::size_t reg) const;

    // First and last instruction, in text order, between which a register needs its row; first >
    // last if it is unused.
    struct Interval {
        int first = 0;
        int last = -1;
    };
    std::vector<Interval> intervals() const;

private:
    using Bits = std::vector<std::uint64_t>;
    // Registers of each instruction, as concatenated lists.
    class Lists {
    public:
        void add(int reg) { all_.push_back(reg); }
        void end_list() { ends_.push_back(all_.size()); }
        std::span<const int> operator[](std::size_t list) const
        {
            const std::size_t begin = list == 0 ? 0 : ends_[list - 1];
            return std::span(all_).subspan(begin, ends_[list] - begin);
        }

    private:
        std::vector<int> all_;
        std::vector<std::size_t> ends_;
    };
    void note_uses(const ptx::Instruction& instruction);
    static void collect(const ptx::Operand& operand, Lists& registers);
    // Changes `live` from the state after the instruction to the state before it.
    void transfer(std::size_t instruction, Bits& live) const;

    const ptx::Function& function_;
    std::size_t words_;
    Lists reads_;  // indexed by instruction
    Lists writes_; // unguarded writes end a lifetime
    Bits before_;  // a fixed number of words per instruction
};

} // namespace lanescope::simt
