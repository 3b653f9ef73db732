// Each cell keeps who touched it and when (by the warp's clock); a new access is compared with
// those of others that overlap. What is ordered before it and overwritten is forgotten, so lists
// stay short.
#include "compute/simt/checks/access_checks.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "compute/ptx/instructions/table.h"
#include "compute/simt/checks/faults.h"
#include "compute/simt/machine/executor.h"

namespace lanescope::simt {

namespace {

constexpr std::size_t most_reads = 12; // of a cell: one reader is enough to show a race
constexpr std::uint64_t no_block = ~std::uint64_t{0};

const ptx::Instruction& source_of(const Executor& x, const Instruction& in)
{
    return x.function->source->instructions[in.source];
}

template <class Use>
void for_registers(const ptx::Operand& operand, Use use)
{
    if (operand.reg >= 0) use(operand.reg);
    for (const ptx::Operand& element : operand.elements) for_registers(element, use);
}

// The bytes of the cell at `base` that these lanes touch, and the lanes that touch those bytes.
std::uint64_t bytes_of(const AccessEvent& event, std::uint64_t base, std::uint32_t lanes)
{
    std::uint64_t bits = 0;
    for (lanes &= event.mask; lanes != 0; lanes &= lanes - 1) {
        const std::uint64_t address = event.address(lowest_lane(lanes));
        if (address < base || address >= base + cell_bytes) continue;
        bits |= byte_bits(address - base,
                          address - base + static_cast<std::uint64_t>(event.width_bytes));
    }
    return bits;
}

std::uint32_t lanes_in(const AccessEvent& event, std::uint64_t base, std::uint64_t bits)
{
    std::uint32_t lanes = 0;
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const std::uint32_t lane = rest & (0 - rest);
        if ((bytes_of(event, base, lane) & bits) != 0) lanes |= lane;
    }
    return lanes;
}

} // namespace

AccessChecks::AccessChecks(const LaunchState& launch)
    : uninitialised_(launch.options.checks.uninitialised), races_(launch.options.checks.races)
{
}

void AccessChecks::block_begins(Executor& x)
{
    order_.block_begins(*x.block);
    shared_[x.block->linear].assign((x.launch.shared_bytes + cell_bytes - 1) / cell_bytes, {});
}

void AccessChecks::block_ends(Executor& x)
{
    order_.block_ends(*x.block);
    std::erase_if(undefined_, [&](const auto& entry) { return entry.first[0] == x.block->linear; });
    shared_.erase(x.block->linear);
    std::erase_if(flags_, [&](const auto& flag) { return flag.first.first == x.block->linear; });
}

void AccessChecks::barrier_opens(Executor& x, const Barrier& barrier)
{
    order_.barrier(*x.block, barrier);
}

void AccessChecks::fence(Executor& x, const Instruction& in)
{
    order_.fence(*x.block, x.warp->index, !source_of(x, in).has(ptx::Word::cta));
}

void AccessChecks::access(Executor& x, const AccessEvent& event)
{
    const bool is_shared = event.space == ptx::Space::shared;
    if (!is_shared && event.space != ptx::Space::global) return;
    if (races_) hand_over(x, event);
    Touch mine;
    mine.block = x.block->linear;
    mine.function = x.function;
    mine.instruction = &event.instruction;
    mine.tick = order_.tick(*x.block, x.warp->index);
    mine.warp = static_cast<std::uint8_t>(x.warp->index);
    mine.op = event.op;
    mine.strong = event.access.synchronising || is_update(event.op);
    mine.fenced = event.op == trace::Op::store &&
                  order_.released(*x.block, x.warp->index).to_block != nullptr;

    // Neighbouring lanes share a cell: they make one touch.
    std::uint64_t index = 0;
    const Allocation* allocation = nullptr;
    const auto finish = [&] {
        if (mine.bits == 0) return;
        Cell& cell =
            is_shared ? shared_[x.block->linear][index] : global_[allocation->number][index];
        touch(x, event, mine, index, cell, allocation);
        mine.bits = 0;
    };
    const auto width = static_cast<std::uint64_t>(event.width_bytes);
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
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
        for (std::uint64_t word = begin / 4; word * 4 < begin + width; ++word)
            if ((mine.bits & byte_bits(word * 4, word * 4 + 4)) == 0)
                mine.lanes[word] = static_cast<std::uint8_t>(lane);
        mine.bits |= byte_bits(begin, begin + width);
    }
    finish();
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
            read_unwritten(x, event, lanes_in(event, base, unset),
                           mine.lanes[lowest_bit(unset) / 4], allocation);
        if (!loads && is_shared) {
            const std::uint64_t undefined =
                storing_undefined_ == 0 ? 0 : bytes_of(event, base, storing_undefined_);
            cell.written = (cell.written | mine.bits) & ~undefined;
        } else if (!loads) {
            x.launch.memory.mark_cell(*allocation, index, mine.bits);
        }
    }
    if (!races_) return;
    if (is_shared && cell.round != order_.rounds(*x.block)) {
        cell.round = order_.rounds(*x.block);
        cell.touches.clear();
    }
    std::size_t reads = 0;
    for (Touch& theirs : cell.touches) {
        reads += theirs.op == trace::Op::load;
        const std::uint64_t common = theirs.bits & mine.bits;
        if (common == 0) continue;
        const bool other = is_shared ? theirs.warp != mine.warp : theirs.block != mine.block;
        if (other && conflicts(x, event, mine, theirs, common, base))
            report_race(x, event, mine, theirs, common, base);
        const bool replaced = !loads && (theirs.op == mine.op || stores);
        if (replaced ||
            (!other && theirs.instruction == mine.instruction && theirs.tick == mine.tick))
            theirs.bits &= ~mine.bits;
    }
    std::erase_if(cell.touches, [](const Touch& theirs) { return theirs.bits == 0; });
    if (loads && reads >= most_reads)
        cell.touches.erase(std::ranges::find(cell.touches, trace::Op::load, &Touch::op));
    cell.touches.push_back(mine);
}

bool AccessChecks::conflicts(Executor& x, const AccessEvent& event, const Touch& mine,
                             const Touch& theirs, std::uint64_t common, std::uint64_t base) const
{
    if (mine.op == trace::Op::load && theirs.op == trace::Op::load) return false;
    if (mine.strong && theirs.strong) return false;
    // A flag that is stored as any other value, but behind a fence, and read as a flag.
    if (mine.strong && theirs.fenced) return false;
    if (mine.fenced && theirs.strong && theirs.op == trace::Op::load) return false;
    if (order_.knows(*x.block, x.warp->index, theirs.block, theirs.warp, theirs.tick)) return false;
    // Threads that all store one value leave it there in any order: programs do so on purpose
    // ("something was found"), and nothing depends on who is last. Whoever reads it without
    // waiting is still reported.
    return !(mine.op == trace::Op::store && theirs.op == trace::Op::store &&
             same_value(x, event, common, base));
}

// Whether the lanes store what memory holds already, in those bytes.
bool AccessChecks::same_value(Executor& x, const AccessEvent& event, std::uint64_t common,
                              std::uint64_t base) const
{
    const Access& access = event.access;
    if (access.mover.store_lanes == nullptr || access.values[0] == no_row) return false;
    constexpr std::size_t room = 32;
    std::array<std::byte, warp_lanes * room> stored{};
    std::array<std::uint64_t, warp_lanes> places;
    for (std::size_t lane = 0; lane < warp_lanes; ++lane) places[lane] = lane * room;
    for (int i = 0; i < access.elements; ++i)
        access.mover.store_lanes(stored.data() + i * access.element_bytes, places.data(),
                                 event.mask, x.row<const void>(access.values[i]));
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        const std::uint64_t address = event.address(lane);
        for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(event.width_bytes); ++i) {
            if (address + i < base || address + i - base >= cell_bytes) continue;
            if ((common >> (address + i - base) & 1u) == 0) continue;
            const std::byte held = *reinterpret_cast<const std::byte*>(
                reinterpret_cast<std::uintptr_t>(event.base) + address + i);
            if (held != stored[static_cast<std::size_t>(lane) * room + i]) return false;
        }
    }
    return true;
}

// Flags: what is stored behind a fence tells its reader of everything before the fence.
void AccessChecks::hand_over(Executor& x, const AccessEvent& event)
{
    const bool strong = event.access.synchronising || is_update(event.op);
    const bool lone_store = event.op == trace::Op::store && std::has_single_bit(event.mask);
    if (!strong && !lone_store) return;
    const ptx::Instruction& source = source_of(x, event.instruction);
    if (strong && event.op != trace::Op::load &&
        (source.has(ptx::Word::release) || source.has(ptx::Word::acq_rel)))
        order_.fence(*x.block, x.warp->index, !source.has(ptx::Word::cta));
    const std::uint64_t owner = event.space == ptx::Space::shared ? x.block->linear : no_block;
    const Released released = order_.released(*x.block, x.warp->index);
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const std::pair place{owner, event.address(lowest_lane(rest))};
        const auto found = flags_.find(place);
        if (event.op != trace::Op::store && found != flags_.end())
            order_.acquire(*x.block, x.warp->index, found->second);
        if (event.op == trace::Op::load) continue;
        if (is_update(event.op)) {
            // An atomic passes on what the one before it told.
            const Released mine = order_.released(*x.block, x.warp->index);
            if (!mine.to_block && found == flags_.end()) continue;
            Released& flag = flags_[place];
            flag = found == flags_.end() ? mine : HappensBefore::both(flag, mine);
        } else if (released.to_block) {
            flags_[place] = released;
        } else if (found != flags_.end()) {
            flags_.erase(found);
        }
    }
}

void AccessChecks::report_race(Executor& x, const AccessEvent& event, const Touch& mine,
                               const Touch& theirs, std::uint64_t common, std::uint64_t base)
{
    const auto byte = static_cast<std::uint64_t>(lowest_bit(common));
    const bool is_shared = event.space == ptx::Space::shared;
    const int lane = mine.lanes[byte / 4];
    const std::uint64_t address = event.address(lane);
    const ptx::Instruction& source =
        theirs.function->source->instructions[theirs.instruction->source];
    const std::string place = place_text(*x.launch.program.module, source);
    const Warp& other = x.block->warps[theirs.warp];
    const std::string thread = text(x.thread_index(other, theirs.lanes[byte / 4]));
    const auto past = [&] {
        return theirs.op == trace::Op::load    ? "read"
               : theirs.op == trace::Op::store ? "written"
                                               : "updated atomically";
    };
    if (is_shared)
        x.fault(event.instruction, "race", lane, shared_window + address,
                fmt::format("{} shared memory at {:#x}, which thread {} of warp {} has {} at {} "
                            "since the last barrier: without a __syncthreads() between them the "
                            "order is not defined",
                            verb(event.op), address, thread, theirs.warp, past(), place));
    const Dim3 grid = x.launch.grid;
    const Dim3 block{static_cast<std::uint32_t>(theirs.block % grid.x),
                     static_cast<std::uint32_t>(theirs.block / grid.x % grid.y),
                     static_cast<std::uint32_t>(theirs.block / grid.x / grid.y)};
    const Allocation* allocation = x.launch.memory.find(base);
    x.fault(event.instruction, "race", lane, address,
            fmt::format("{} {} bytes at {:#x} in {}, which thread {} of block {} has {} at {}: "
                        "nothing orders the two blocks, so the result depends on which comes first",
                        verb(event.op), event.width_bytes, address, describe(x.launch, *allocation),
                        thread, text(block), past(), place));
}

AccessChecks::UndefinedKey AccessChecks::key(const Executor& x) const
{
    return {
        x.block->linear, static_cast<std::uint64_t>(x.warp->index),
        static_cast<std::uint64_t>(x.warp->paths[static_cast<std::size_t>(x.path_index)].frame)};
}

void AccessChecks::read_unwritten(Executor& x, const AccessEvent& event, std::uint32_t lanes,
                                  int lane, const Allocation* allocation)
{
    const std::uint64_t address = event.address(lane);
    const std::string what =
        allocation == nullptr
            ? fmt::format("{} bytes of shared memory at {:#x}, which nothing has written in this "
                          "block",
                          event.width_bytes, address)
            : fmt::format("{} bytes at {:#x} in {}, which nothing has written", event.width_bytes,
                          address, describe(x.launch, *allocation));
    if (event.op != trace::Op::load || event.access.values[0] == no_row)
        x.fault(event.instruction, "uninitialised", lane,
                address + (allocation == nullptr ? shared_window : 0), "reads " + what);
    Undefined& undefined = undefined_[key(x)];
    undefined.function = x.function;
    undefined.registers.resize(x.function->source->registers.size());
    const ptx::Instruction& source = source_of(x, event.instruction);
    undefined.origin =
        fmt::format("{} (read at {})", what, place_text(*x.launch.program.module, source));
    for_registers(source.operands[0],
                  [&](int reg) { undefined.registers[static_cast<std::size_t>(reg)] |= lanes; });
    x.follow_from_here = true;
}

bool AccessChecks::follows(const Executor& x) const
{
    return !undefined_.empty() && undefined_.contains(key(x));
}

void AccessChecks::report_undefined(Executor& x, const Instruction& in, std::uint32_t lanes,
                                    const Undefined& undefined, std::string_view what) const
{
    x.fault(in, "uninitialised", lowest_lane(lanes), 0,
            fmt::format("{} that depends on {}", what, undefined.origin));
}

void AccessChecks::before(Executor& x, const Instruction& in, std::uint32_t mask)
{
    storing_undefined_ = 0;
    if (in.counted == 0) return;
    const auto found = undefined_.find(key(x));
    Undefined& undefined = found->second;
    std::vector<std::uint32_t>& registers = undefined.registers;
    const ptx::Instruction& source = source_of(x, in);
    if (source.guard) {
        const std::uint32_t lanes =
            registers[static_cast<std::size_t>(source.guard->reg)] & x.path().mask;
        if (lanes != 0) report_undefined(x, in, lanes, undefined, "branches on a value");
    }
    const bool stores = source.op == ptx::Op::st;
    const bool updates = source.op == ptx::Op::atom || source.op == ptx::Op::red;
    const bool has_target = !stores && !source.operands.empty() &&
                            source.operands[0].kind != ptx::Operand::Kind::address &&
                            source.op != ptx::Op::bra && source.op != ptx::Op::bar;
    std::uint32_t from = 0;
    for (std::size_t i = has_target ? 1 : 0; i < source.operands.size(); ++i) {
        const ptx::Operand& operand = source.operands[i];
        std::uint32_t lanes = 0;
        for_registers(operand,
                      [&](int reg) { lanes |= registers[static_cast<std::size_t>(reg)] & mask; });
        if (operand.kind == ptx::Operand::Kind::address) {
            if (lanes != 0) report_undefined(x, in, lanes, undefined, "uses an address");
        } else {
            from |= lanes;
        }
    }
    if (from != 0 && (updates || source.op == ptx::Op::sust ||
                      (stores && source.modifiers.space == ptx::Space::global)))
        report_undefined(x, in, from, undefined,
                         updates ? "updates memory by a value" : "stores a result");
    if (stores) storing_undefined_ = from;
    if (has_target)
        for_registers(source.operands[0], [&](int reg) {
            std::uint32_t& lanes = registers[static_cast<std::size_t>(reg)];
            lanes = (lanes & ~mask) | from;
        });
    if (std::ranges::all_of(registers, [](std::uint32_t lanes) { return lanes == 0; }) &&
        storing_undefined_ == 0)
        undefined_.erase(found);
}

} // namespace lanescope::simt
