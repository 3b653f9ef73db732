// This code runs on every access: a few loads, ANDs and ORs per 64-byte cell, and no searching.
#include "compute/simt/checks/fast/optimistic_checks.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

#include "compute/process/memory.h"
#include "compute/simt/checks/shadow/pending_copies.h"
#include "compute/simt/checks/shadow/stored_values.h"
#include "compute/simt/operations/handlers.h"

namespace lanescope::simt {

namespace {

constexpr std::uint64_t no_cell = ~std::uint64_t{0};
constexpr std::size_t first_slots = 32; // initial number of slots per warp

// Rounds with pending copies are not compared.
bool has_async_copies(const Program& program)
{
    const Handlers copy = async_copy_handlers();
    return std::ranges::any_of(program.functions, [&](const Function& function) {
        return std::ranges::any_of(function.code,
                                   [&](const Instruction& in) { return in.handler == copy.of; });
    });
}

} // namespace

WarpCells::WarpCells(std::size_t warps) : slots_(std::bit_ceil(first_slots * warps)) {}

void WarpCells::block_begins(std::uint64_t serial)
{
    block_ = serial;
    used_ = 0;
}

std::size_t WarpCells::make_room(std::uint64_t key)
{
    if (used_ > max_entries) throw SpeculationFailed();
    if (used_ >= slots_.size() / 2) {
        const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(4 * slots_.size()));
        for (const Slot& each : old)
            if (is_taken(each)) slots_[slot(each.key)] = each;
    }
    if (used_ == chunks_.size() * chunk_entries) {
        const AlignedMemory made = allocate_aligned(alignof(Entry), chunk_entries * sizeof(Entry));
        if (made.data == nullptr) throw std::bad_alloc();
        chunks_.push_back({static_cast<Entry*>(made.data), FreedMemory{made.mapped_bytes}});
    }
    room_ =
        std::min({slots_.size() / 2, chunks_.size() * chunk_entries, std::size_t{max_entries} + 1});
    return slot(key);
}

OptimisticChecks::OptimisticChecks(const LaunchState& launch, Undo& undo,
                                   const PredictedUses& predicted)
    : uninitialised_(launch.options.checks.uninitialised), races_(launch.options.checks.races),
      survives_(launch.options.survives_doubtful_results), undo_(undo), predicted_(predicted),
      warps_(static_cast<std::size_t>(launch.warps())), threads_per_block_(launch.threads()),
      shared_((launch.shared_bytes + cell_bytes - 1) / cell_bytes),
      by_warp_(shared_.size() * warps_), local_(warps_),
      shared_lanes_(races_ ? by_warp_.size() : 0),
      known_(races_ && launch.shared_bytes > 0 && !has_async_copies(launch.program), warps_),
      cells_(warps_), meetings_(warps_), batches_(warps_), recent_(launch.program.cache_slots + 1)
{
}

void OptimisticChecks::block_begins(Executor& x)
{
    ++round_;
    ++block_serial_;
    block_ = x.block->linear + 1;
    cells_.block_begins(block_serial_);
    entry_ = nullptr;
    lanes_.block_begins();
    local_.block_begins();
    known_.block_begins();
    for (std::size_t warp = 0; warp < warps_; ++warp) meet(warp);
}

void OptimisticChecks::block_ends(Executor& x)
{
    undefined_.block_ends(x);
}

bool OptimisticChecks::follows(Executor& x)
{
    undefined_.begins(x);
    return undefined_.follows(x);
}

// Any use of an undefined register other than copying it to registers is left to the precise
// checks.
void OptimisticChecks::before(Executor& x, const Instruction& in, std::uint32_t mask)
{
    undefined_.before(x, in, mask);
    if (undefined_.stores_any()) throw SpeculationFailed();
}

void OptimisticChecks::shuffles_from_outside(Executor& x, const Instruction& in,
                                             std::uint32_t lanes)
{
    if (survives_) undefined_.shuffle(x, in, lanes);
}

void OptimisticChecks::lanes_meet(Executor& x, std::uint32_t lanes)
{
    if ((lanes | ~x.warp->lanes) == full_mask)
        meet_within_round(x, static_cast<std::size_t>(x.warp->index));
}

void OptimisticChecks::meet_within_round(Executor& x, std::size_t warp)
{
    if (!known_.meeting_repeats(warp)) {
        if (known_.owes_in_this_round()) settle(x);
        known_.checked(warp);
    }
    meet(warp);
}

// A barrier for some warps of a block orders only these warps; the precise checks handle the
// accesses that it leaves unordered.
void OptimisticChecks::barrier_opens(Executor& x, const Barrier& barrier)
{
    const auto arrives = [&](const Warp& warp) {
        return (barrier.arrived[static_cast<std::size_t>(warp.index)] | warp.exited) == full_mask;
    };
    if (!std::ranges::all_of(x.block->warps, arrives)) {
        for (const Warp& warp : x.block->warps)
            if (arrives(warp)) meet_within_round(x, static_cast<std::size_t>(warp.index));
        return;
    }
    if (known_.is_partial()) settle(x);
    known_.round_ends();
    for (std::size_t warp = 0; warp < warps_; ++warp) meet(warp);
    ++round_;
}

void OptimisticChecks::access(Executor& x, const AccessEvent& event)
{
    warp_ = x.warp->index;
    noted_ = false;
    const bool disjoint = event.contiguous || (event.group != nullptr && event.group->disjoint);
    if (races_ && event.op == trace::Op::store && !disjoint && differing_lanes(x, event))
        throw SpeculationFailed();
    if (event.space == ptx::Space::global && event.allocation != nullptr && predicted_.any())
        if (GlobalShadow& shadow = shadow_of(*event.allocation); shadow.use != BufferUse::any)
            return predicted(x, event, shadow);
    const auto warp = static_cast<std::size_t>(warp_);
    if (event.space == ptx::Space::shared && known_.repeats(warp, event)) return;
    if (races_ && event.op == trace::Op::load && pending_copy(x, event)) throw SpeculationFailed();
    reads_only_ = survives_ && event.access.read_only;
    if (event.space == ptx::Space::shared) {
        if (known_.owes()) settle(x);
        shared(x, event);
        known_.checked(warp, event);
    } else if (event.space == ptx::Space::global)
        global(x, event);
    else if (event.space == ptx::Space::local && uninitialised_)
        local(event);
}

void OptimisticChecks::local(const AccessEvent& event)
{
    const auto warp = static_cast<std::size_t>(warp_);
    if (event.op != trace::Op::load) return local_.store(warp, event, {});
    for (const std::uint32_t lanes : local_.unwritten(warp, event))
        if (lanes != 0) throw SpeculationFailed();
}

void OptimisticChecks::loads(Executor& x, const BatchEvent& event)
{
    warp_ = x.warp->index;
    noted_ = false;
    if (event.space == ptx::Space::shared) {
        const auto warp = static_cast<std::size_t>(warp_);
        if (known_.repeats(warp, event)) return;
        if (known_.owes()) settle(x);
        shared(x, event);
        return known_.checked(warp, event);
    }
    const auto first_access = event.function.code[event.batch.loads.front()].extra;
    reads_only_ = survives_ && event.function.accesses[first_access].read_only;
    GlobalShadow& shadow = shadow_of(*event.group.allocation);
    if (shadow.use != BufferUse::any) return predicted(x, event, shadow);
    bool written = false;
    const auto note = [&](std::uint64_t index, std::uint64_t bits) {
        if (changes_nothing(&shadow, index, bits)) return true;
        if (!note_global(shadow, index, bits, trace::Op::load)) return false;
        if (races_) written = written || lanes_.is_written(lanes_of(&shadow, index), meeting());
        return true;
    };
    const std::uint64_t origin = shadow.allocation->begin;
    if (!for_cells(x, event, origin, note)) throw SpeculationFailed();
    if (races_ && noted_) note_batch(event, &shadow, origin, written);
}

void OptimisticChecks::shared(Executor& x, const BatchEvent& event)
{
    const bool copies = races_ && has_copies(*x.block);
    bool written = false;
    const auto note = [&](std::uint64_t index, std::uint64_t bits) {
        if (copies && is_copied_to(*x.block, index, bits)) return false;
        if (changes_nothing(shared_[index], bits)) return true;
        if (!note_shared(index, bits, trace::Op::load)) return false;
        if (races_) written = written || lanes_.is_written(shared_lanes(index), meeting());
        return true;
    };
    if (!for_cells(x, event, 0, note)) throw SpeculationFailed();
    if (races_ && noted_) note_batch(event, nullptr, 0, written);
}

void OptimisticChecks::note_batch(const BatchEvent& event, GlobalShadow* shadow,
                                  std::uint64_t origin, bool immediately)
{
    const Addresses& at = event.group.at;
    const std::vector<std::int64_t>& offsets = event.batch.offsets;
    const std::uint64_t shift = 0 - event.group.offset - origin;
    const auto first = static_cast<std::uint64_t>(offsets.front());
    const auto last = static_cast<std::uint64_t>(offsets.back());
    const NotedBatch batch{BatchLanes(event.group, event.mask),
                           &offsets,
                           shift,
                           at.low + shift + first,
                           at.high + shift + last,
                           shadow};
    NotedBatches& noted = batches_[static_cast<std::size_t>(warp_)];
    if (noted.meeting != meeting()) {
        noted.meeting = meeting();
        noted.batches.clear();
    }
    if (!immediately && noted.batches.size() < max_noted)
        noted.batches.push_back(batch);
    else if (lanes_clash(batch))
        throw SpeculationFailed();
}

void OptimisticChecks::recall(const GlobalShadow* shadow, std::uint64_t low, std::uint64_t high)
{
    NotedBatches& noted = batches_[static_cast<std::size_t>(warp_)];
    if (noted.meeting != meeting()) return;
    std::vector<NotedBatch>& batches = noted.batches;
    for (std::size_t i = 0; i < batches.size();) {
        if (batches[i].shadow != shadow || batches[i].low >= high || batches[i].high <= low) {
            ++i;
            continue;
        }
        if (lanes_clash(batches[i])) throw SpeculationFailed();
        batches[i] = batches.back();
        batches.pop_back();
    }
}

void OptimisticChecks::settle(Executor& x)
{
    const std::int32_t running = warp_;
    known_.earlier_unchecked([&](const KnownRounds::Event& event) { mark_written(x, event); });
    for (std::size_t warp = 0; warp < warps_; ++warp) {
        warp_ = static_cast<std::int32_t>(warp);
        const auto [begin, end] = known_.unchecked(warp);
        const auto has_later_meeting = [&, end = end](const KnownRounds::Event* event) {
            return std::any_of(event, end, [](const auto& each) { return each.is_meeting(); });
        };
        for (const KnownRounds::Event* event = begin; event != end; ++event)
            if (!event->is_meeting()) check(x, *event, has_later_meeting(event));
    }
    warp_ = running;
    noted_ = false;
    known_.settled();
}

namespace {

AccessEvent access_of(const KnownRounds::Event& event)
{
    return {*event.instruction,
            *event.access,
            ptx::Space::shared,
            event.op,
            event.width_bytes,
            event.lane.data(),
            0,
            event.mask,
            event.low,
            event.high,
            event.contiguous,
            true,
            nullptr,
            nullptr,
            nullptr};
}

AddressGroup group_of(const KnownRounds::Event& event)
{
    AddressGroup group;
    group.mask = event.mask;
    group.width = static_cast<std::uint32_t>(event.width_bytes);
    group.at.lane = event.lane;
    group.at.low = event.low;
    group.at.high = event.high;
    group.at.contiguous = event.contiguous;
    return group;
}

} // namespace

// If the warp's lanes have met since, their order among each other no longer matters.
void OptimisticChecks::check(Executor& x, const KnownRounds::Event& event, bool lanes_met_since)
{
    noted_ = false;
    const auto note = [&](std::uint64_t index, std::uint64_t bits) {
        return (event.op == trace::Op::load && changes_nothing(shared_[index], bits)) ||
               note_shared(index, bits, event.op);
    };
    bool fine = true;
    if (event.batch != nullptr) {
        AddressGroup group = group_of(event);
        const BatchEvent batch{*event.function, *event.batch, ptx::Space::shared, event.mask,
                               group};
        lanes_met_since ? void(fine = for_cells(x, batch, 0, note)) : shared(x, batch);
    } else {
        const AccessEvent access = access_of(event);
        lanes_met_since ? void(fine = for_cells(x, access, 0, note)) : shared(x, access);
    }
    if (!fine) throw SpeculationFailed();
}

void OptimisticChecks::mark_written(Executor& x, const KnownRounds::Event& event)
{
    if (event.is_meeting() || event.op == trace::Op::load) return;
    for_cells(x, access_of(event), 0, [&](std::uint64_t index, std::uint64_t bits) {
        SharedCell& cell = shared_[index];
        if (cell.block != block_serial_) {
            cell.block = block_serial_;
            cell.written = 0;
        }
        cell.written |= bits;
        return true;
    });
}

void OptimisticChecks::shared(Executor& x, const AccessEvent& event)
{
    const trace::Op op = event.op;
    bool fine = true;
    if (op != trace::Op::load) recall(nullptr, event.low, event.high);
    if (event.contiguous) {
        const LaneLayout layout =
            LaneLayout::side_by_side(event.low, static_cast<std::uint64_t>(event.width_bytes));
        fine = for_cells(event.low, event.high, [&](std::uint64_t index, std::uint64_t bits) {
            return shared_cell(index, bits, op, races_ ? &layout : nullptr);
        });
    } else {
        fine = check_scattered(x, event, nullptr, 0);
    }
    if (!fine) throw SpeculationFailed();
}

namespace {

// Returns true if most lanes are scattered, or if finding out takes as long as visiting each lane.
bool are_scattered(const Executor& x, const AccessEvent& event)
{
    if (event.group == nullptr) return true;
    AddressGroup& group = *event.group;
    if (!group.runs_known) {
        if (event.width_bytes < 4 || event.mask != full_mask) return true;
        if (event.width_bytes == 4) {
            constexpr int max_scattered = 2;
            ensure_octets(group, x.launch.addresses);
            if (std::ranges::count(group.octets, Octet::scattered) > max_scattered) return true;
        }
        ensure_runs(group, x.launch.addresses);
    }
    return 2 * group.runs.count > static_cast<int>(lane_count(event.mask));
}

} // namespace

bool OptimisticChecks::check_scattered(Executor& x, const AccessEvent& event, GlobalShadow* shadow,
                                       std::uint64_t origin)
{
    const auto cell_by_cell = [&](bool noted) {
        return event.width_bytes < 4 ? check_per_lane<1>(event, shadow, origin, noted)
                                     : check_per_lane<4>(event, shadow, origin, noted);
    };
    if (races_ && are_scattered(x, event)) return cell_by_cell(false);
    const auto look = [&](std::uint64_t index, std::uint64_t bits) {
        return (event.op == trace::Op::load && changes_nothing(shadow, index, bits)) ||
               note(shadow, index, bits, event.op);
    };
    if (!for_cells(x, event, origin, look)) return false;
    return !races_ || !noted_ || cell_by_cell(true);
}

bool OptimisticChecks::is_known(const GlobalShadow* shadow, std::uint64_t index, std::uint64_t bits,
                                trace::Op op)
{
    const auto done = [&](const auto& by) {
        const std::uint64_t same = op == trace::Op::load    ? by.read
                                   : op == trace::Op::store ? by.wrote
                                                            : by.updated;
        return by.round == round_ && (bits & ~same) == 0;
    };
    if (shadow == nullptr) {
        const SharedCell& cell = shared_[index];
        return cell.owner == warp_
                   ? done(cell)
                   : cell.owner < 0 && cell.round == round_ &&
                         done(by_warp_[index * warps_ + static_cast<std::size_t>(warp_)]);
    }
    WarpCells::Entry* const mine = cells_.find(key_of(shadow->number, index, warp_));
    if (mine == nullptr || !done(*mine)) return false;
    entry_ = mine;
    return true;
}

template <std::size_t Unit>
bool OptimisticChecks::check_per_lane(const AccessEvent& event, GlobalShadow* shadow,
                                      std::uint64_t origin, bool noted)
{
    LanesOf<cell_bytes / Unit> lanes;
    LanePlaces alone{-1, 0, 0}; // the first lane in the cell, while no other lane touches the cell
    std::uint64_t index = no_cell, bits = 0;
    const auto width = static_cast<std::uint64_t>(event.width_bytes);
    const auto finish = [&] {
        if (!noted) {
            if (event.op == trace::Op::load && changes_nothing(shadow, index, bits)) return true;
            if (!is_known(shadow, index, bits, event.op) && !note(shadow, index, bits, event.op))
                return false;
        }
        CellLanes& cell = lanes_of(shadow, index);
        return !(alone.lane >= 0 ? lanes_.clash_of_lane<Unit>(cell, meeting(), alone, event.op)
                                 : lanes_.clash(cell, meeting(), lanes, event.op));
    };
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const std::uint64_t address = event.address(lowest_lane(rest)) - origin;
        const std::uint64_t begin = address % cell_bytes;
        const LanePlaces next{lowest_lane(rest), begin / Unit, (begin + width) / Unit};
        if (address / cell_bytes != index) {
            if (index != no_cell && !finish()) return false;
            index = address / cell_bytes;
            bits = byte_bits(begin, begin + width);
            alone = next;
            continue;
        }
        bits |= byte_bits(begin, begin + width);
        if (alone.lane >= 0) {
            lanes = {};
            lanes.add(alone);
            alone.lane = -1;
        }
        lanes.add(next);
    }
    return finish();
}

bool OptimisticChecks::lanes_clash(const NotedBatch& batch)
{
    GlobalShadow* const shadow = batch.shadow;
    LaneLayout layout;
    const auto fine = [&](std::uint64_t index, std::uint64_t bits) {
        return changes_nothing(shadow, index, bits) ||
               !lanes_.clash(lanes_of(shadow, index), meeting(), {layout, index, bits},
                             trace::Op::load);
    };
    for (const LaneRun& run : LaneRuns(batch.lanes)) {
        const std::uint64_t begin = run.begin + batch.shift, end = run.end + batch.shift;
        layout = run.layout;
        if (!layout.contiguous) { // offsets don't change the layout
            if (!for_cells(begin, end, *batch.offsets, fine)) return true;
            continue;
        }
        for (const std::int64_t offset : *batch.offsets) {
            const auto by = static_cast<std::uint64_t>(offset);
            layout.low = run.layout.low + batch.shift + by;
            if (!for_cells(begin + by, end + by, fine)) return true;
        }
    }
    return false;
}

bool OptimisticChecks::note_shared(std::uint64_t index, std::uint64_t bits, trace::Op op)
{
    noted_ = true;
    SharedCell& cell = shared_[index];
    const bool loads = op == trace::Op::load;
    const bool stores = op == trace::Op::store;
    if (cell.block != block_serial_) {
        cell.block = block_serial_;
        cell.written = 0;
    }
    if (!stores && uninitialised_ && (bits & ~cell.written) != 0) return false;
    if (!loads) cell.written |= bits;
    if (!races_) return true;
    if (cell.round != round_) {
        cell.round = round_;
        cell.read = cell.wrote = cell.updated = cell.read_by_several = 0;
        cell.owner = warp_;
    } else if (cell.owner != warp_) {
        if (cell.owner >= 0) {
            bits_of(index, cell.owner) = {round_, cell.read, cell.wrote, cell.updated};
            cell.owner = -1;
        }
        const std::uint64_t dangerous =
            loads ? cell.wrote | cell.updated
                  : cell.wrote | cell.read | (stores ? cell.updated : std::uint64_t{0});
        if ((bits & dangerous) != 0 && touched_by_others(index, bits, op)) return false;
    }
    if (cell.owner < 0) {
        WarpBits& mine = bits_of(index, warp_);
        if (loads) cell.read_by_several |= bits & cell.read & ~mine.read;
        (loads ? mine.read : stores ? mine.wrote : mine.updated) |= bits;
    }
    (loads ? cell.read : stores ? cell.wrote : cell.updated) |= bits;
    return true;
}

// The warp's bits of a cell, cleared if they are from an earlier round.
OptimisticChecks::WarpBits& OptimisticChecks::bits_of(std::uint64_t index, std::int32_t warp)
{
    WarpBits& bits = by_warp_[index * warps_ + static_cast<std::size_t>(warp)];
    if (bits.round != round_) bits = {round_, 0, 0, 0};
    return bits;
}

bool OptimisticChecks::touched_by_others(std::uint64_t index, std::uint64_t bits,
                                         trace::Op op) const
{
    const WarpBits* warps = &by_warp_[index * warps_];
    for (std::size_t i = 0; i < warps_; ++i) {
        if (i == static_cast<std::size_t>(warp_) || warps[i].round != round_) continue;
        std::uint64_t theirs = warps[i].wrote;
        if (op != trace::Op::load) theirs |= warps[i].read;
        if (!is_update(op)) theirs |= warps[i].updated;
        if ((bits & theirs) != 0) return true;
    }
    return false;
}

OptimisticChecks::GlobalShadow& OptimisticChecks::shadow_of(const Allocation& allocation)
{
    GlobalShadow& shadow = shadows_.at(allocation);
    if (shadow.allocation != nullptr) return shadow;
    const std::size_t cells = (allocation.bytes() + cell_bytes - 1) / cell_bytes;
    const std::size_t whole_pages = (cells + page_cells - 1) / page_cells * page_cells;
    const auto bits = [&] { return zeros<std::uint64_t>(cells); };
    const PredictedUses::Buffer predicted = predicted_.of(allocation);
    shadow.use = predicted.use;
    shadow.is_whole = predicted.is_whole;
    switch (shadow.use) {
    case BufferUse::read: break;
    case BufferUse::written_once: shadow.wrote = bits(); break;
    case BufferUse::owned: shadow.owners.emplace(allocation.bytes()); break;
    case BufferUse::any:
        if (whole_pages * sizeof(GlobalCell) >= min_mapped_bytes) {
            shadow.cells = zeros<GlobalCell>(whole_pages);
        } else {
            const AlignedMemory made =
                allocate_aligned(page_bytes, whole_pages * sizeof(GlobalCell));
            shadow.cells = {static_cast<GlobalCell*>(made.data), FreedMemory{made.mapped_bytes}};
        }
        if (!shadow.cells) throw std::bad_alloc();
        shadow.read_only_cells = bits();
    }
    shadow.touched.resize((cells + page_cells - 1) / page_cells);
    shadow.number = static_cast<int>(shadows_.size()) - 1;
    shadow.kept = &undo_.of(allocation);
    shadow.allocation = &allocation;
    return shadow;
}

bool OptimisticChecks::is_initialised(const GlobalShadow& shadow, std::uint64_t index,
                                      std::uint64_t bits) const
{
    const ZeroWords& written = shadow.allocation->written;
    if (!uninitialised_ || written.empty()) return true;
    std::uint64_t missing = bits & ~written[index];
    if (missing == 0) return true;
    if (!shadow.owners) return false;
    // If this launch has written a word, then it was written whole, by the thread that reads it.
    const std::uint64_t first_word = index * (cell_bytes / WordOwners::word_bytes);
    for (; missing != 0; missing &= missing - 1)
        if (!shadow.owners->is_written(first_word +
                                       static_cast<std::uint64_t>(lowest_bit(missing)) /
                                           WordOwners::word_bytes))
            return false;
    return true;
}

bool OptimisticChecks::write_once(GlobalShadow& shadow, std::uint64_t index, std::uint64_t bits)
{
    if ((shadow.wrote[index] & bits) != 0) return false;
    shadow.about_to_write(index / page_cells);
    shadow.wrote[index] |= bits;
    return true;
}

bool OptimisticChecks::stores_row(std::uint32_t cache, const Allocation& allocation, Address begin,
                                  std::uint64_t bytes)
{
    GlobalShadow& shadow = recent_shadow(cache, allocation);
    if (shadow.use != BufferUse::written_once) return false;
    const std::uint64_t from = begin - allocation.begin;
    if (!for_cells(from, from + bytes, [&](std::uint64_t index, std::uint64_t cell_mask) {
            return write_once(shadow, index, cell_mask);
        }))
        throw PredictionFailed();
    return true;
}

bool OptimisticChecks::own(GlobalShadow& shadow, const OwnedLanes& lanes, bool writes)
{
    WordOwners& owners = *shadow.owners;
    const std::uint64_t words = lanes.width_bytes / WordOwners::word_bytes;
    const std::uint32_t first_thread = static_cast<std::uint32_t>(block_ - 1) * threads_per_block_ +
                                       static_cast<std::uint32_t>(warp_) * warp_lanes + 1;
    const auto word_of = [&](int lane) {
        return (lanes.lane[lane] - lanes.origin) / WordOwners::word_bytes;
    };
    if (lanes.contiguous && words <= 4)
        return owners.touch_row(word_of(0), words, first_thread, writes);
    if (lanes.together && !writes && !std::has_single_bit(lanes.mask)) {
        for (std::uint64_t i = 0; i < words; ++i)
            if (!owners.read_by_several(word_of(lowest_lane(lanes.mask)) + i)) return false;
        return true;
    }
    for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        for (std::uint64_t i = 0; i < words; ++i)
            if (!owners.touch(word_of(lane) + i, first_thread + static_cast<std::uint32_t>(lane),
                              writes))
                return false;
    }
    return true;
}

void OptimisticChecks::predicted(Executor& x, const AccessEvent& event, GlobalShadow& shadow)
{
    const std::uint64_t origin = shadow.allocation->begin;
    const bool loads = event.op == trace::Op::load, stores = event.op == trace::Op::store;
    const auto width = static_cast<std::uint64_t>(event.width_bytes);
    bool fits = false;
    switch (shadow.use) {
    case BufferUse::any: break;
    case BufferUse::read: fits = loads; break;
    case BufferUse::written_once:
        fits = stores && for_cells(x, event, origin, [&](std::uint64_t index, std::uint64_t bits) {
                   return write_once(shadow, index, bits);
               });
        break;
    case BufferUse::owned:
        fits = (loads || stores) && width % WordOwners::word_bytes == 0 &&
               !(loads && survives_ && event.access.read_only) &&
               own(shadow,
                   {event.lanes, origin - event.shift, event.mask, width, event.contiguous,
                    event.high - event.low == width},
                   stores);
        break;
    }
    if (!fits) throw PredictionFailed();
    if (stores && shadow.use == BufferUse::owned)
        for_cells(x, event, origin, [&](std::uint64_t index, std::uint64_t) {
            shadow.about_to_write(index / page_cells);
            return true;
        });
    if (loads && !shadow.is_whole &&
        !for_cells(x, event, origin, [&](std::uint64_t index, std::uint64_t bits) {
            return is_initialised(shadow, index, bits);
        }))
        throw SpeculationFailed();
}

void OptimisticChecks::predicted(Executor& x, const BatchEvent& event, GlobalShadow& shadow)
{
    const std::uint64_t origin = shadow.allocation->begin;
    const AddressGroup& group = event.group;
    if (shadow.use == BufferUse::owned && !reads_only_)
        for (const std::int64_t offset : event.batch.offsets) {
            const OwnedLanes lanes{
                group.at.lane.data(), origin + group.offset - static_cast<std::uint64_t>(offset),
                event.mask,           group.width,
                group.at.contiguous,  group.at.high - group.at.low == group.width};
            if (group.width % WordOwners::word_bytes != 0 || !own(shadow, lanes, false))
                throw PredictionFailed();
        }
    else if (shadow.use != BufferUse::read)
        throw PredictionFailed();
    if (!shadow.is_whole &&
        !for_cells(x, event, origin, [&](std::uint64_t index, std::uint64_t bits) {
            return is_initialised(shadow, index, bits);
        }))
        throw SpeculationFailed();
}

void OptimisticChecks::global(Executor& x, const AccessEvent& event)
{
    const trace::Op op = event.op;
    bool fine = true;
    if (event.allocation != nullptr) {
        GlobalShadow& shadow = shadow_of(*event.allocation);
        const std::uint64_t origin = event.allocation->begin;
        if (op != trace::Op::load) recall(&shadow, event.low - origin, event.high - origin);
        if (event.contiguous) {
            const LaneLayout layout = LaneLayout::side_by_side(
                event.low - origin, static_cast<std::uint64_t>(event.width_bytes));
            fine = for_cells(event.low - origin, event.high - origin,
                             [&](std::uint64_t index, std::uint64_t bits) {
                                 return global_cell(shadow, index, bits, op,
                                                    races_ ? &layout : nullptr);
                             });
        } else {
            if (races_ && op != trace::Op::load) prefetch_cells(event, shadow);
            fine = check_scattered(x, event, &shadow, origin);
        }
    } else {
        for (std::uint32_t rest = event.mask; rest != 0 && fine; rest &= rest - 1) {
            const std::uint64_t address = event.address(lowest_lane(rest));
            const Allocation& allocation = *x.launch.memory.find(address);
            GlobalShadow& shadow = shadow_of(allocation);
            if (shadow.use != BufferUse::any) throw PredictionFailed();
            const std::uint64_t begin = address - allocation.begin;
            if (op != trace::Op::load)
                recall(&shadow, begin, begin + static_cast<std::uint64_t>(event.width_bytes));
            const LaneLayout layout = LaneLayout::one_lane(
                lowest_lane(rest), static_cast<std::uint64_t>(event.width_bytes));
            fine = for_cells(begin, begin + static_cast<std::uint64_t>(event.width_bytes),
                             [&](std::uint64_t index, std::uint64_t bits) {
                                 return global_cell(shadow, index, bits, op,
                                                    races_ ? &layout : nullptr);
                             });
        }
    }
    if (!fine) throw SpeculationFailed();
}

void OptimisticChecks::prefetch_cells(const AccessEvent& event, const GlobalShadow& shadow) const
{
    std::uint64_t last = no_cell;
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const std::uint64_t address = event.address(lowest_lane(rest));
        const std::uint64_t index = (address - shadow.allocation->begin) / cell_bytes;
        if (index == last) continue;
        last = index;
        __builtin_prefetch(&shadow.cells[index]);
        cells_.expect(key_of(shadow.number, index, warp_));
    }
}

// Checks for conflicts between warps of the running block since its last barrier.
bool OptimisticChecks::warps_clash(GlobalShadow& shadow, std::uint64_t index, std::uint64_t bits,
                                   trace::Op op)
{
    GlobalCell& cell = shadow.cells[index];
    const int number = shadow.number;
    const bool loads = op == trace::Op::load, updates = is_update(op);
    const auto clashes_with = [&](std::int32_t warp) {
        const WarpCells::Entry* const entry = cells_.find(key_of(number, index, warp));
        if (entry == nullptr || entry->round != round_) return false;
        return (bits &
                (entry->wrote | (loads ? 0 : entry->read) | (updates ? 0 : entry->updated))) != 0;
    };
    const auto round = static_cast<std::uint32_t>(round_);
    if (cell.round != round) {
        cell.round = round;
        cell.owner = warp_;
    } else if (cell.owner != warp_) {
        // The bits include the block's earlier rounds.
        const std::uint64_t dangerous =
            cell.wrote | (loads ? 0 : cell.read) | (updates ? 0 : cell.updated);
        if ((bits & dangerous) != 0) {
            if (cell.owner >= 0 && clashes_with(cell.owner)) return true;
            for (std::int32_t warp = 0; cell.owner < 0 && warp < static_cast<std::int32_t>(warps_);
                 ++warp)
                if (warp != warp_ && clashes_with(warp)) return true;
        }
        cell.owner = -1;
    }
    WarpCells::Entry& mine = cells_.at(key_of(number, index, warp_));
    entry_ = &mine;
    if (mine.round != round_) {
        mine.round = round_;
        mine.read = mine.wrote = mine.updated = 0;
    }
    (loads ? mine.read : updates ? mine.updated : mine.wrote) |= bits;
    return false;
}

bool OptimisticChecks::note_global(GlobalShadow& shadow, std::uint64_t index, std::uint64_t bits,
                                   trace::Op op)
{
    noted_ = true;
    entry_ = nullptr;
    const std::uint64_t page = index / page_cells;
    if (shadow.touched[page] == Touched::never) {
        shadow.touched[page] = Touched::read;
        std::fill_n(&shadow.cells[page * page_cells], page_cells, GlobalCell{});
    }
    GlobalCell& cell = shadow.cells[index];
    const bool loads = op == trace::Op::load;
    const bool stores = op == trace::Op::store;
    if (cell.block != block_) {
        cell.block = block_;
        cell.old_read |= cell.read;
        cell.old_written |= cell.wrote;
        cell.old_updated |= cell.updated;
        cell.read = cell.wrote = cell.updated = 0;
        cell.round = 0;
        shadow.read_only_cells[index] = cell.old_read & ~(cell.old_written | cell.old_updated);
    }
    const std::uint64_t before =
        cell.old_written | (loads || stores ? cell.old_updated : 0) | (loads ? 0 : cell.old_read);
    if ((bits & before) != 0) return false;
    if (loads && reads_only_ && (bits & (cell.wrote | cell.updated)) != 0) return false;
    if (races_ && warps_ > 1 && warps_clash(shadow, index, bits, op)) return false;
    if (loads) {
        cell.read |= bits;
    } else if (shadow.touched[page] != Touched::written) {
        Undo::keep(*shadow.kept, page);
        shadow.touched[page] = Touched::written;
    }
    if (!stores && uninitialised_ && !shadow.allocation->written.empty() &&
        (bits &
         ~(shadow.allocation->written[index] | cell.wrote | cell.updated | cell.old_updated)) != 0)
        return false;
    if (stores)
        cell.wrote |= bits;
    else if (!loads)
        cell.updated |= bits;
    return true;
}

Agreement::Agreement(std::span<const OptimisticChecks* const> cores)
{
    for (const OptimisticChecks* core : cores)
        for (const auto& [begin, shadow] : core->shadows_)
            if (shadow.allocation != nullptr) shadows_[begin].push_back(&shadow);
    for (const auto& [begin, shadows] : shadows_)
        for (std::size_t page = 0; page < shadows.front()->touched.size(); ++page)
            if (std::ranges::any_of(shadows, [&](const Shadow* shadow) {
                    return shadow->touched[page] == OptimisticChecks::Touched::written;
                }))
                pages_.push_back({&shadows, page});
}

Agreement::Bits Agreement::bits_of(const Shadow& shadow, std::size_t index)
{
    Bits bits;
    switch (shadow.use) {
    case BufferUse::any: {
        const OptimisticChecks::GlobalCell& cell = shadow.cells[index];
        return {cell.read | cell.old_read, cell.wrote | cell.old_written,
                cell.updated | cell.old_updated};
    }
    case BufferUse::read: break; // never written, so never compared
    case BufferUse::written_once: bits.wrote = shadow.wrote[index]; break;
    case BufferUse::owned: {
        constexpr std::uint64_t words = cell_bytes / WordOwners::word_bytes;
        const std::uint64_t end = shadow.allocation->bytes() / WordOwners::word_bytes;
        for (std::uint64_t i = 0; i < words && index * words + i < end; ++i) {
            const std::uint64_t word =
                byte_bits(i * WordOwners::word_bytes, (i + 1) * WordOwners::word_bytes);
            if (shadow.owners->is_touched(index * words + i)) bits.read |= word;
            if (shadow.owners->is_written(index * words + i)) bits.wrote |= word;
        }
    }
    }
    return bits;
}

bool Agreement::clash(std::size_t page) const
{
    const auto& [shadows, index] = pages_[page];
    const Allocation& allocation = *shadows->front()->allocation;
    const std::size_t cells = (allocation.bytes() + cell_bytes - 1) / cell_bytes;
    std::array<Bits, page_cells> before{}; // accumulated over the previous cores
    std::uint64_t bad = 0;
    for (const Shadow* shadow : *shadows) {
        // Owned buffers don't note which pages are only read.
        if (shadow->use != BufferUse::owned &&
            shadow->touched[index] == OptimisticChecks::Touched::never)
            continue;
        for (std::size_t i = 0; i < page_cells && index * page_cells + i < cells; ++i) {
            const auto [read, wrote, updated] = bits_of(*shadow, index * page_cells + i);
            Bits& other = before[i];
            bad |= (wrote & (other.wrote | other.updated | other.read)) |
                   (other.wrote & (updated | read)) | (updated & other.read) |
                   (other.updated & read);
            other = {other.read | read, other.wrote | wrote, other.updated | updated};
        }
    }
    return bad != 0;
}

void Agreement::commit(Memory& memory, std::size_t page) const
{
    const auto& [shadows, index] = pages_[page];
    const Allocation& allocation = *shadows->front()->allocation;
    const std::size_t begin = index * page_cells;
    const std::uint64_t end =
        std::min<std::uint64_t>(allocation.written.size(), begin + page_cells);
    for (const Shadow* shadow : *shadows) {
        if (shadow->touched[index] != OptimisticChecks::Touched::written) continue;
        for (std::size_t i = begin; i < end; ++i) {
            const Bits bits = bits_of(*shadow, i);
            memory.mark_cell(allocation, i, bits.wrote | bits.updated);
        }
    }
}

} // namespace lanescope::simt
