// The precise checks, for blocks that run in order on one core (and for stepping): races on shared
// memory between warps, on global memory between blocks, each with both accesses; and reads of
// memory that nothing has written.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compute/simt/checks/cells.h"
#include "compute/simt/checks/happens_before.h"
#include "compute/simt/machine/observer.h"

namespace lanescope::simt {

struct LaunchState;

class AccessChecks : public Observer {
public:
    explicit AccessChecks(const LaunchState& launch);

    void block_begins(Executor& executor) override;
    void block_ends(Executor& executor) override;
    void access(Executor& executor, const AccessEvent& event) override;
    void barrier_opens(Executor& executor, const Barrier& barrier) override;
    void fence(Executor& executor, const Instruction& instruction) override;
    bool follows(const Executor& executor) const override;
    void before(Executor& executor, const Instruction& instruction, std::uint32_t mask) override;

private:
    // What one warp did to bytes of one cell by one instruction.
    struct Touch {
        std::uint64_t bits = 0;
        std::uint64_t block = 0;
        const Function* function = nullptr;
        const Instruction* instruction = nullptr;
        std::uint32_t tick = 0;
        std::uint8_t warp = 0;
        trace::Op op = trace::Op::load;
        bool strong = false; // volatile, relaxed, acquire, release or atomic
        bool fenced = false; // a store with a fence before it
        std::array<std::uint8_t, cell_bytes / 4> lanes{}; // by word
    };
    struct Cell {
        std::uint64_t round = 0;   // shared memory: HappensBefore::rounds that the touches are of
        std::uint64_t written = 0; // shared memory: ever, in this block
        std::vector<Touch> touches;
    };
    using Cells = std::vector<Cell>;

    void touch(Executor& executor, const AccessEvent& event, Touch& mine, std::uint64_t index,
               Cell& cell, const Allocation* allocation);
    bool conflicts(Executor& executor, const AccessEvent& event, const Touch& mine,
                   const Touch& theirs, std::uint64_t common, std::uint64_t base) const;
    bool same_value(Executor& executor, const AccessEvent& event, std::uint64_t common,
                    std::uint64_t base) const;
    void hand_over(Executor& executor, const AccessEvent& event);
    [[noreturn]] void report_race(Executor& executor, const AccessEvent& event, const Touch& mine,
                                  const Touch& theirs, std::uint64_t common, std::uint64_t base);
    // Undefined values: read from memory that nothing has written. They may be moved and stored
    // (what they are stored to is then as unwritten as before), as valgrind has it; a branch, an
    // address, an atomic or a store to global memory that depends on one is reported. Arguments of
    // functions are not followed.
    struct Undefined {
        const Function* function = nullptr;   // of the frame that `registers` are of
        std::vector<std::uint32_t> registers; // lanes, by ptx::Function::registers
        std::string origin;                   // what was read, and where
    };
    using UndefinedKey = std::array<std::uint64_t, 3>; // block, warp, frame
    UndefinedKey key(const Executor& executor) const;
    void read_unwritten(Executor& executor, const AccessEvent& event, std::uint32_t lanes, int lane,
                        const Allocation* allocation);
    [[noreturn]] void report_undefined(Executor& executor, const Instruction& instruction,
                                       std::uint32_t lanes, const Undefined& undefined,
                                       std::string_view what) const;

    bool uninitialised_;
    bool races_;
    HappensBefore order_;
    std::map<UndefinedKey, Undefined> undefined_;
    std::uint32_t storing_undefined_ = 0;   // lanes of the store that comes next
    std::map<std::uint64_t, Cells> shared_; // by block that runs
    std::unordered_map<int, std::unordered_map<std::uint64_t, Cell>> global_; // by allocation
    // By place; of shared memory with the block that it belongs to.
    std::map<std::pair<std::uint64_t, std::uint64_t>, Released> flags_;
};

} // namespace lanescope::simt
