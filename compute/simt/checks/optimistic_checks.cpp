// Everything here is on the way of every access: a few loads, ands and ors for each cell of 64
// bytes, and no search.
#include "compute/simt/checks/optimistic_checks.h"

#include <algorithm>
#include <bit>
#include <new>

namespace lanescope::simt {

OptimisticChecks::OptimisticChecks(const LaunchState& launch, Undo& undo)
    : uninitialised_(launch.options.checks.uninitialised), races_(launch.options.checks.races),
      undo_(undo), warps_(static_cast<std::size_t>(launch.warps())),
      shared_((launch.shared_bytes + cell_bytes - 1) / cell_bytes),
      by_warp_(shared_.size() * warps_)
{
}

void OptimisticChecks::block_begins(Executor& x)
{
    ++round_;
    ++block_serial_;
    block_ = x.block->linear + 1;
}

// A barrier of some warps only orders those; what it does not order is left to the precise checks.
void OptimisticChecks::barrier_opens(Executor& x, const Barrier& barrier)
{
    for (const Warp& warp : x.block->warps)
        if ((barrier.arrived[static_cast<std::size_t>(warp.index)] | warp.exited) != full_mask)
            return;
    ++round_;
}

void OptimisticChecks::access(Executor& x, const AccessEvent& event)
{
    if (event.space == ptx::Space::shared)
        shared(x, event);
    else if (event.space == ptx::Space::global)
        global(x, event);
}

void OptimisticChecks::loads(Executor& x, const BatchEvent& event)
{
    bool fine = true;
    if (event.space == ptx::Space::shared) {
        warp_ = x.warp->index;
        fine = for_cells(x, event, 0, [&](std::uint64_t index, std::uint64_t bits) {
            return shared_cell(index, bits, trace::Op::load);
        });
    } else {
        GlobalShadow& shadow = shadow_of(*event.group.allocation);
        fine = for_cells(x, event, event.group.allocation->begin,
                         [&](std::uint64_t index, std::uint64_t bits) {
                             return global_cell(shadow, index, bits, trace::Op::load);
                         });
    }
    if (!fine) throw SpeculationFailed();
}

void OptimisticChecks::shared(Executor& x, const AccessEvent& event)
{
    warp_ = x.warp->index;
    const trace::Op op = event.op;
    const bool fine = for_cells(x, event, 0, [&](std::uint64_t index, std::uint64_t bits) {
        return shared_cell(index, bits, op);
    });
    if (!fine) throw SpeculationFailed();
}

bool OptimisticChecks::note_shared(std::uint64_t index, std::uint64_t bits, trace::Op op)
{
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
        if ((bits & dangerous) != 0 && others_touched(index, bits, op)) return false;
    }
    if (cell.owner < 0) {
        WarpBits& mine = bits_of(index, warp_);
        if (loads) cell.read_by_several |= bits & cell.read & ~mine.read;
        (loads ? mine.read : stores ? mine.wrote : mine.updated) |= bits;
    }
    (loads ? cell.read : stores ? cell.wrote : cell.updated) |= bits;
    return true;
}

// Cleared when it is of an earlier round.
OptimisticChecks::WarpBits& OptimisticChecks::bits_of(std::uint64_t index, std::int32_t warp)
{
    WarpBits& bits = by_warp_[index * warps_ + static_cast<std::size_t>(warp)];
    if (bits.round != round_) bits = {round_, 0, 0, 0};
    return bits;
}

bool OptimisticChecks::others_touched(std::uint64_t index, std::uint64_t bits, trace::Op op) const
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
    const auto number = static_cast<std::size_t>(allocation.number);
    if (shadows_.size() <= number) shadows_.resize(number + 1);
    std::unique_ptr<GlobalShadow>& shadow = shadows_[number];
    if (shadow) return *shadow;
    shadow = std::make_unique<GlobalShadow>();
    shadow->allocation = &allocation;
    const std::size_t cells = (allocation.bytes() + cell_bytes - 1) / cell_bytes;
    const std::size_t whole_pages = (cells + page_cells - 1) / page_cells * page_cells;
    shadow->cells.reset(
        static_cast<GlobalCell*>(std::aligned_alloc(page_bytes, whole_pages * sizeof(GlobalCell))));
    shadow->only_read.reset(static_cast<std::uint64_t*>(std::calloc(cells, sizeof(std::uint64_t))));
    if (!shadow->cells || !shadow->only_read) throw std::bad_alloc();
    shadow->touched.resize((cells + page_cells - 1) / page_cells);
    return *shadow;
}

void OptimisticChecks::global(Executor& x, const AccessEvent& event)
{
    const trace::Op op = event.op;
    bool fine = true;
    if (event.allocation != nullptr) {
        GlobalShadow& shadow = shadow_of(*event.allocation);
        fine = for_cells(x, event, event.allocation->begin,
                         [&](std::uint64_t index, std::uint64_t bits) {
                             return global_cell(shadow, index, bits, op);
                         });
    } else {
        for (std::uint32_t rest = event.mask; rest != 0 && fine; rest &= rest - 1) {
            const std::uint64_t address = event.address(lowest_lane(rest));
            const Allocation& allocation = *x.launch.memory.find(address);
            GlobalShadow& shadow = shadow_of(allocation);
            const std::uint64_t begin = address - allocation.begin;
            fine = for_cells(begin, begin + static_cast<std::uint64_t>(event.width_bytes),
                             [&](std::uint64_t index, std::uint64_t bits) {
                                 return global_cell(shadow, index, bits, op);
                             });
        }
    }
    if (!fine) throw SpeculationFailed();
}

bool OptimisticChecks::note_global(GlobalShadow& shadow, std::uint64_t index, std::uint64_t bits,
                                   trace::Op op)
{
    const std::uint64_t page = index / page_cells;
    if (shadow.touched[page] == 0) {
        shadow.touched[page] = 1;
        std::fill_n(&shadow.cells[page * page_cells], page_cells, GlobalCell{});
    }
    GlobalCell& cell = shadow.cells[index];
    const bool loads = op == trace::Op::load;
    const bool stores = op == trace::Op::store;
    if (cell.block != block_) {
        cell.block = block_;
        cell.old_read |= cell.read;
        cell.old_wrote |= cell.wrote;
        cell.old_updated |= cell.updated;
        cell.read = cell.wrote = cell.updated = 0;
        shadow.only_read[index] = cell.old_read & ~(cell.old_wrote | cell.old_updated);
    }
    const std::uint64_t before =
        cell.old_wrote | (loads || stores ? cell.old_updated : 0) | (loads ? 0 : cell.old_read);
    if ((bits & before) != 0) return false;
    if (loads) {
        cell.read |= bits;
    } else {
        if ((cell.wrote | cell.updated | cell.old_wrote | cell.old_updated) == 0)
            undo_.keep(*shadow.allocation, page);
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

bool OptimisticChecks::clash(const OptimisticChecks& one, const OptimisticChecks& other)
{
    const std::size_t count = std::min(one.shadows_.size(), other.shadows_.size());
    for (std::size_t i = 0; i < count; ++i) {
        const GlobalShadow* a = one.shadows_[i].get();
        const GlobalShadow* b = other.shadows_[i].get();
        if (a == nullptr || b == nullptr) continue;
        const std::size_t cells = (a->allocation->bytes() + cell_bytes - 1) / cell_bytes;
        for (std::size_t page = 0; page < a->touched.size(); ++page) {
            if ((a->touched[page] & b->touched[page]) == 0) continue;
            const std::size_t end = std::min(cells, (page + 1) * page_cells);
            for (std::size_t cell = page * page_cells; cell < end; ++cell) {
                const GlobalCell& p = a->cells[cell];
                const GlobalCell& q = b->cells[cell];
                const std::uint64_t p_wrote = p.wrote | p.old_wrote;
                const std::uint64_t q_wrote = q.wrote | q.old_wrote;
                const std::uint64_t p_updated = p.updated | p.old_updated;
                const std::uint64_t q_updated = q.updated | q.old_updated;
                const std::uint64_t p_read = p.read | p.old_read;
                const std::uint64_t q_read = q.read | q.old_read;
                if ((p_wrote & (q_wrote | q_updated | q_read)) != 0 ||
                    (q_wrote & (p_updated | p_read)) != 0 || (p_updated & q_read) != 0 ||
                    (q_updated & p_read) != 0)
                    return true;
            }
        }
    }
    return false;
}

void OptimisticChecks::commit(Memory& memory) const
{
    for (const auto& shadow : shadows_) {
        if (!shadow || shadow->allocation->written.empty()) continue;
        const std::size_t cells = shadow->allocation->written.size();
        for (std::size_t page = 0; page < shadow->touched.size(); ++page) {
            if (shadow->touched[page] == 0) continue;
            const std::size_t end = std::min(cells, (page + 1) * page_cells);
            for (std::size_t index = page * page_cells; index < end; ++index) {
                const GlobalCell& cell = shadow->cells[index];
                memory.mark_cell(*shadow->allocation, index,
                                 cell.wrote | cell.updated | cell.old_wrote | cell.old_updated);
            }
        }
    }
}

} // namespace lanescope::simt
