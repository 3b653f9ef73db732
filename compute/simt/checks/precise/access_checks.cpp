// Each cell records which lanes touched it and when (by their warp's clock); a new access is
// compared with overlapping ones of other lanes. Ordered and overwritten touches are dropped,
// so lists stay short.
#include "compute/simt/checks/precise/access_checks.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "compute/ptx/instructions/table.h"
#include "compute/ptx/text/lines.h"
#include "compute/simt/checks/faults/faults.h"
#include "compute/simt/checks/precise/race_report.h"
#include "compute/simt/checks/shadow/stored_values.h"
#include "compute/simt/machine/state/cluster.h"
#include "compute/simt/machine/state/executor.h"
#include "compute/simt/operations/matrix/warp_group.h"

namespace lanescope::simt {

namespace {

constexpr std::size_t max_reads = 12; // limit per cell: a single reader suffices to show a race
bool is_load(trace::Op op)
{
    return op == trace::Op::load;
}

constexpr std::uint64_t no_block = ~std::uint64_t{0};

} // namespace

AccessChecks::AccessChecks(const LaunchState& launch, bool survives)
    : launch_(launch), uninitialised_(launch.options.checks.uninitialised),
      races_(launch.options.checks.races), survives_(survives), undefined_(survives)
{
}

std::vector<trace::Fault> AccessChecks::doubtful_results() const
{
    std::vector<trace::Fault> all = undefined_.results();
    all.insert(all.end(), notes_.begin(), notes_.end());
    for (const auto& [store, search] : searches_) {
        if (!search.fits || !search.race) continue;
        const trace::Fault& race = *search.race;
        if (race.line != 0 && std::ranges::any_of(all, [&](const trace::Fault& known) {
                return known.kind == either_value && known.line == race.line &&
                       known.file == race.file;
            }))
            continue;
        all.push_back(race);
        all.back().kind = either_value;
        all.back().message +=
            " Every thread that stores there reads the value first, and all store the same "
            "one, as level-by-level searches do: the result is correct if it does not "
            "depend on which value is read.";
    }
    return all;
}

void AccessChecks::block_begins(Executor& x)
{
    order_.block_begins(*x.block);
    shared_[x.block->linear].assign((x.launch.shared_bytes + cell_bytes - 1) / cell_bytes, {});
    local_.insert_or_assign(x.block->linear, LocalBytes(x.block->warps.size()));
}

void AccessChecks::block_ends(Executor& x)
{
    if (launch_.clustered()) {
        if (races_) check_last_accesses(x);
        leave_cluster(*x.block);
    }
    order_.block_ends(*x.block);
    undefined_.block_ends(x);
    shared_.erase(x.block->linear);
    std::erase_if(arrivals_, [&](const auto& one) { return one.first.first == x.block->linear; });
    std::erase_if(products_, [&](const auto& one) { return one.first.first == x.block->linear; });
    local_.erase(x.block->linear);
    std::erase_if(flags_, [&](const auto& flag) { return flag.first.first == x.block->linear; });
    std::erase_if(lane_flags_,
                  [&](const auto& flag) { return std::get<2>(flag.first) == x.block->linear; });
    if (doubts_.empty()) return;
    std::optional<trace::Fault> first;
    std::erase_if(doubts_, [&](Doubt& one) {
        if (one.block != x.block->linear) return false;
        if (updated_later_.contains(one.read)) return true;
        if (one.tolerated)
            note(std::move(one.fault), either_value);
        else if (!first)
            first = std::move(one.fault);
        return true;
    });
    if (first) throw device::KernelFault(*first);
}

void AccessChecks::barrier_opens(Executor& x, const Barrier& barrier)
{
    order_.barrier(*x.block, barrier);
}

void AccessChecks::fence(Executor& x, const Instruction& in)
{
    const ptx::Instruction& source = x.source(in);
    if (source.op == ptx::Op::fence_proxy_async) {
        if (source.modifiers.space != ptx::Space::global)
            order_.proxy_fence(*x.block, x.warp->index);
        return;
    }
    const bool sequential = !source.has(ptx::Word::acq_rel) && !source.has(ptx::Word::acquire) &&
                            !source.has(ptx::Word::release);
    order_.fence(*x.block, x.warp->index, {!has_block_scope(source), sequential});
    lanes_fence(x, x.warp->paths[static_cast<std::size_t>(x.warp->current)].mask);
}

void AccessChecks::lanes_fence(Executor& x, std::uint32_t lanes)
{
    if ((lanes | x.warp->exited) != full_mask) order_.lanes_fence(*x.block, x.warp->index, lanes);
}

bool AccessChecks::has_block_scope(const ptx::Instruction& source) const
{
    return source.has(ptx::Word::cta) || (source.has(ptx::Word::cluster) && !launch_.clustered());
}

AccessChecks::ClusterPhase& AccessChecks::phase_of(const Block& block)
{
    return clusters_[cluster_place(launch_, block.index).number];
}

// A block that has ended counts as arrived.
void AccessChecks::leave_cluster(const Block& block)
{
    ClusterPhase& phase = phase_of(block);
    for (const Warp& warp : block.warps)
        phase.ended = HappensBefore::together(phase.ended, order_.reported(block, warp.index));
    if (++phase.blocks_ended == launch_.cluster.count())
        clusters_.erase(cluster_place(launch_, block.index).number);
}

// A relaxed arrival passes on only what the warp's fences have released.
void AccessChecks::cluster_arrives(Executor& x, const Instruction& in)
{
    ClusterPhase& phase = phase_of(*x.block);
    const int warp = x.warp->index;
    const SharedKnowledge news = x.source(in).has(ptx::Word::relaxed)
                                     ? order_.released(*x.block, warp).to_device
                                     : order_.reported(*x.block, warp);
    phase.arriving = HappensBefore::together(phase.arriving, news);
}

void AccessChecks::cluster_completes(Executor& x)
{
    ClusterPhase& phase = phase_of(*x.block);
    phase.complete = HappensBefore::together(phase.arriving, phase.ended);
    for (const Block* block : x.cluster)
        for (const Warp& warp : block->warps)
            if (warp.finished() && order_.runs(block->linear))
                phase.complete =
                    HappensBefore::together(phase.complete, order_.reported(*block, warp.index));
    phase.arriving = nullptr;
    ++phase.completed;
}

void AccessChecks::cluster_passes(Executor&, const Block& block, const Warp& warp,
                                  std::uint32_t lanes)
{
    order_.learn(block, warp.index, phase_of(block).complete);
    order_.meet(block, warp.index, lanes | warp.exited);
}

// A block must not end before the last access of another one to its shared memory, even if they
// happened in the right order here. Barrier objects and atomics are exempt: later accesses show
// that they have ended.
void AccessChecks::check_last_accesses(Executor& x) const
{
    Block& ending = *x.block;
    const auto is_known = [&](const Touch& touch) {
        return std::ranges::any_of(ending.warps, [&](const Warp& warp) {
            return order_.knows(ending, warp.index, touch.block, touch.warp, touch.tick);
        });
    };
    const Cells& cells = shared_.at(ending.linear);
    for (std::size_t i = 0; i < cells.size(); ++i)
        for (const Touch& touch : cells[i].touches) {
            if (touch.block == ending.linear || touch.strong || touch.bits == 0 || is_known(touch))
                continue;
            const auto byte = static_cast<std::size_t>(lowest_bit(touch.bits));
            const Dim3 index = precise::index_of(launch_, touch.block);
            x.block = x.cluster[cluster_place(launch_, index).rank]; // the fault's block
            trace::Fault fault = x.fault_at(
                *touch.function, *touch.instruction, x.block->warps[touch.named_warp()],
                touch.lanes[byte] & ~several, "race",
                fmt::format("{} shared memory of block {} at {:#x}, which may have ended before: "
                            "a cluster.sync() is missing between this access and the end of that "
                            "block",
                            verb(touch.op), text(ending.index), i * cell_bytes + byte));
            x.block = &ending;
            fault.address =
                shared_window +
                cluster_address(cluster_place(launch_, ending.index).rank, i * cell_bytes + byte);
            throw device::KernelFault(std::move(fault));
        }
}

void AccessChecks::check_started(Executor& x, const AccessEvent& event) const
{
    const Block& owner = x.shared_block();
    const auto phase = clusters_.find(cluster_place(launch_, owner.index).number);
    if (phase != clusters_.end() && phase->second.completed > 0) return;
    const int lane = lowest_lane(event.mask);
    x.fault(event.instruction, "race", lane, shared_generic(x, event.address(lane)),
            fmt::format("{} {} at {:#x} before it is certain that this block has started: a "
                        "cluster.sync() is missing before the first access to another block",
                        verb(event.op), shared_name(x), event.address(lane)));
}

void AccessChecks::lanes_meet(Executor& x, std::uint32_t lanes)
{
    order_.meet(*x.block, x.warp->index, lanes | ~x.warp->lanes);
}

void AccessChecks::object_arrives(Executor& x, Address object, std::uint32_t lanes)
{
    if (&x.shared_block() != x.block) return; // not lanes of a warp that waits there
    Arrivals& all = arrivals_[{x.block->linear, object}];
    all.now.resize(x.block->warps.size());
    all.now[static_cast<std::size_t>(x.warp->index)] |= lanes;
}

void AccessChecks::object_completes(Executor& x, Address object)
{
    Arrivals& all = arrivals_[{x.shared_block().linear, object}];
    all.previous = std::move(all.now);
    all.now.clear();
    all.copied_before = all.copied;
}

void AccessChecks::object_passes(Executor& x, Address object, std::uint32_t lanes)
{
    if (object >= group_products) return product_ends(x);
    if (&x.shared_block() != x.block) return;
    const auto found = arrivals_.find({x.block->linear, object});
    const auto warp = static_cast<std::size_t>(x.warp->index);
    if (found == arrivals_.end()) return;
    if (found->second.copied_before != 0)
        order_.learn(*x.block, x.warp->index, copier_of(*x.block, object),
                     found->second.copied_before);
    if (warp >= found->second.previous.size()) return;
    order_.meet(*x.block, x.warp->index, found->second.previous[warp] | lanes | x.warp->exited);
}

void AccessChecks::access(Executor& x, const AccessEvent& event)
{
    const bool is_shared = event.space == ptx::Space::shared;
    if (event.space == ptx::Space::local && uninitialised_) local(x, event);
    if (!is_shared && event.space != ptx::Space::global) return;
    if (races_ && event.op == trace::Op::load)
        if (const auto pending = pending_copy(x, event)) report_copy(x, event, *pending);
    if (races_ && is_shared && event.op != trace::Op::load) check_pending_products(x, event);
    if (races_ && is_shared && !x.shared_block().bulk.copies.empty()) check_pending(x, event);
    if (waits(x, event)) return;
    const Block& owner = x.shared_block();
    if (races_ && &owner != x.block) check_started(x, event);
    learnt_ = true;
    if (races_) order_by_flags(x, event);
    if (races_ && event.op == trace::Op::store && !event.access.synchronising)
        compare_lanes(x, event);
    if (races_ && survives_ && !is_shared && event.op == trace::Op::store) note_store(x, event);
    Touch mine;
    mine.block = x.block->linear;
    mine.function = x.function;
    mine.instruction = &event.instruction;
    mine.mask = event.mask;
    mine.tick = order_.tick(*x.block, x.warp->index);
    mine.warp = static_cast<std::uint8_t>(x.warp->index);
    mine.meetings = order_.meetings(*x.block, x.warp->index);
    mine.op = event.op;
    mine.strong = event.access.synchronising || is_update(event.op);
    mine.block_scope = event.access.block_scope;
    mine.cluster_scope = event.access.cluster_scope;
    mine.is_volatile =
        event.access.synchronising && x.source(event.instruction).has(ptx::Word::is_volatile);
    if (!is_shared) undefined_.result(x, event);
    mine.fenced = event.op == trace::Op::store && order_.has_fenced(*x.block, x.warp->index);

    // Adjacent lanes in one cell form one touch.
    std::uint64_t index = 0;
    const Allocation* allocation = nullptr;
    const auto finish = [&] {
        if (mine.bits == 0) return;
        Cell& cell = is_shared ? shared_[owner.linear][index] : global_[allocation->number][index];
        touch(x, event, mine, index, cell, allocation);
        mine.bits = 0;
    };
    const auto width = static_cast<std::uint64_t>(event.width_bytes);
    // If all lanes share one location, one lane marked `several` represents them.
    const bool one_place =
        (is_shared || event.allocation != nullptr) && event.high - event.low == width;
    const bool alone = std::has_single_bit(event.mask);
    for (std::uint32_t rest = event.mask; rest != 0; rest = one_place ? 0 : rest & (rest - 1)) {
        const int lane = lowest_lane(rest);
        std::uint64_t address = event.address(lane);
        const Allocation* reached = nullptr;
        if (!is_shared) {
            reached =
                event.allocation != nullptr ? event.allocation : x.launch.memory.find(address);
            address -= reached->begin;
        }
        const std::uint64_t here = address / cell_bytes;
        if (here != index || reached != allocation) finish();
        index = here;
        allocation = reached;
        const std::uint64_t begin = address % cell_bytes;
        const std::uint64_t bits = byte_bits(begin, begin + width);
        if ((mine.bits & bits) == 0)
            std::memset(&mine.lanes[begin], lane | (one_place && !alone ? several : 0), width);
        else
            for (std::uint64_t byte = begin; byte < begin + width; ++byte)
                if ((mine.bits >> byte & 1u) == 0)
                    mine.lanes[byte] = static_cast<std::uint8_t>(lane);
                else
                    mine.lanes[byte] |= several;
        mine.bits |= bits;
    }
    finish();
    // After the comparison: what a read of the flag acquires does not order that read itself.
    if (races_ && order_.any_lane_fenced(*x.block, x.warp->index)) order_lanes_by_flags(x, event);
    if (x.follower_just_started)
        waiting_ = {}; // the load must run again, so that its value is tracked
}

bool AccessChecks::waits(const Executor& x, const AccessEvent& event)
{
    const auto width = static_cast<std::uint64_t>(event.width_bytes);
    Waiting now;
    if (event.op == trace::Op::load && event.high - event.low == width)
        now = {&event.instruction,
               x.block->linear,
               event.low,
               x.warp->index,
               event.mask,
               order_.tick(*x.block, x.warp->index),
               order_.meetings(*x.block, x.warp->index),
               x.shared_block().linear};
    const bool again = now.instruction != nullptr && now == waiting_;
    waiting_ = now;
    return again;
}

void AccessChecks::local(Executor& x, const AccessEvent& event)
{
    learnt_ = true;
    LocalBytes& bytes = local_.at(x.block->linear);
    const auto warp = static_cast<std::size_t>(x.warp->index);
    if (event.op == trace::Op::load)
        undefined_.read_local(x, event, bytes.unwritten(warp, event));
    else
        bytes.store(warp, event, undefined_.stored_lanes(x, event));
}

void AccessChecks::touch(Executor& x, const AccessEvent& event, Touch& mine, std::uint64_t index,
                         Cell& cell, const Allocation* allocation)
{
    const bool is_shared = allocation == nullptr;
    const std::uint64_t base = index * cell_bytes + (is_shared ? 0 : allocation->begin);
    const bool loads = event.op == trace::Op::load;
    const bool stores = event.op == trace::Op::store;
    const bool watched = is_shared || !allocation->written.empty();
    if (uninitialised_ && watched) {
        const std::uint64_t written = is_shared ? cell.written : allocation->written[index];
        if (const std::uint64_t unset = mine.bits & ~written; !stores && unset != 0)
            undefined_.read(x, event, base, unset, allocation);
        const std::uint64_t undefined = undefined_.stored(x, event, base, allocation);
        if (!loads && is_shared)
            cell.written = (cell.written | mine.bits) & ~undefined;
        else if (!loads)
            x.launch.memory.mark_cell(*allocation, index, mine.bits & ~undefined);
    }
    if (!races_) return;
    // A barrier of the block does not order what other blocks of its cluster do.
    if (is_shared && !launch_.clustered() && cell.round != order_.rounds(*x.block)) {
        cell.round = order_.rounds(*x.block);
        cell.forget_all();
    }
    if (is_shared && !loads && &x.shared_block() == x.block &&
        (x.launch.program.bulk_copies || x.launch.program.group_products))
        note_generic(cell, mine);
    if (is_update(mine.op) && !doubts_.empty()) settle(mine, allocation, base);
    if (survives_ && !is_shared && is_load(mine.op)) note_read(cell, mine);
    for (std::size_t i = 0; i < cell.bits.size(); ++i) {
        const std::uint64_t common = cell.bits[i] & mine.bits;
        if (common == 0) continue;
        Touch& theirs = cell.touches[i];
        const bool other = theirs.warp != mine.warp || theirs.block != mine.block;
        if (other ? conflicts(x, event, mine, theirs, common, base)
                  : lanes_conflict(x, event, mine, theirs, common, base)) {
            if ((loads && is_update(theirs.op)) || (is_update(mine.op) && is_load(theirs.op)))
                doubt(x, event, mine, theirs, common, base, allocation);
            else if (is_shared || !belongs_to_search(x, event, mine, theirs, common, base))
                report_race(x, event, mine, theirs, common, base);
        } else if (survives_ && is_shared && !other && mine.is_volatile && theirs.is_volatile &&
                   !(loads && is_load(theirs.op)) &&
                   lanes_unordered(x, event, mine, theirs, common, base)) {
            note_volatile(x, event, mine, theirs, common, base);
        }
        if (survives_ && event.access.read_only && !is_load(theirs.op))
            note_read_only(x, event, mine, theirs, common, base);
        bool replaced = !loads && (theirs.op == mine.op || stores);
        if (is_update(mine.op) && is_load(theirs.op) && theirs.block == mine.block &&
            theirs.warp == mine.warp && (mine.lanes_of(common) & theirs.lanes_of(common)) != 0) {
            updated_later_.insert(theirs.instruction);
            replaced = true;
        }
        const bool again =
            product_read_ != 0
                ? theirs.by_product && theirs.warp == reader_of(*x.block, mine.warp) &&
                      theirs.tick == product_read_
                : !other && theirs.instruction == mine.instruction && theirs.tick == mine.tick;
        // Add the lanes recorded since the last meeting: a byte that both
        // touched now has several lanes.
        if (again && !replaced && theirs.meetings == mine.meetings) {
            for (std::uint64_t rest = common; rest != 0; rest &= rest - 1) {
                const auto byte = static_cast<std::size_t>(lowest_bit(rest));
                if (theirs.lanes[byte] != mine.lanes[byte]) mine.lanes[byte] |= several;
            }
            mine.mask |= theirs.mask;
        }
        if (!replaced && !again) continue;
        cell.bits[i] = theirs.bits &= ~mine.bits;
        cell.emptied = cell.emptied || theirs.bits == 0;
    }
    if (cell.emptied) cell.forget_empty();
    if (loads && cell.reads >= max_reads) cell.forget_first_read();
    if (product_read_ == 0) return cell.add(mine);
    Touch read = mine;
    read.by_product = true;
    read.started_by = mine.warp;
    read.warp = static_cast<std::uint8_t>(reader_of(*x.block, mine.warp));
    read.tick = product_read_;
    cell.add(read);
}

bool AccessChecks::scopes_exclude(const Touch& mine, const Touch& theirs) const
{
    if (mine.block == theirs.block) return false;
    if (mine.block_scope || theirs.block_scope) return true;
    if (!mine.cluster_scope && !theirs.cluster_scope) return false;
    const auto cluster = [&](const Touch& touch) {
        return cluster_place(launch_, precise::index_of(launch_, touch.block)).number;
    };
    return cluster(mine) != cluster(theirs);
}

bool AccessChecks::may_conflict(const Touch& mine, const Touch& theirs) const
{
    if (mine.op == trace::Op::load && theirs.op == trace::Op::load) return false;
    if (mine.strong && theirs.strong) return scopes_exclude(mine, theirs);
    // A plain store after a fence sets a flag, which a strong access reads.
    if (mine.strong && theirs.fenced) return false;
    return !(mine.fenced && theirs.strong && theirs.op == trace::Op::load);
}

bool AccessChecks::lanes_conflict(Executor& x, const AccessEvent& event, const Touch& mine,
                                  const Touch& theirs, std::uint64_t common,
                                  std::uint64_t base) const
{
    return may_conflict(mine, theirs) && lanes_unordered(x, event, mine, theirs, common, base);
}

bool AccessChecks::lanes_unordered(Executor& x, const AccessEvent& event, const Touch& mine,
                                   const Touch& theirs, std::uint64_t common,
                                   std::uint64_t base) const
{
    const bool rereads = is_update(mine.op) && is_load(theirs.op);
    const auto is_unordered = [&](std::size_t byte) {
        const std::uint8_t a = mine.lanes[byte], b = theirs.lanes[byte];
        if (a == b && (a & several) == 0) return false;
        const std::uint32_t my_lanes = mine.lanes_at(byte), their_lanes = theirs.lanes_at(byte);
        // An update after a read rereads the location, as in a compare-and-swap loop.
        if (rereads && (my_lanes & their_lanes) != 0) return false;
        return !order_.met(*x.block, x.warp->index, theirs.meetings, my_lanes | their_lanes) &&
               !order_.handed_over(*x.block, x.warp->index, theirs.meetings, their_lanes, my_lanes);
    };
    bool any = false;
    for (std::uint64_t rest = common; rest != 0 && !any; rest &= rest - 1)
        any = is_unordered(static_cast<std::size_t>(lowest_bit(rest)));
    return any && !(mine.op == trace::Op::store && theirs.op == trace::Op::store &&
                    same_value(x, event, common, base));
}

void AccessChecks::compare_lanes(Executor& x, const AccessEvent& event) const
{
    const auto lanes = differing_lanes(x, event);
    if (!lanes) return;
    const auto [lane, other] = *lanes;
    const std::uint64_t address = event.address(lane);
    const bool is_shared = event.space == ptx::Space::shared;
    const Allocation* const in = is_shared ? nullptr : x.launch.memory.find(address);
    x.fault(event.instruction, "race", lane, address + (is_shared ? shared_window : 0),
            fmt::format("writes {} at {:#x} in {}, where thread {} of the same warp writes "
                        "another value in the same instruction: which value remains is undefined",
                        byte_count(event.width_bytes), address,
                        is_shared ? "shared memory" : describe(x.launch, *in),
                        text(x.thread_index(*x.warp, other))),
            in == nullptr ? -1 : parameter_of(x.launch, *in));
}

bool AccessChecks::conflicts(Executor& x, const AccessEvent& event, const Touch& mine,
                             const Touch& theirs, std::uint64_t common, std::uint64_t base) const
{
    if (!may_conflict(mine, theirs)) return false;
    if (order_.knows(*x.block, x.warp->index, theirs.block, theirs.warp, theirs.tick)) return false;
    if (mine.op != trace::Op::load && is_load(theirs.op) &&
        order_.knows_read(*x.block, x.warp->index, theirs.block, theirs.warp, theirs.tick))
        return false;
    // The order of threads that store the same value doesn't matter, and programs rely on that
    // ("something was found"). An unsynchronised read of the value is still reported.
    return !(mine.op == trace::Op::store && theirs.op == trace::Op::store &&
             same_value(x, event, common, base));
}

bool AccessChecks::chooses_value(const Touch& update)
{
    const ptx::Instruction& source =
        update.function->source->instructions[update.instruction->source];
    return source.has(ptx::Word::cas) || source.has(ptx::Word::min) || source.has(ptx::Word::max);
}

void AccessChecks::doubt(Executor& x, const AccessEvent& event, const Touch& mine,
                         const Touch& theirs, std::uint64_t common, std::uint64_t base,
                         const Allocation* allocation)
{
    const Touch& reader = is_load(mine.op) ? mine : theirs;
    if (updated_later_.contains(reader.instruction)) return;
    trace::Fault found = race(x, event, mine, theirs, common, base);
    const Touch& update = is_load(mine.op) ? theirs : mine;
    const bool tolerated = survives_ && chooses_value(update);
    if (tolerated) {
        constexpr std::string_view claim = ", so the result depends on which comes first";
        if (const auto at = found.message.find(claim); at != found.message.npos)
            found.message.erase(at, claim.size());
        found.message += " The update decides which value remains, as in searches: the result is "
                         "correct if it does not depend on which value is read.";
    }
    if (!order_.runs(reader.block)) {
        if (tolerated) return note(std::move(found), either_value);
        throw device::KernelFault(found);
    }
    doubts_.push_back({reader.block,
                       reader.warp,
                       reader.instruction,
                       {allocation, base},
                       common,
                       reader.lanes_of(common),
                       tolerated,
                       std::move(found)});
}

void AccessChecks::settle(const Touch& update, const Allocation* allocation, std::uint64_t base)
{
    std::erase_if(doubts_, [&](const Doubt& one) {
        const bool same = one.block == update.block && one.warp == update.warp &&
                          one.cell == std::pair{allocation, base} &&
                          (one.bits & update.bits) != 0 &&
                          (one.lanes & update.lanes_of(one.bits & update.bits)) != 0;
        if (same) updated_later_.insert(one.read);
        return same;
    });
}

void AccessChecks::note_read(Cell& cell, const Touch& read) const
{
    if (cell.readers_block != read.block) cell.readers.clear();
    cell.readers_block = read.block;
    for (auto& [warp, bits] : cell.readers)
        if (warp == read.warp) {
            bits |= read.bits;
            return;
        }
    cell.readers.emplace_back(read.warp, read.bits);
}

void AccessChecks::note_store(Executor& x, const AccessEvent& event)
{
    Search& search = searches_[&event.instruction];
    if (!search.fits || fits_search(x, event, search)) return;
    search.fits = false;
    if (search.race) throw device::KernelFault(*search.race);
}

bool AccessChecks::fits_search(Executor& x, const AccessEvent& event, Search& search)
{
    StoredValues stored;
    if (!stored_by(x, event, stored)) return false;
    const auto width = static_cast<std::uint64_t>(event.width_bytes);
    const auto has_read = [&](const Allocation& allocation, std::uint64_t begin) {
        return for_cells(begin, begin + width, [&](std::uint64_t index, std::uint64_t bits) {
            const Cell& cell = global_[allocation.number][index];
            return cell.readers_block == x.block->linear &&
                   std::ranges::any_of(cell.readers, [&](const auto& reader) {
                       return reader.first == x.warp->index && (bits & ~reader.second) == 0;
                   });
        });
    };
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        const std::byte* const value = stored.of(lane);
        if (search.value.empty()) search.value.assign(value, value + width);
        if (!std::equal(search.value.begin(), search.value.end(), value)) return false;
        const std::uint64_t address = event.address(lane);
        const Allocation& allocation =
            event.allocation != nullptr ? *event.allocation : *x.launch.memory.find(address);
        if (!has_read(allocation, address - allocation.begin)) return false;
    }
    return true;
}

bool AccessChecks::belongs_to_search(Executor& x, const AccessEvent& event, const Touch& mine,
                                     const Touch& theirs, std::uint64_t common, std::uint64_t base)
{
    const Touch& store = is_load(mine.op) ? theirs : mine;
    const Touch& read = is_load(mine.op) ? mine : theirs;
    if (store.op != trace::Op::store || !is_load(read.op)) return false;
    const auto found = searches_.find(store.instruction);
    if (found == searches_.end() || !found->second.fits) return false;
    if (!found->second.race) found->second.race = race(x, event, mine, theirs, common, base);
    return true;
}

// Returns true if the lanes store the values that memory already holds in those bytes.
bool AccessChecks::same_value(Executor& x, const AccessEvent& event, std::uint64_t common,
                              std::uint64_t base) const
{
    StoredValues stored;
    if (!stored_by(x, event, stored)) return false;
    auto origin = reinterpret_cast<std::uintptr_t>(event.base);
    if (event.base == nullptr) { // the lanes are in several allocations
        const Allocation& in = *x.launch.memory.find(base);
        origin = reinterpret_cast<std::uintptr_t>(in.host) - in.begin;
    }
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        const std::uint64_t address = event.address(lane);
        for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(event.width_bytes); ++i) {
            if (address + i < base || address + i - base >= cell_bytes) continue;
            if ((common >> (address + i - base) & 1u) == 0) continue;
            const std::byte held = *reinterpret_cast<const std::byte*>(
                origin + static_cast<std::uintptr_t>(address) + i);
            if (held != stored.of(lane)[i]) return false;
        }
    }
    return true;
}

// Flags: a store after a fence passes on everything that happened before the fence, and a strong
// store by one thread those reads that its block has completed.
void AccessChecks::order_by_flags(Executor& x, const AccessEvent& event)
{
    const bool strong = event.access.synchronising || is_update(event.op);
    const bool lone_store = event.op == trace::Op::store && std::has_single_bit(event.mask);
    if (!strong && !lone_store) return;
    const ptx::Instruction& source = x.source(event.instruction);
    if (strong && event.op != trace::Op::load &&
        (source.has(ptx::Word::release) || source.has(ptx::Word::acq_rel))) {
        order_.fence(*x.block, x.warp->index, {!has_block_scope(source), false});
        lanes_fence(x, event.mask);
    }
    const std::uint64_t owner =
        event.space == ptx::Space::shared ? x.shared_block().linear : no_block;
    const bool loads = event.op == trace::Op::load, stores = event.op == trace::Op::store;
    Released released = stores ? order_.released(*x.block, x.warp->index) : Released{};
    if (stores && strong && owner == no_block && std::has_single_bit(event.mask))
        released.reads = order_.completed_reads(*x.block, x.warp->index);
    std::optional<std::uint64_t> previous_address; // address of the load's previous lane
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const std::pair place{owner, event.address(lowest_lane(rest))};
        if (loads && previous_address == place.second) continue;
        previous_address = place.second;
        const auto found = flags_.find(place);
        if (!stores && found != flags_.end())
            order_.acquire(*x.block, x.warp->index, found->second);
        if (loads) continue;
        if (is_update(event.op)) {
            // An atomic passes on the knowledge that the previous one released.
            const Released mine = order_.released(*x.block, x.warp->index);
            if (!mine.to_block && found == flags_.end()) continue;
            Released& flag = flags_[place];
            flag = found == flags_.end() ? mine : HappensBefore::both(flag, mine);
        } else if (released.to_block || released.reads) {
            flags_[place] = released;
        } else if (found != flags_.end()) {
            flags_.erase(found);
        }
    }
}

void AccessChecks::order_lanes_by_flags(Executor& x, const AccessEvent& event)
{
    const bool strong = event.access.synchronising || is_update(event.op);
    const bool lone_store = event.op == trace::Op::store && std::has_single_bit(event.mask);
    if (!strong && !lone_store) return;
    const std::uint64_t owner =
        event.space == ptx::Space::shared ? x.shared_block().linear : no_block;
    const int warp = x.warp->index;
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        const std::tuple place{owner, event.address(lane), x.block->linear, warp};
        const auto found = lane_flags_.find(place);
        const bool is_set = found != lane_flags_.end();
        if (event.op != trace::Op::store && is_set)
            order_.acquire_by_lane(*x.block, warp, lane, found->second);
        if (event.op == trace::Op::load) continue;
        const LaneTimes* const released = order_.released_by_lane(*x.block, warp, lane);
        if (event.op == trace::Op::store && is_set) lane_flags_.erase(found);
        if (released == nullptr) continue;
        // An atomic passes on what the previous one released.
        LaneTimes& flag = lane_flags_[place];
        for (std::size_t i = 0; i < flag.size(); ++i) flag[i] = std::max(flag[i], (*released)[i]);
    }
}

void AccessChecks::report_copy(Executor& x, const AccessEvent& event,
                               const PendingCopy& pending) const
{
    const std::uint64_t address = event.address(pending.lane);
    const bool other_warp = static_cast<int>(pending.warp) != x.warp->index;
    x.fault(event.instruction, "race", pending.lane, shared_window + address,
            fmt::format(
                "reads shared memory at {:#x}, which thread {} copies there by cp.async "
                "without having waited for it: __pipeline_wait_prior() (cp.async.wait_group) "
                "must come first, and a barrier does not wait for copies{}",
                address, text(x.thread_index(x.block->warps[pending.warp], pending.copying_lane)),
                other_warp ? ". If the copy refills a buffer that is still read, a __syncthreads() "
                             "is missing before the copy"
                           : ""));
}

void AccessChecks::note(trace::Fault fault, std::string_view kind)
{
    if (fault.line != 0 && std::ranges::any_of(notes_, [&](const trace::Fault& known) {
            return known.kind == kind && known.line == fault.line && known.file == fault.file;
        }))
        return;
    fault.kind = kind;
    notes_.push_back(std::move(fault));
}

void AccessChecks::note_volatile(Executor& x, const AccessEvent& event, const Touch& mine,
                                 const Touch& theirs, std::uint64_t common, std::uint64_t base)
{
    if (!noted_.emplace(&event.instruction, volatile_order).second) return;
    trace::Fault fault = race(x, event, mine, theirs, common, base);
    fault.message += " Volatile does not order the lanes of a warp, which since Volta may "
                     "run one by one.";
    note(std::move(fault), volatile_order);
}

void AccessChecks::note_read_only(Executor& x, const AccessEvent& event, const Touch& mine,
                                  const Touch& theirs, std::uint64_t common, std::uint64_t base)
{
    if (!noted_.emplace(&event.instruction, read_only_cache).second) return;
    const auto byte = static_cast<std::size_t>(lowest_bit(common));
    const int lane = mine.lanes[byte] & ~several;
    const ptx::Instruction& store =
        theirs.function->source->instructions[theirs.instruction->source];
    note(x.fault_at(*x.function, event.instruction, *x.warp, lane, read_only_cache,
                    fmt::format("reads {} at {:#x} in {} through the read-only cache, "
                                "although the kernel has written them at {}: __ldg() and const "
                                "__restrict__ pointers are for data that no thread writes while "
                                "the kernel runs, and may read an old value",
                                byte_count(event.width_bytes), event.address(lane),
                                describe(x.launch, *x.launch.memory.find(base)),
                                place_text(*x.launch.program.module, store))),
         read_only_cache);
}

trace::Fault AccessChecks::race(Executor& x, const AccessEvent& event, const Touch& mine,
                                const Touch& theirs, std::uint64_t common, std::uint64_t base)
{
    try {
        report_race(x, event, mine, theirs, common, base);
    } catch (const device::KernelFault& found) {
        return found.fault();
    }
}

void AccessChecks::report_race(Executor& x, const AccessEvent& event, const Touch& mine,
                               const Touch& theirs, std::uint64_t common, std::uint64_t base) const
{
    if (theirs.by_copy) report_after_copy(x, event, theirs, common, base);
    precise::report_race(x, event, mine, theirs, common, base);
}

bool AccessChecks::round_begins(Executor&)
{
    learnt_ = false;
    return true;
}

bool AccessChecks::round_repeats(Executor&)
{
    return !learnt_;
}

bool AccessChecks::follows(Executor& x)
{
    if (uninitialised_) undefined_.begins(x);
    return undefined_.follows(x);
}

void AccessChecks::before(Executor& x, const Instruction& in, std::uint32_t mask)
{
    undefined_.before(x, in, mask);
}

void AccessChecks::shuffles_from_outside(Executor& x, const Instruction& in, std::uint32_t lanes)
{
    if (survives_) undefined_.shuffle(x, in, lanes);
}

} // namespace lanescope::simt
