// The fast checks: blocks run on all cores as if they were independent, and any evidence of a
// dependence makes the speculation fail. If it succeeds, the results are valid for any order of the
// blocks; if it fails, the launch is undone and run again in order under the precise checks.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compute/simt/checks/fast/cell_lanes.h"
#include "compute/simt/checks/fast/known_rounds.h"
#include "compute/simt/checks/fast/predicted_uses.h"
#include "compute/simt/checks/fast/undo.h"
#include "compute/simt/checks/fast/word_owners.h"
#include "compute/simt/checks/shadow/by_allocation.h"
#include "compute/simt/checks/shadow/cells.h"
#include "compute/simt/checks/shadow/local_bytes.h"
#include "compute/simt/checks/shadow/undefined_values.h"

namespace lanescope::simt {

// Thrown by the fast checks; caught by the launch.
class SpeculationFailed : public std::exception {
public:
    const char* what() const noexcept override { return "The fast checks found something."; }
};

// Only the predicted use of a buffer was wrong: the fast checks may
// still succeed without predictions.
class PredictionFailed : public SpeculationFailed {};

// Per-warp accesses of the running block to cells of global memory. A hash table that is cleared in
// O(1) when the next block begins; its entries are stored in order of creation, reusing the
// previous block's memory.
class WarpCells {
public:
    struct alignas(32) Entry {
        std::uint64_t key = 0;
        std::uint64_t round = 0; // barrier round of the bits
        std::uint64_t read = 0, wrote = 0, updated = 0;
        CellLanes lanes{};
    };

    // For blocks of `warps` warps.
    explicit WarpCells(std::size_t warps);
    void block_begins(std::uint64_t serial);
    // Returns the running block's entry, created on first use. Valid until the block ends. Throws
    // SpeculationFailed if there are too many entries.
    Entry& at(std::uint64_t key)
    {
        const std::size_t found = slot(key);
        const std::uint64_t where = slots_[found].where;
        return where >> entry_bits == block_ ? entry(where & max_entries) : make(key, found);
    }
    // Null if there is none.
    Entry* find(std::uint64_t key)
    {
        const Slot& found = slots_[slot(key)];
        return is_taken(found) ? &entry(found.where & max_entries) : nullptr;
    }
    // Prefetches the slot of an entry that is about to be used.
    void expect(std::uint64_t key) const { __builtin_prefetch(&slots_[place(key)]); }

private:
    static constexpr int entry_bits = 20;
    static constexpr std::uint64_t max_entries = (std::uint64_t{1} << entry_bits) - 1;
    static constexpr std::size_t chunk_entries = 256;
    struct Slot {
        std::uint64_t key = 0;
        std::uint64_t where = 0; // block's serial number, with the entry's index in the low bits
    };
    using Chunk = std::unique_ptr<Entry[], FreedMemory>; // pages become resident on first touch

    bool is_taken(const Slot& slot) const { return slot.where >> entry_bits == block_; }
    std::size_t place(std::uint64_t key) const
    {
        return (key * 0x9E3779B97F4A7C15U >> 32) & (slots_.size() - 1);
    }
    std::size_t slot(std::uint64_t key) const
    {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = place(key);
        while (is_taken(slots_[at]) && slots_[at].key != key) at = (at + 1) & mask;
        return at;
    }
    Entry& entry(std::uint64_t number) const
    {
        return chunks_[number / chunk_entries][number % chunk_entries];
    }
    // Creates the entry in this slot, growing the tables if needed.
    Entry& make(std::uint64_t key, std::size_t where)
    {
        if (used_ >= room_) where = make_room(key);
        slots_[where] = {key, block_ << entry_bits | used_};
        return *new (&entry(used_++)) Entry{.key = key};
    }
    // Grows the tables. Returns the key's new slot.
    std::size_t make_room(std::uint64_t key);

    std::uint64_t block_ = 0;
    std::size_t used_ = 0; // entries of this block
    std::size_t room_ = 0; // capacity
    std::vector<Slot> slots_;
    std::vector<Chunk> chunks_;
};

// The fast checks of one core.
class OptimisticChecks : public Observer {
public:
    OptimisticChecks(const LaunchState& launch, Undo& undo, const PredictedUses& predicted);

    void block_begins(Executor& executor) override;
    void block_ends(Executor& executor) override;
    void access(Executor& executor, const AccessEvent& event) override;
    void loads(Executor& executor, const BatchEvent& event) override;
    void barrier_opens(Executor& executor, const Barrier& barrier) override;
    void lanes_meet(Executor& executor, std::uint32_t lanes) override;
    // Follows undefined registers in launches that may read them.
    bool follows(Executor& executor) override;
    void before(Executor& executor, const Instruction& instruction, std::uint32_t mask) override;
    void shuffles_from_outside(Executor& executor, const Instruction& instruction,
                               std::uint32_t lanes) override;
    // For accesses through one Executor::hits entry, `cache`, to the buffer that it holds:
    // loads_freely() returns true if loads need no checks.
    bool loads_freely(std::uint32_t cache, const Allocation& allocation)
    {
        const GlobalShadow& shadow = recent_shadow(cache, allocation);
        return shadow.use == BufferUse::read && shadow.is_whole;
    }
    // Checks a store to contiguous bytes. Returns false if access() must check it.
    bool stores_row(std::uint32_t cache, const Allocation& allocation, Address begin,
                    std::uint64_t bytes);
    KnownRounds& known_rounds() { return known_; }

private:
    friend class Agreement;
    // One cell of shared memory. The bits describe accesses since the last barrier of the whole
    // block; cells of earlier rounds and blocks count as empty, so nothing is ever cleared.
    struct alignas(64) SharedCell {
        std::uint64_t block = 0; // block that `written` belongs to
        std::uint64_t written = 0;
        std::uint64_t round = 0; // round that the remaining fields belong to
        std::uint64_t read = 0, wrote = 0, updated = 0;
        // Bytes read by at least two warps. Repeated reads change nothing: no warp has written
        // these bytes in this round, and a later write makes the speculation fail.
        std::uint64_t read_by_several = 0;
        std::int32_t owner = 0; // the only warp that touched the cell; -1: several, see by_warp_
    };
    struct WarpBits {
        std::uint64_t round = 0; // round that the remaining fields belong to
        std::uint64_t read = 0, wrote = 0, updated = 0;
    };
    // One cell of global memory: accesses of the running block, and of earlier blocks on this core.
    struct GlobalCell {
        std::uint64_t block = 0; // block number + 1; 0: never touched
        std::uint64_t read, wrote, updated;
        std::uint64_t old_read, old_written, old_updated;
        std::uint32_t round; // low half of round_; `owner` is valid for this round
        std::int32_t owner;  // the only warp that touched it in this round; -1: several
    };
    enum class Touched : std::uint8_t { never, read, written };
    struct GlobalShadow {
        const Allocation* allocation = nullptr;
        int number = 0; // index of this shadow
        // Cleared page by page on first touch: reading fresh zero pages first would cause an extra
        // page fault on every core.
        std::unique_ptr<GlobalCell[], FreedMemory> cells;
        // Per cell, the bytes that earlier blocks have read and none has written. Repeated reads
        // change nothing, since any later write makes the speculation fail. In most kernels most
        // reads need no other state; this takes an eighth of the memory of `cells`.
        std::unique_ptr<std::uint64_t[], FreedMemory> read_only_cells;
        std::vector<Touched> touched; // per page; a page is also saved for undo when it is written
        Undo::SavedPages* kept = nullptr;
        // Buffers with a predicted use have these instead of `cells` and `read_only_cells`.
        BufferUse use = BufferUse::any;
        bool is_whole = false;                               // PredictedUses::Buffer
        std::unique_ptr<std::uint64_t[], FreedMemory> wrote; // written_once: bytes, per cell
        std::optional<WordOwners> owners;                    // owned

        void about_to_write(std::uint64_t page)
        {
            if (touched[page] == Touched::written) return;
            Undo::keep(*kept, page);
            touched[page] = Touched::written;
        }
    };

    bool changes_nothing(const SharedCell& cell, std::uint64_t read) const
    {
        return cell.round == round_ && (read & ~cell.read_by_several) == 0;
    }
    void shared(Executor& executor, const AccessEvent& event);
    void shared(Executor& executor, const BatchEvent& event);
    // Checks accesses that seemed to be those of a known round.
    void settle(Executor& executor);
    void check(Executor& executor, const KnownRounds::Event& event, bool lanes_met_since);
    void mark_written(Executor& executor, const KnownRounds::Event& event);
    // If `layout` is null, conflicts between lanes of the warp are not checked.
    bool shared_cell(std::uint64_t index, std::uint64_t bits, trace::Op op,
                     const LaneLayout* layout)
    {
        if (op == trace::Op::load && changes_nothing(shared_[index], bits)) return true;
        return note_shared(index, bits, op) &&
               (layout == nullptr ||
                !lanes_.clash(shared_lanes(index), meeting(), {*layout, index, bits}, op));
    }
    bool note_shared(std::uint64_t index, std::uint64_t bits, trace::Op op);
    WarpBits& bits_of(std::uint64_t index, std::int32_t warp);
    bool touched_by_others(std::uint64_t index, std::uint64_t bits, trace::Op op) const;
    void local(const AccessEvent& event);
    void global(Executor& executor, const AccessEvent& event);
    bool global_cell(GlobalShadow& shadow, std::uint64_t index, std::uint64_t bits, trace::Op op,
                     const LaneLayout* layout)
    {
        return (op == trace::Op::load && (bits & ~shadow.read_only_cells[index]) == 0) ||
               (note_global(shadow, index, bits, op) &&
                (layout == nullptr || !lanes_.clash(global_lanes(shadow.number, index), meeting(),
                                                    {*layout, index, bits}, op)));
    }
    bool note_global(GlobalShadow& shadow, std::uint64_t index, std::uint64_t bits, trace::Op op);
    GlobalShadow& shadow_of(const Allocation& allocation);
    GlobalShadow& recent_shadow(std::uint32_t cache, const Allocation& allocation)
    {
        Recent& recent = recent_[cache];
        if (recent.begin != allocation.begin) recent = {allocation.begin, &shadow_of(allocation)};
        return *recent.shadow;
    }
    // Check accesses to a buffer with a predicted use.
    void predicted(Executor& executor, const AccessEvent& event, GlobalShadow& shadow);
    void predicted(Executor& executor, const BatchEvent& event, GlobalShadow& shadow);
    static bool write_once(GlobalShadow& shadow, std::uint64_t index, std::uint64_t bits);
    // Lanes of an access to an owned buffer; addresses minus `origin` are offsets in it.
    struct OwnedLanes {
        const std::uint64_t* lane;
        std::uint64_t origin;
        std::uint32_t mask;
        std::uint64_t width_bytes;
        bool contiguous;
        bool together; // all at one location
    };
    bool own(GlobalShadow& shadow, const OwnedLanes& lanes, bool writes);
    bool is_initialised(const GlobalShadow& shadow, std::uint64_t index, std::uint64_t bits) const;
    bool warps_clash(GlobalShadow& shadow, std::uint64_t index, std::uint64_t bits, trace::Op op);
    std::uint64_t key_of(int shadow, std::uint64_t index, std::int32_t warp) const
    {
        return static_cast<std::uint64_t>(shadow + 1) << 48 | index << 6 |
               static_cast<std::uint64_t>(warp);
    }
    std::uint64_t meeting() const { return meetings_[static_cast<std::size_t>(warp_)]; }
    CellLanes& shared_lanes(std::uint64_t index)
    {
        return shared_lanes_[index * warps_ + static_cast<std::size_t>(warp_)];
    }
    CellLanes& global_lanes(int shadow, std::uint64_t index)
    {
        const std::uint64_t key = key_of(shadow, index, warp_);
        if (entry_ == nullptr || entry_->key != key) entry_ = &cells_.at(key);
        return entry_->lanes;
    }
    // Lanes of a cell in the shadow's allocation or, if `shadow` is null, in shared memory.
    CellLanes& lanes_of(const GlobalShadow* shadow, std::uint64_t index)
    {
        return shadow == nullptr ? shared_lanes(index) : global_lanes(shadow->number, index);
    }
    bool changes_nothing(const GlobalShadow* shadow, std::uint64_t index, std::uint64_t read) const
    {
        return shadow == nullptr ? changes_nothing(shared_[index], read)
                                 : (read & ~shadow->read_only_cells[index]) == 0;
    }
    // Prefetches the cells of a scattered access.
    void prefetch_cells(const AccessEvent& event, const GlobalShadow& shadow) const;
    // Checks an access whose lanes are not contiguous. Addresses minus `origin` are offsets in the
    // shadow's allocation or in shared memory. Returns false if the speculation fails.
    bool check_scattered(Executor& executor, const AccessEvent& event, GlobalShadow* shadow,
                         std::uint64_t origin);
    // Checks cell by cell: the access itself, and conflicts between its lanes. `noted`: the access
    // itself has already been checked.
    template <std::size_t Unit>
    bool check_per_lane(const AccessEvent& event, GlobalShadow* shadow, std::uint64_t origin,
                        bool noted);
    // Returns true if the running warp has already made the same access to these bytes since the
    // last barrier. Repeating it changes only the order of the warp's lanes: conflicts with other
    // warps were, or will be, found through the first access.
    bool is_known(const GlobalShadow* shadow, std::uint64_t index, std::uint64_t bits,
                  trace::Op op);
    bool note(GlobalShadow* shadow, std::uint64_t index, std::uint64_t bits, trace::Op op)
    {
        return shadow == nullptr ? note_shared(index, bits, op)
                                 : note_global(*shadow, index, bits, op);
    }
    // Load batches at locations that no lane of the warp has written to since the last meeting. The
    // reading lanes matter only if one of them later writes to such a location, which is rare, so
    // they are recorded lazily.
    struct NotedBatch {
        BatchLanes lanes;
        const std::vector<std::int64_t>* offsets;
        // added to the addresses in `lanes`: gives offsets in the allocation or shared memory
        std::uint64_t shift;
        std::uint64_t low, high; // bounds of the bytes it reads
        GlobalShadow* shadow;    // null in shared memory
    };
    struct NotedBatches {
        std::uint64_t meeting = 0; // the last meeting before the batches were noted
        std::vector<NotedBatch> batches;
    };
    static constexpr std::size_t max_noted = 32;
    void note_batch(const BatchEvent& event, GlobalShadow* shadow, std::uint64_t origin,
                    bool immediately);
    // Checks the noted batches that read any of these bytes. `shadow` is null for shared memory.
    void recall(const GlobalShadow* shadow, std::uint64_t low, std::uint64_t high);
    bool lanes_clash(const NotedBatch& batch);
    void meet(std::size_t warp) { meetings_[warp] = ++meeting_serial_; }
    void meet_within_round(Executor& executor, std::size_t warp);

    bool uninitialised_;
    bool races_;
    bool survives_; // Options::survives_doubtful_results
    Undo& undo_;
    const PredictedUses& predicted_;
    UndefinedValues undefined_{false};
    std::size_t warps_;
    std::uint64_t round_ = 0;
    std::uint64_t block_serial_ = 0;
    std::uint64_t block_ = 0; // number + 1 of the running block
    std::uint32_t threads_per_block_;
    std::int32_t warp_ = 0;
    bool reads_only_ = false; // the running access is a load through the read-only cache
    std::vector<SharedCell> shared_;
    std::vector<WarpBits> by_warp_; // indexed by cell, then warp
    LocalBytes local_;
    std::vector<CellLanes> shared_lanes_; // same index; never cleared: meeting numbers are unique
    LaneChecks lanes_;
    KnownRounds known_;
    WarpCells cells_;
    std::vector<std::uint64_t> meetings_; // per warp: number of the last meeting of all lanes
    std::uint64_t meeting_serial_ = 0;
    std::vector<NotedBatches> batches_; // per warp
    bool noted_ = false;                // the current access has changed the recorded state
    WarpCells::Entry* entry_ = nullptr; // entry of the running warp's last global cell
    ByAllocation<GlobalShadow> shadows_;
    struct Recent {
        Address begin = 0; // of the allocation; never reused
        GlobalShadow* shadow = nullptr;
    };
    std::vector<Recent> recent_; // indexed like Executor::hits
};

// Compares the accesses of all cores, page by page, after all blocks have ended.
class Agreement {
public:
    explicit Agreement(std::span<const OptimisticChecks* const> cores);
    // Number of pages written by any core.
    std::size_t pages() const { return pages_.size(); }
    // Returns true if a byte written by one core was touched by another.
    bool clash(std::size_t page) const;
    // Marks the bytes written there as initialised.
    void commit(Memory& memory, std::size_t page) const;

private:
    using Shadow = OptimisticChecks::GlobalShadow;
    // Bytes of a cell by what the blocks of one core did to them.
    struct Bits {
        std::uint64_t read = 0, wrote = 0, updated = 0;
    };
    static Bits bits_of(const Shadow& shadow, std::size_t cell);
    struct Page {
        const std::vector<const Shadow*>* shadows; // one per core
        std::size_t index;
    };
    std::unordered_map<Address, std::vector<const Shadow*>> shadows_; // keyed by allocation
    std::vector<Page> pages_;
};

} // namespace lanescope::simt
