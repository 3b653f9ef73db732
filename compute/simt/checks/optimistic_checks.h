// The fast checks: blocks run on all cores as if they did not see each other's work, and whatever
// speaks against it makes the speculation fail. Without one the results are those of any order of
// the blocks; with one the launch is undone and run again in order under the precise checks.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compute/simt/checks/by_allocation.h"
#include "compute/simt/checks/cell_lanes.h"
#include "compute/simt/checks/cells.h"
#include "compute/simt/checks/local_bytes.h"
#include "compute/simt/checks/undefined_values.h"
#include "compute/simt/checks/undo.h"

namespace lanescope::simt {

// Thrown by the fast checks; the launch catches it.
class SpeculationFailed : public std::exception {
public:
    const char* what() const noexcept override { return "The fast checks found something."; }
};

// What each warp of the running block did to cells of global memory. A hash table that forgets
// everything when the next block begins; what it leads to lies in the order in which it was made,
// and where that of the block before was.
class WarpCells {
public:
    struct alignas(32) Entry {
        std::uint64_t key = 0;
        std::uint64_t round = 0; // of the bits
        std::uint64_t read = 0, wrote = 0, updated = 0;
        CellLanes lanes{};
    };

    // Of blocks with so many warps.
    explicit WarpCells(std::size_t warps);
    void block_begins(std::uint64_t serial);
    // Of the running block; made where there is none. Stays where it is until the block ends.
    // Throws SpeculationFailed when there are too many.
    Entry& at(std::uint64_t key)
    {
        const std::size_t found = slot(key);
        const std::uint64_t where = slots_[found].where;
        return where >> entry_bits == block_ ? entry(where & max_entries) : make(key, found);
    }
    // Null where there is none.
    Entry* find(std::uint64_t key)
    {
        const Slot& found = slots_[slot(key)];
        return is_taken(found) ? &entry(found.where & max_entries) : nullptr;
    }
    // Its entry is about to be asked for.
    void expect(std::uint64_t key) const { __builtin_prefetch(&slots_[place(key)]); }

private:
    static constexpr int entry_bits = 20;
    static constexpr std::uint64_t max_entries = (std::uint64_t{1} << entry_bits) - 1;
    static constexpr std::size_t chunk_entries = 256;
    struct Slot {
        std::uint64_t key = 0;
        std::uint64_t where = 0; // the block's serial number, and behind it which entry
    };
    using Chunk = std::unique_ptr<Entry[], FreedMemory>; // real only where it is used

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
    // In this slot, unless there have to be more of them.
    Entry& make(std::uint64_t key, std::size_t where)
    {
        if (used_ >= room_) where = make_room(key);
        slots_[where] = {key, block_ << entry_bits | used_};
        return *new (&entry(used_++)) Entry{.key = key};
    }
    // The key's slot then.
    std::size_t make_room(std::uint64_t key);

    std::uint64_t block_ = 0;
    std::size_t used_ = 0; // by this block
    std::size_t room_ = 0; // for so many
    std::vector<Slot> slots_;
    std::vector<Chunk> chunks_;
};

// One core's view of the launch.
class OptimisticChecks : public Observer {
public:
    OptimisticChecks(const LaunchState& launch, Undo& undo);

    void block_begins(Executor& executor) override;
    void block_ends(Executor& executor) override;
    void access(Executor& executor, const AccessEvent& event) override;
    void loads(Executor& executor, const BatchEvent& event) override;
    void barrier_opens(Executor& executor, const Barrier& barrier) override;
    void lanes_meet(Executor& executor, std::uint32_t lanes) override;
    // Registers that nothing may have set; for launches that have some.
    bool follows(Executor& executor) override;
    void before(Executor& executor, const Instruction& instruction, std::uint32_t mask) override;

private:
    friend class Agreement;
    // Of shared memory. The bits of a round are those since the last barrier of the whole block;
    // cells of earlier rounds and blocks count as empty, so nothing is ever cleared.
    struct alignas(64) SharedCell {
        std::uint64_t block = 0; // of `written`
        std::uint64_t written = 0;
        std::uint64_t round = 0; // of the rest
        std::uint64_t read = 0, wrote = 0, updated = 0;
        // Read by two warps at least: reading them again changes nothing, as nobody has written
        // them in this round and whoever does makes the speculation fail.
        std::uint64_t read_by_several = 0;
        std::int32_t owner = 0; // the only warp that touched it; -1: several, see by_warp_
    };
    struct WarpBits {
        std::uint64_t round = 0; // of the rest
        std::uint64_t read = 0, wrote = 0, updated = 0;
    };
    // Of global memory: what the running block did, and what earlier blocks of this core did.
    struct GlobalCell {
        std::uint64_t block = 0; // its number + 1; 0: nobody was here
        std::uint64_t read, wrote, updated;
        std::uint64_t old_read, old_wrote, old_updated;
        std::uint32_t round; // the lower half of round_, in which `owner` is
        std::int32_t owner;  // the only warp of the block that was here in this round; -1: several
    };
    enum class Touched : std::uint8_t { never, read, written };
    struct GlobalShadow {
        const Allocation* allocation = nullptr;
        int number = 0; // among these
        // Cleared page by page at the first touch: memory that is read before it is written has
        // to be interrupted for on all cores.
        std::unique_ptr<GlobalCell[], FreedMemory> cells;
        // By cell, the bytes that earlier blocks have read and nobody has written: reading them
        // again changes nothing, as whoever writes them from now on makes it fail. Most reads of
        // most kernels end here, in an eighth of the memory that the cells take.
        std::unique_ptr<std::uint64_t[], FreedMemory> only_read;
        std::vector<Touched> touched; // by page; once written it is kept for an undo, too
        Undo::Kept* kept = nullptr;
    };

    bool changes_nothing(const SharedCell& cell, std::uint64_t read) const
    {
        return cell.round == round_ && (read & ~cell.read_by_several) == 0;
    }
    // Without a layout, lanes are left to lanes_clash().
    void shared(Executor& executor, const AccessEvent& event);
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
        return (op == trace::Op::load && (bits & ~shadow.only_read[index]) == 0) ||
               (note_global(shadow, index, bits, op) &&
                (layout == nullptr || !lanes_.clash(global_lanes(shadow.number, index), meeting(),
                                                    {*layout, index, bits}, op)));
    }
    bool note_global(GlobalShadow& shadow, std::uint64_t index, std::uint64_t bits, trace::Op op);
    GlobalShadow& shadow_of(const Allocation& allocation);
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
    // Of the allocation with this shadow; null: of shared memory.
    CellLanes& lanes_of(const GlobalShadow* shadow, std::uint64_t index)
    {
        return shadow == nullptr ? shared_lanes(index) : global_lanes(shadow->number, index);
    }
    bool changes_nothing(const GlobalShadow* shadow, std::uint64_t index, std::uint64_t read) const
    {
        return shadow == nullptr ? changes_nothing(shared_[index], read)
                                 : (read & ~shadow->only_read[index]) == 0;
    }
    // The cells of an access whose lanes are apart, which are about to be looked at.
    void expect_cells(const AccessEvent& event, const GlobalShadow& shadow) const;
    // Of an access whose lanes are not side by side. The addresses less `origin` lie in the
    // allocation with that shadow, or in shared memory. False when it makes the speculation fail.
    bool apart(Executor& executor, const AccessEvent& event, GlobalShadow* shadow,
               std::uint64_t origin);
    // Cell by cell: what it does there, and what its lanes did to each other's. `noted`: the former
    // has been looked at.
    template <std::size_t Unit>
    bool by_lanes(const AccessEvent& event, GlobalShadow* shadow, std::uint64_t origin, bool noted);
    // Whether the running warp has done the same to these bytes since the last barrier, so that
    // doing it again changes nothing but the order of its lanes: whoever would be in its way has
    // been, or will find it there.
    bool is_known(const GlobalShadow* shadow, std::uint64_t index, std::uint64_t bits,
                  trace::Op op);
    bool note(GlobalShadow* shadow, std::uint64_t index, std::uint64_t bits, trace::Op op)
    {
        return shadow == nullptr ? note_shared(index, bits, op)
                                 : note_global(*shadow, index, bits, op);
    }
    // Batches of loads of places that no lane of the warp has written to since they last met: who
    // has read what matters once one of them writes there, and most never do.
    struct NotedBatch {
        BatchLanes lanes;
        const std::vector<std::int64_t>* offsets;
        std::uint64_t shift;     // of `lanes`, to bytes of the allocation or of shared memory
        std::uint64_t low, high; // bytes that it reads, or between them
        GlobalShadow* shadow;    // null in shared memory
    };
    struct NotedBatches {
        std::uint64_t meeting = 0; // that they are since
        std::vector<NotedBatch> batches;
    };
    static constexpr std::size_t max_noted = 32;
    void note_batch(const BatchEvent& event, GlobalShadow* shadow, std::uint64_t origin,
                    bool at_once);
    // Looks at the noted batches that read any of these bytes. `shadow` null: of shared memory.
    void recall(const GlobalShadow* shadow, std::uint64_t low, std::uint64_t high);
    bool lanes_clash(const NotedBatch& batch);
    void meet(std::size_t warp) { meetings_[warp] = ++meeting_serial_; }

    bool uninitialised_;
    bool races_;
    Undo& undo_;
    UndefinedValues undefined_{false};
    std::size_t warps_;
    std::uint64_t round_ = 0;
    std::uint64_t block_serial_ = 0;
    std::uint64_t block_ = 0; // the running one's number + 1
    std::int32_t warp_ = 0;
    std::vector<SharedCell> shared_;
    std::vector<WarpBits> by_warp_; // cell after cell
    LocalBytes local_;
    std::vector<CellLanes> shared_lanes_; // the same; meetings never repeat: nothing is cleared
    LaneChecks lanes_;
    WarpCells cells_;
    std::vector<std::uint64_t> meetings_; // by warp: the last one of all its lanes, as a serial
    std::uint64_t meeting_serial_ = 0;
    std::vector<NotedBatches> batches_; // by warp
    bool noted_ = false;                // the access was not among those that change nothing
    WarpCells::Entry* entry_ = nullptr; // of the running warp's last cell in global memory, if any
    ByAllocation<GlobalShadow> shadows_;
};

// What all cores did, page by page, when all blocks have ended.
class Agreement {
public:
    explicit Agreement(std::span<const OptimisticChecks* const> cores);
    // That any core has written to.
    std::size_t pages() const { return pages_.size(); }
    // Whether a byte of it that one core has written was touched by another.
    bool clash(std::size_t page) const;
    // What was written there counts as initialised from now on.
    void commit(Memory& memory, std::size_t page) const;

private:
    using Shadow = OptimisticChecks::GlobalShadow;
    struct Page {
        const std::vector<const Shadow*>* shadows; // of all cores
        std::size_t index;
    };
    std::unordered_map<Address, std::vector<const Shadow*>> shadows_; // by allocation
    std::vector<Page> pages_;
};

} // namespace lanescope::simt
