// One bit per register and lane. Results depend on all operands, except for selects, shuffles and
// predicate logic, where operands that don't affect the result are ignored.
#include "compute/simt/checks/shadow/undefined_values.h"

#include <algorithm>

#include <fmt/format.h>

#include "compute/ptx/instructions/table.h"
#include "compute/simt/checks/faults/faults.h"
#include "compute/simt/checks/shadow/cells.h"
#include "compute/simt/machine/state/cluster.h"
#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

namespace {

using Lanes = std::uint32_t;
using Registers = std::vector<Lanes>;
using ptx::Effect;
using ptx::Op;
using ptx::Word;

template <class Use>
void for_registers(const ptx::Operand& operand, Use use)
{
    if (operand.reg >= 0) use(static_cast<std::size_t>(operand.reg));
    for (const ptx::Operand& element : operand.elements) for_registers(element, use);
}

Lanes undefined_in(const Registers& registers, const ptx::Operand& operand)
{
    Lanes lanes = 0;
    for_registers(operand, [&](std::size_t reg) { lanes |= registers[reg]; });
    return lanes;
}

// Lanes in which a source predicate is true.
Lanes predicate(const Executor& x, const ptx::Operand& operand)
{
    if (operand.reg < 0) return operand.bits != 0 ? full_mask : 0;
    const RowRef row = x.function->registers[static_cast<std::size_t>(operand.reg)];
    const Lanes value = row == no_row ? 0 : *x.row<const Lanes>(row);
    return operand.negated ? ~value : value;
}

// Lanes whose shuffle result comes from a lane in `undefined`.
Lanes shuffled(const Executor& x, const Instruction& in, const ptx::Instruction& source,
               Lanes undefined)
{
    const Operands& operands = x.function->operands[in.extra];
    const auto* amounts = x.row<const std::uint32_t>(operands.rows[2]);
    const auto* limits = x.row<const std::uint32_t>(operands.rows[3]);
    Lanes lanes = 0;
    for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
        const std::uint32_t segment = limits[lane] >> 8 & 31u;
        const std::uint32_t by = amounts[lane] & 31u;
        const std::uint32_t bound = (lane & segment) | (limits[lane] & 31u & ~segment);
        std::uint32_t from = (lane & segment) | (by & ~segment);
        if (source.has(Word::up)) from = lane - by;
        if (source.has(Word::down)) from = lane + by;
        if (source.has(Word::bfly)) from = lane ^ by;
        const bool inside = source.has(Word::up) ? static_cast<std::int32_t>(from) >=
                                                       static_cast<std::int32_t>(bound)
                                                 : from <= bound;
        lanes |= (undefined >> (inside ? from : lane) & 1u) << lane;
    }
    return lanes;
}

bool stores(const ptx::Instruction& source)
{
    return ptx::form_of(source.op).effect == Effect::writes || source.op == Op::wmma_store;
}

} // namespace

UndefinedValues::Key UndefinedValues::key(const Executor& x)
{
    return {
        x.block->linear, static_cast<std::uint64_t>(x.warp->index),
        static_cast<std::uint64_t>(x.warp->paths[static_cast<std::size_t>(x.path_index)].frame)};
}

bool UndefinedValues::follows(const Executor& x) const
{
    if (values_.empty()) return false;
    const auto found = values_.find(key(x));
    return found != values_.end() && found->second.function == x.function;
}

void UndefinedValues::begins(Executor& x)
{
    const Function& function = *x.function;
    if (function.unset.empty() || x.path().pc != 0) return;
    Values& values = values_[key(x)];
    values.function = &function;
    values.registers.assign(function.source->registers.size(), 0);
    for (const std::uint32_t reg : function.unset) values.registers[reg] = x.path().mask;
    const std::string& first = function.source->registers[function.unset.front()].name;
    values.from_shuffle = false;
    values.origin = function.unset.size() == 1
                        ? fmt::format("register {}, which nothing has set", first)
                        : fmt::format("registers that nothing has set, {} among them", first);
    values.root = values.origin;
}

void UndefinedValues::block_ends(const Executor& x)
{
    const std::uint64_t block = x.block->linear;
    std::erase_if(values_, [&](const auto& entry) { return entry.first[0] == block; });
    std::erase_if(roots_, [&](const auto& entry) { return entry.first.first == block; });
}

UndefinedValues::Cell UndefinedValues::cell_of(const Executor& x, std::uint64_t base,
                                               const Allocation* allocation)
{
    return {allocation == nullptr ? x.shared_block().linear : ~std::uint64_t{0}, base};
}

void UndefinedValues::read(Executor& x, const AccessEvent& event, std::uint64_t base,
                           std::uint64_t unset, const Allocation* allocation)
{
    // Lane masks per vector element; which bytes of a matrix instruction go to which register is
    // not tracked.
    const ptx::Instruction& source = x.source(event.instruction);
    const bool matrix = ptx::form_of(source.op).unit == ptx::Unit::matrix;
    const int elements = matrix ? 1 : event.access.elements;
    const auto bytes = static_cast<std::uint64_t>(event.width_bytes / elements);
    std::array<Lanes, 8> lanes{};
    int first = -1;
    for (Lanes rest = event.mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        for (int i = 0; i < elements; ++i) {
            const std::uint64_t at = event.address(lane) + static_cast<std::uint64_t>(i) * bytes;
            if (at < base || at >= base + cell_bytes) continue;
            if ((byte_bits(at - base, at - base + bytes) & unset) == 0) continue;
            lanes[static_cast<std::size_t>(i)] |= Lanes{1} << lane;
            if (first < 0) first = lane;
        }
    }
    if (first < 0) return;
    const std::uint64_t address = event.address(first);
    const auto known = roots_.find(cell_of(x, base, allocation));
    const std::string root = known != roots_.end() && (known->second.bits & unset) != 0
                                 ? known->second.text
                                 : std::string();
    const std::string memory =
        allocation == nullptr
            ? fmt::format("{} bytes of {} at {:#x}", event.width_bytes, shared_name(x), address)
            : fmt::format("{} bytes at {:#x} (element {}) in {}", event.width_bytes, address,
                          (address - allocation->begin) / std::max<std::uint64_t>(bytes, 1),
                          describe(x.launch, *allocation));
    const std::string what = !root.empty()
                                 ? fmt::format("{}, which hold a value made from {}", memory, root)
                                 : memory + (allocation == nullptr && !x.launch.clustered()
                                                 ? ", which nothing has written in this block"
                                                 : ", which nothing has written");
    if (event.op != trace::Op::load || (!matrix && event.access.values[0] == no_row))
        x.fault(event.instruction, "uninitialised", first,
                allocation == nullptr ? shared_generic(x, address) : address, "reads " + what);
    hold(x, event, lanes, what, root);
}

void UndefinedValues::read_local(Executor& x, const AccessEvent& event,
                                 const std::array<std::uint32_t, 8>& lanes)
{
    Lanes all = 0;
    for (const Lanes some : lanes) all |= some;
    if (all == 0) return;
    const std::uint64_t address = event.address(lowest_lane(all));
    hold(x, event, lanes,
         fmt::format("{} bytes of the thread's local memory at {:#x}, which it has not written",
                     event.width_bytes, address));
}

// Marks the registers that the access has loaded.
void UndefinedValues::hold(Executor& x, const AccessEvent& event,
                           const std::array<std::uint32_t, 8>& lanes, const std::string& what,
                           const std::string& root)
{
    const ptx::Instruction& source = x.source(event.instruction);
    const bool matrix = ptx::form_of(source.op).unit == ptx::Unit::matrix;
    Values& values = values_[key(x)];
    if (values.function != x.function)
        values.registers.assign(x.function->source->registers.size(), 0);
    values.function = x.function;
    values.from_shuffle = false;
    values.origin =
        fmt::format("{} (read at {})", what, place_text(*x.launch.program.module, source));
    values.root = root.empty() ? values.origin : root;
    const ptx::Operand& target = source.operands[0];
    if (matrix || target.kind != ptx::Operand::Kind::vector) {
        const Lanes all =
            source.op == Op::ldmatrix || source.op == Op::wgmma ? full_mask : lanes[0];
        for_registers(target, [&](std::size_t reg) { values.registers[reg] |= all; });
    } else {
        for (std::size_t i = 0; i < target.elements.size() && i < lanes.size(); ++i)
            for_registers(target.elements[i],
                          [&](std::size_t reg) { values.registers[reg] |= lanes[i]; });
    }
    x.follower_just_started = true;
}

void UndefinedValues::shuffle(Executor& x, const Instruction& in, std::uint32_t lanes)
{
    const ptx::Instruction& source = x.source(in);
    const auto [found, is_new] = values_.try_emplace(key(x));
    Values& values = found->second;
    if (is_new || values.function != x.function) {
        values.registers.assign(x.function->source->registers.size(), 0);
        values.function = x.function;
        values.from_shuffle = true;
    }
    if (values.from_shuffle) {
        values.origin = fmt::format(
            "a shuffle from a lane that does not take part: its mask does not name that lane, or "
            "the lane has ended (at {})",
            place_text(*x.launch.program.module, source));
        values.root = values.origin;
    }
    const ptx::Operand& target = source.operands[0]; // d, or d|p
    const ptx::Operand& value = target.elements.empty() ? target : target.elements.front();
    if (value.reg >= 0) values.registers[static_cast<std::size_t>(value.reg)] |= lanes;
    x.follower_just_started = true;
}

void UndefinedValues::report(Executor& x, const Instruction& in, Lanes lanes, const Values& values,
                             std::string_view what)
{
    x.fault(in, "uninitialised", lowest_lane(lanes), 0,
            fmt::format("{} that depends on {}", what, values.origin));
}

// Lanes whose result depends on undefined values.
std::uint32_t UndefinedValues::flow(const Executor& x, const Instruction& in,
                                    const ptx::Instruction& source, const Values& values,
                                    std::uint32_t mask)
{
    const Registers& registers = values.registers;
    const auto of = [&](std::size_t i) { return undefined_in(registers, source.operands[i]); };
    Lanes from = 0;
    for (std::size_t i = 1; i < source.operands.size(); ++i)
        if (source.operands[i].kind != ptx::Operand::Kind::address) from |= of(i);
    if (source.op == Op::wgmma) from |= of(0) & predicate(x, source.operands[3]);
    if (from == 0) return 0;
    const bool predicates = source.modifiers.type() == ptx::Type::pred;
    switch (source.op) {
    case Op::selp: {
        const Lanes chosen = predicate(x, source.operands[3]);
        return (of(3) | (chosen & of(1)) | (~chosen & of(2))) & mask;
    }
    case Op::bit_and:
    case Op::bit_or:
        if (predicates) {
            // Ignore lanes where one defined operand decides the result.
            const Lanes flip = source.op == Op::bit_or ? full_mask : 0;
            const Lanes a = predicate(x, source.operands[1]) ^ flip;
            const Lanes b = predicate(x, source.operands[2]) ^ flip;
            return ((of(1) & of(2)) | (of(1) & b) | (of(2) & a)) & mask;
        }
        return from & mask;
    case Op::shfl: return (shuffled(x, in, source, of(1)) | of(2) | of(3)) & mask;
    case Op::vote:
    case Op::match:
    case Op::redux:
    case Op::mma:
    case Op::mma_sp:
    case Op::wmma_mma:
    case Op::wgmma:
    case Op::movmatrix: return (from & mask) != 0 ? mask : 0;
    default: return from & mask;
    }
}

void UndefinedValues::before(Executor& x, const Instruction& in, std::uint32_t mask)
{
    store_.any = false;
    if (in.counted == 0) return;
    const auto found = values_.find(key(x));
    // Looks it up again: a call may have started since follows() was called.
    if (found == values_.end() || found->second.function != x.function) return;
    Values& values = found->second;
    Registers& registers = values.registers;
    const ptx::Instruction& source = x.source(in);
    if (source.guard && !values.from_shuffle) {
        const Lanes lanes = registers[static_cast<std::size_t>(source.guard->reg)] & x.path().mask;
        if (lanes != 0) report(x, in, lanes, values, "branches on a value");
    }
    for (const ptx::Operand& operand : source.operands)
        if (operand.kind == ptx::Operand::Kind::address && !values.from_shuffle)
            if (const Lanes lanes = undefined_in(registers, operand) & mask; lanes != 0)
                report(x, in, lanes, values, "uses an address");
    if (stores(source)) {
        const ptx::Operand& value = source.operands[1];
        const bool by_element = source.op == Op::st && value.kind == ptx::Operand::Kind::vector;
        Lanes all = undefined_in(registers, value) & mask;
        if (all != 0 && source.op == Op::stmatrix) all = mask;
        store_ = {key(x), &in, {}, all != 0};
        store_.lanes.fill(by_element ? 0 : all);
        for (std::size_t i = 0; by_element && i < value.elements.size(); ++i)
            store_.lanes[i] = undefined_in(registers, value.elements[i]) & mask;
        return;
    }
    const Lanes from = flow(x, in, source, values, mask);
    if (from != 0 && (source.op == Op::atom || source.op == Op::red) && !values.from_shuffle)
        report(x, in, from, values, "updates memory by a value");
    if (from != 0 && source.op == Op::sust) store_result(x, in, from);
    bool fewer = false; // a register has become defined
    const bool has_target = !source.operands.empty() &&
                            source.operands[0].kind != ptx::Operand::Kind::address &&
                            source.op != Op::bra && source.op != Op::bar;
    if (has_target)
        for_registers(source.operands[0], [&](std::size_t reg) {
            const Lanes now = (registers[reg] & ~mask) | from;
            fewer = fewer || (now == 0 && registers[reg] != 0);
            registers[reg] = now;
        });
    if (fewer && std::ranges::all_of(registers, [](Lanes lanes) { return lanes == 0; }))
        values_.erase(found);
}

bool UndefinedValues::is_stored(const Executor& x, const AccessEvent& event) const
{
    return store_.any && store_.instruction == &event.instruction && event.op == trace::Op::store &&
           store_.key == key(x);
}

bool UndefinedValues::is_from_shuffle(const Executor& x) const
{
    const auto found = values_.find(key(x));
    return found != values_.end() && found->second.from_shuffle;
}

std::array<std::uint32_t, 8> UndefinedValues::stored_lanes(const Executor& x,
                                                           const AccessEvent& event) const
{
    return is_stored(x, event) && !is_from_shuffle(x) ? store_.lanes
                                                      : std::array<std::uint32_t, 8>{};
}

std::uint64_t UndefinedValues::stored(const Executor& x, const AccessEvent& event,
                                      std::uint64_t base, const Allocation* allocation)
{
    constexpr std::size_t max_roots = 4096;
    if (!is_stored(x, event) || is_from_shuffle(x)) return 0;
    const auto bytes = static_cast<std::uint64_t>(event.width_bytes / event.access.elements);
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < event.access.elements; ++i)
        for (Lanes rest = store_.lanes[i] & event.mask; rest != 0; rest &= rest - 1) {
            const std::uint64_t at = event.address(lowest_lane(rest)) + i * bytes;
            if (at >= base && at < base + cell_bytes)
                bits |= byte_bits(at - base, at - base + bytes);
        }
    if (bits != 0 && roots_.size() < max_roots)
        roots_[cell_of(x, base, allocation)] = {bits, values_.at(key(x)).root};
    return bits;
}

void UndefinedValues::result(Executor& x, const AccessEvent& event)
{
    if (!is_stored(x, event)) return;
    Lanes lanes = 0;
    for (const Lanes element : store_.lanes) lanes |= element;
    if ((lanes & event.mask) != 0) store_result(x, event.instruction, lanes & event.mask);
}

void UndefinedValues::store_result(Executor& x, const Instruction& in, Lanes lanes)
{
    for (Result& known : results_)
        if (std::ranges::find(known.instructions, &in) != known.instructions.end()) {
            known.lanes += lane_count(lanes);
            return;
        }
    try {
        report(x, in, lanes, values_.at(key(x)), "stores a result");
    } catch (const device::KernelFault& found) {
        if (!survives_) throw;
        const trace::Fault& fault = found.fault();
        for (Result& known : results_)
            if (fault.line != 0 && known.first.line == fault.line &&
                known.first.file == fault.file) {
                known.instructions.push_back(&in);
                known.lanes += lane_count(lanes);
                return;
            }
        results_.push_back({{&in}, fault, lane_count(lanes), is_from_shuffle(x)});
    }
}

std::vector<trace::Fault> UndefinedValues::results() const
{
    std::vector<trace::Fault> all;
    for (const Result& result : results_) {
        all.push_back(result.first);
        all.back().kind = result.from_shuffle ? undefined_shuffle : undefined_result;
        if (result.lanes > 1)
            all.back().message += fmt::format(" {} such values are stored there.", result.lanes);
    }
    return all;
}

} // namespace lanescope::simt
