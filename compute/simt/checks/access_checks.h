// The precise checks, for blocks that run in order on one core (and for stepping): races on shared
// and global memory between lanes, warps and blocks, each with both accesses; and reads of memory
// that nothing has written.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compute/simt/checks/cells.h"
#include "compute/simt/checks/happens_before.h"
#include "compute/simt/checks/local_bytes.h"
#include "compute/simt/checks/undefined_values.h"
#include "compute/simt/machine/observer.h"

namespace lanescope::simt {

struct LaunchState;

class AccessChecks : public Observer {
public:
    // `survives`: what leaves nothing but results in doubt does not end the launch.
    explicit AccessChecks(const LaunchState& launch, bool survives = false);

    std::vector<trace::Fault> doubtful_results() const;

    void block_begins(Executor& executor) override;
    void block_ends(Executor& executor) override;
    void access(Executor& executor, const AccessEvent& event) override;
    void barrier_opens(Executor& executor, const Barrier& barrier) override;
    void fence(Executor& executor, const Instruction& instruction) override;
    void lanes_meet(Executor& executor, std::uint32_t lanes) override;
    bool round_begins(Executor& executor) override;
    bool round_repeats(Executor& executor) override;
    bool follows(Executor& executor) override;
    void before(Executor& executor, const Instruction& instruction, std::uint32_t mask) override;

private:
    static constexpr std::uint8_t several = 0x80;
    // What one warp did to bytes of one cell by one instruction.
    struct Touch {
        std::uint64_t bits = 0;
        std::uint64_t block = 0;
        const Function* function = nullptr;
        const Instruction* instruction = nullptr;
        std::uint32_t tick = 0;
        std::uint8_t warp = 0;
        trace::Op op = trace::Op::load;
        bool strong = false;        // volatile, relaxed, acquire, release or atomic
        bool fenced = false;        // a store with a fence before it
        std::uint32_t meetings = 0; // of the warp's lanes, before it
        // By byte: the first lane that touched it, and `several` if others did, too.
        std::array<std::uint8_t, cell_bytes> lanes{};
    };
    struct Cell {
        std::uint64_t round = 0;   // shared memory: HappensBefore::rounds that the touches are of
        std::uint64_t written = 0; // shared memory: ever, in this block
        std::vector<Touch> touches;
        // Of each of them its bits: most have nothing to do with a new one.
        std::vector<std::uint64_t> bits;
        std::size_t reads = 0; // among them
        bool emptied = false;  // some have no bits left
        void add(const Touch& touch);
        void forget_all();
        void forget_empty();
        void forget_first_read();
        // Global memory, where searches are looked for: what each warp of one block has read.
        std::uint64_t readers_block = 0;
        std::vector<std::pair<int, std::uint64_t>> readers;
    };
    using Cells = std::vector<Cell>;

    void local(Executor& executor, const AccessEvent& event);
    void touch(Executor& executor, const AccessEvent& event, Touch& mine, std::uint64_t index,
               Cell& cell, const Allocation* allocation);
    // Neither both read, nor both know that others are at it.
    static bool may_conflict(const Touch& mine, const Touch& theirs);
    bool conflicts(Executor& executor, const AccessEvent& event, const Touch& mine,
                   const Touch& theirs, std::uint64_t common, std::uint64_t base) const;
    // The same between lanes of one warp.
    bool lanes_conflict(Executor& executor, const AccessEvent& event, const Touch& mine,
                        const Touch& theirs, std::uint64_t common, std::uint64_t base) const;
    // Lanes of one store that write different values to one place.
    void compare_lanes(Executor& executor, const AccessEvent& event) const;
    // A plain read of what others update atomically is in doubt until the same warp updates that
    // place, too, which looks again: a loop around compare-and-swap, a test before atomicMin.
    struct Doubt {
        std::uint64_t block = 0;
        int warp = 0;
        const Instruction* read = nullptr;
        std::pair<const Allocation*, std::uint64_t> cell;
        std::uint64_t bits = 0;
        trace::Fault fault;
    };
    void doubt(Executor& executor, const AccessEvent& event, const Touch& mine, const Touch& theirs,
               std::uint64_t common, std::uint64_t base, const Allocation* allocation);
    void settle(const Touch& update, const Allocation* allocation, std::uint64_t base);
    bool same_value(Executor& executor, const AccessEvent& event, std::uint64_t common,
                    std::uint64_t base) const;
    // What a store looks like that marks places of a search by levels: before it the warp has read
    // the same place, and all its executions store the same value. A block that reads such a place
    // may see it marked or not.
    struct Search {
        bool fits = true;                 // until now
        std::vector<std::byte> value;     // that is stored
        std::optional<trace::Fault> race; // the first that is none if it is a search
    };
    void note_read(Cell& cell, const Touch& read) const;
    void note_store(Executor& executor, const AccessEvent& event);
    bool fits_search(Executor& executor, const AccessEvent& event, Search& search);
    bool belongs_to_search(Executor& executor, const AccessEvent& event, const Touch& mine,
                           const Touch& theirs, std::uint64_t common, std::uint64_t base);
    void hand_over(Executor& executor, const AccessEvent& event);
    [[noreturn]] void report_race(Executor& executor, const AccessEvent& event, const Touch& mine,
                                  const Touch& theirs, std::uint64_t common, std::uint64_t base);
    trace::Fault race(Executor& executor, const AccessEvent& event, const Touch& mine,
                      const Touch& theirs, std::uint64_t common, std::uint64_t base);

    // A load of one place which a warp that waits does again and again: as long as nobody does
    // anything else, nothing is to be learned from it.
    struct Waiting {
        const Instruction* instruction = nullptr; // null: nobody waits
        std::uint64_t block = 0, address = 0;
        int warp = 0;
        std::uint32_t mask = 0, tick = 0, meetings = 0;
        bool operator==(const Waiting&) const = default;
    };
    bool waits(const Executor& executor, const AccessEvent& event);

    bool uninitialised_;
    bool races_;
    bool survives_;
    Waiting waiting_;
    bool learnt_ = false; // from an access since the round began
    std::map<const Instruction*, Search> searches_;
    HappensBefore order_;
    std::vector<Doubt> doubts_;
    std::set<const Instruction*> looks_again_; // reads that an update of the same place followed
    UndefinedValues undefined_;
    std::map<std::uint64_t, Cells> shared_;                                   // by block that runs
    std::map<std::uint64_t, LocalBytes> local_;                               // the same
    std::unordered_map<int, std::unordered_map<std::uint64_t, Cell>> global_; // by allocation
    // By place; of shared memory with the block that it belongs to.
    std::map<std::pair<std::uint64_t, std::uint64_t>, Released> flags_;
};

} // namespace lanescope::simt
