// The precise checks, for blocks that run in order on one core (and for stepping): races on shared
// and global memory between lanes, warps and blocks, reported with both accesses; and reads of
// uninitialised memory.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "compute/simt/checks/precise/happens_before.h"
#include "compute/simt/checks/precise/touch.h"
#include "compute/simt/checks/shadow/cells.h"
#include "compute/simt/checks/shadow/local_bytes.h"
#include "compute/simt/checks/shadow/pending_copies.h"
#include "compute/simt/checks/shadow/undefined_values.h"
#include "compute/simt/machine/state/observer.h"

namespace lanescope::simt {

struct LaunchState;

class AccessChecks : public Observer {
public:
    // `survives`: faults that only make results doubtful do not end the launch.
    explicit AccessChecks(const LaunchState& launch, bool survives = false);

    std::vector<trace::Fault> doubtful_results() const;

    void block_begins(Executor& executor) override;
    void block_ends(Executor& executor) override;
    void access(Executor& executor, const AccessEvent& event) override;
    void operand_read(Executor& executor, const AccessEvent& event) override;
    void barrier_opens(Executor& executor, const Barrier& barrier) override;
    void fence(Executor& executor, const Instruction& instruction) override;
    void bulk(Executor& executor, const BulkEvent& event) override;
    void lanes_meet(Executor& executor, std::uint32_t lanes) override;
    void object_arrives(Executor& executor, Address object, std::uint32_t lanes) override;
    void object_completes(Executor& executor, Address object) override;
    void object_passes(Executor& executor, Address object, std::uint32_t lanes) override;
    void cluster_arrives(Executor& executor, const Instruction& instruction) override;
    void cluster_completes(Executor& executor) override;
    void cluster_passes(Executor& executor, const Block& block, const Warp& warp,
                        std::uint32_t lanes) override;
    bool round_begins(Executor& executor) override;
    bool round_repeats(Executor& executor) override;
    bool follows(Executor& executor) override;
    void before(Executor& executor, const Instruction& instruction, std::uint32_t mask) override;
    void shuffles_from_outside(Executor& executor, const Instruction& instruction,
                               std::uint32_t lanes) override;

private:
    using Touch = precise::Touch;
    using Cell = precise::Cell;
    using GenericStore = precise::GenericStore;
    static constexpr std::uint8_t several = precise::several;
    using Cells = std::vector<Cell>;

    void local(Executor& executor, const AccessEvent& event);
    // bulk_checks.cpp
    // One cell of a bulk copy, as an access by the thread that started it.
    struct BulkCell;
    template <class Use>
    void for_bulk_cells(Executor& executor, const BulkCopy& copy, const BulkPiece& piece,
                        ptx::Space space, Address begin, trace::Op op, const Use& use);
    void start_reading(Executor& executor, const BulkCopy& copy, const BulkPiece& piece);
    void start_writing(Executor& executor, const BulkCopy& copy, const BulkPiece& piece);
    void read_by_copy(Executor& executor, const BulkCopy& copy, const BulkPiece& piece);
    void written_by_copy(Executor& executor, const BulkCopy& copy, const BulkPiece& piece,
                         std::uint32_t tick);
    void write_global(Executor& executor, const BulkCopy& copy, const BulkPiece& piece);
    void fill(Executor& executor, const BulkCopy& copy, const BulkPiece& piece);
    void compare_bulk(Executor& executor, const BulkCell& cell);
    void check_pending(Executor& executor, const AccessEvent& event) const;
    void check_pending(Executor& executor, const BulkCopy& copy, std::uint64_t begin,
                       std::uint64_t bytes, bool writes) const;
    void check_proxy(Executor& executor, const BulkCopy& copy, const Cell& cell, std::uint64_t base,
                     std::uint64_t bits) const;
    static void note_generic(Cell& cell, const Touch& store);
    static void add_read(Cell& cell, const Touch& read);
    [[noreturn]] void report_after_copy(Executor& executor, const AccessEvent& event,
                                        const Touch& theirs, std::uint64_t common,
                                        std::uint64_t base) const;

    void touch(Executor& executor, const AccessEvent& event, Touch& mine, std::uint64_t index,
               Cell& cell, const Allocation* allocation);
    // False if both are reads, or if both are marked as concurrent (strong or fenced).
    bool may_conflict(const Touch& mine, const Touch& theirs) const;
    // True if the scope of one of the two strong accesses excludes the other's block.
    bool scopes_exclude(const Touch& mine, const Touch& theirs) const;
    // Reports an access to a block that may not have started yet.
    void check_started(Executor& executor, const AccessEvent& event) const;
    // Reports an access by another block that may come after the end of this one.
    void check_last_accesses(Executor& executor) const;
    bool conflicts(Executor& executor, const AccessEvent& event, const Touch& mine,
                   const Touch& theirs, std::uint64_t common, std::uint64_t base) const;
    // Same, for two lanes of one warp.
    bool lanes_conflict(Executor& executor, const AccessEvent& event, const Touch& mine,
                        const Touch& theirs, std::uint64_t common, std::uint64_t base) const;
    // True if two lanes of one warp touch the same bytes without having met in between, at least
    // one of them storing a different value.
    bool lanes_unordered(Executor& executor, const AccessEvent& event, const Touch& mine,
                         const Touch& theirs, std::uint64_t common, std::uint64_t base) const;
    // Reports lanes of one store that write different values to one address.
    void compare_lanes(Executor& executor, const AccessEvent& event) const;
    // A plain read that races with an atomic update is doubtful until the reading lanes also update
    // that location, which rereads it: a compare-and-swap loop, or a test before atomicMin.
    struct Doubt {
        std::uint64_t block = 0;
        int warp = 0;
        const Instruction* read = nullptr;
        std::pair<const Allocation*, std::uint64_t> cell;
        std::uint64_t bits = 0;
        std::uint32_t lanes = 0; // lanes that have read the location
        bool tolerated = false;  // only a warning: the update chooses one of the values
        trace::Fault fault;
    };
    void doubt(Executor& executor, const AccessEvent& event, const Touch& mine, const Touch& theirs,
               std::uint64_t common, std::uint64_t base, const Allocation* allocation);
    // True for compare-and-swap, minimum and maximum, with which searches decide which thread wins.
    static bool chooses_value(const Touch& update);
    void settle(const Touch& update, const Allocation* allocation, std::uint64_t base);
    bool same_value(Executor& executor, const AccessEvent& event, std::uint64_t common,
                    std::uint64_t base) const;
    // Candidate for the marking store of a level-synchronous search: the warp has read each
    // location before it stores there, and all executions store the same value. A block that reads
    // such a location may see it marked or not.
    struct Search {
        bool fits = true;                 // true while all its accesses match the pattern
        std::vector<std::byte> value;     // the value stored
        std::optional<trace::Fault> race; // the first race that is excused if this is a search
    };
    void note_read(Cell& cell, const Touch& read) const;
    void note_store(Executor& executor, const AccessEvent& event);
    bool fits_search(Executor& executor, const AccessEvent& event, Search& search);
    bool belongs_to_search(Executor& executor, const AccessEvent& event, const Touch& mine,
                           const Touch& theirs, std::uint64_t common, std::uint64_t base);
    void order_by_flags(Executor& executor, const AccessEvent& event);
    // Same between lanes of one warp that have fenced apart from each other.
    void order_lanes_by_flags(Executor& executor, const AccessEvent& event);
    void lanes_fence(Executor& executor, std::uint32_t lanes);
    // Adds a fault that the launch survives, once per kind and source line.
    void note(trace::Fault fault, std::string_view kind);
    // Notes that lanes of a warp exchange values through volatile
    // shared memory without synchronising.
    void note_volatile(Executor& executor, const AccessEvent& event, const Touch& mine,
                       const Touch& theirs, std::uint64_t common, std::uint64_t base);
    // Notes a load through the read-only cache of data that the launch has written.
    void note_read_only(Executor& executor, const AccessEvent& event, const Touch& mine,
                        const Touch& theirs, std::uint64_t common, std::uint64_t base);
    [[noreturn]] void report_copy(Executor& executor, const AccessEvent& event,
                                  const PendingCopy& pending) const;
    // product_checks.cpp
    // The four warps of a group execute a wgmma together, and a wait of any one of them is for all
    // its reads: they belong to the group's reader, which counts ticks like a warp.
    static int reader_of(const Block& block, int warp);
    void product_ends(Executor& executor);
    // Reports a store to shared memory that a pending wgmma reads.
    void check_pending_products(Executor& executor, const AccessEvent& event) const;
    // Reports an operand that a thread has stored without a proxy fence after it.
    void check_proxy_of_operand(Executor& executor, const AccessEvent& event);
    [[noreturn]] void report_race(Executor& executor, const AccessEvent& event, const Touch& mine,
                                  const Touch& theirs, std::uint64_t common,
                                  std::uint64_t base) const;
    trace::Fault race(Executor& executor, const AccessEvent& event, const Touch& mine,
                      const Touch& theirs, std::uint64_t common, std::uint64_t base);

    // A load of one address that a waiting warp repeats. Until some other access happens, repeating
    // it yields no new information.
    struct Waiting {
        const Instruction* instruction = nullptr; // null: no warp is waiting
        std::uint64_t block = 0, address = 0;
        int warp = 0;
        std::uint32_t mask = 0, tick = 0, meetings = 0;
        std::uint64_t owner = 0; // block whose shared memory it reads
        bool operator==(const Waiting&) const = default;
    };
    bool waits(const Executor& executor, const AccessEvent& event);

    // The barrier of a running cluster.
    struct ClusterPhase {
        SharedKnowledge arriving, complete; // released in this phase, and in the one before
        SharedKnowledge ended;              // by blocks that have ended
        std::uint64_t completed = 0;        // number of complete phases
        std::uint64_t blocks_ended = 0;
    };
    ClusterPhase& phase_of(const Block& block);
    // True if the scope of a fence or release is no wider than the block.
    bool has_block_scope(const ptx::Instruction& source) const;
    void leave_cluster(const Block& block);

    const LaunchState& launch_;
    bool uninitialised_;
    bool races_;
    bool survives_;
    Waiting waiting_;
    bool learnt_ = false; // an access since the round began has changed the recorded state
    std::map<const Instruction*, Search> searches_;
    HappensBefore order_;
    // Lanes that have arrived at an mbarrier, indexed by warp. Keyed by block and address.
    struct Arrivals {
        std::vector<std::uint32_t> now, previous; // in the current phase, and in the one before
        std::uint32_t copied = 0;                 // number of bulk copies that have completed on it
        std::uint32_t copied_before = 0;          // same, when the last complete phase ended
    };
    static int copier_of(const Block& block, Address object);
    std::map<std::pair<std::uint64_t, Address>, Arrivals> arrivals_;
    // Steps of a warp's group at which it has started products that it has not waited for. Keyed by
    // block and warp.
    std::map<std::pair<std::uint64_t, int>, std::deque<std::uint32_t>> products_;
    std::uint32_t product_read_ = 0; // step of the product whose operands are read; 0: none
    std::vector<Doubt> doubts_;
    std::vector<trace::Fault> notes_;
    std::set<std::pair<const Instruction*, std::string_view>> noted_; // by instruction and kind
    std::set<const Instruction*> updated_later_; // reads whose warp then updates the same location
    UndefinedValues undefined_;
    // keyed by linear index of a running cluster
    std::map<std::uint64_t, ClusterPhase> clusters_;
    // keyed by linear index of a running block
    std::map<std::uint64_t, Cells> shared_;
    // keyed by linear index of a running block
    std::map<std::uint64_t, LocalBytes> local_;
    // keyed by allocation number
    std::unordered_map<int, std::unordered_map<std::uint64_t, Cell>> global_;
    // Keyed by block (shared memory only) and address.
    std::map<std::pair<std::uint64_t, std::uint64_t>, Released> flags_;
    // Released by single lanes of a warp. Keyed by the same, block and warp.
    std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, int>, LaneTimes> lane_flags_;
};

} // namespace lanescope::simt
