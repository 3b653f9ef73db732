// Decodes one function: lays out registers, parameters and local variables, then decodes each
// instruction.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "compute/device/kernel_names.h"
#include "compute/ptx/debug/dwarf.h"
#include "compute/ptx/instructions/words.h"
#include "compute/simt/decode/decoder.h"
#include "compute/simt/decode/flow/address_groups.h"
#include "compute/simt/decode/flow/register_rows.h"

namespace lanescope::simt {

namespace {

void count_uses(const std::vector<ptx::Operand>& operands, std::vector<int>& uses)
{
    for (const ptx::Operand& operand : operands) {
        if (operand.reg >= 0) ++uses[static_cast<std::size_t>(operand.reg)];
        count_uses(operand.elements, uses);
    }
}

} // namespace

void FunctionDecoder::refuse(const ptx::Instruction& in, std::string_view why) const
{
    throw device::LaunchError(
        fmt::format("The lockstep machine cannot run '{}' in {} (PTX line {}){}{}.",
                    ptx::written(shared.module, in), source.name, in.ptx_line,
                    why.empty() ? "" : ": ", why),
        "Rewrite it, or run this kernel on a GPU.");
}

// Reports the function's first source line, which the compiler assigns to its first instruction.
void FunctionDecoder::refuse_local(const ptx::Variable& variable) const
{
    std::string where;
    for (const ptx::Instruction& in : source.instructions) {
        if (in.location < 0) continue;
        const ptx::SourceLocation& at =
            shared.module.locations[static_cast<std::size_t>(in.location)];
        const auto file = shared.module.files.find(at.file);
        if (file == shared.module.files.end()) continue;
        where = fmt::format(" ({}, line {})",
                            std::filesystem::path(file->second).filename().string(), at.line);
        break;
    }
    throw device::LaunchError(
        fmt::format("{}{} needs more local memory than the {} bytes that a GPU has for a thread: "
                    "{} alone takes {}.",
                    device::short_name(source.name), where, max_local_bytes, variable.name,
                    variable.size_bytes()),
        "Make its arrays smaller, or pass a buffer.");
}

void FunctionDecoder::refuse_parameters(const ptx::Variable& variable) const
{
    throw device::LaunchError(
        fmt::format("The parameters of {} and the functions it calls need more than {} bytes per "
                    "thread: {} alone needs {}.",
                    device::short_name(source.name), max_param_bytes, variable.name,
                    variable.size_bytes()),
        "Pass a pointer instead.");
}

void FunctionDecoder::lay_out()
{
    std::uint64_t end = 0;
    const auto add = [&](const ptx::Variable& variable) {
        end = aligned(end, variable.alignment);
        if (end > max_param_bytes || variable.size_bytes() > max_param_bytes - end)
            refuse_parameters(variable);
        const ParamSlot slot{static_cast<std::uint32_t>(end),
                             static_cast<std::uint32_t>(variable.size_bytes())};
        params[variable.name] = slot;
        end += slot.bytes;
        return slot;
    };
    if (!source.is_kernel) {
        for (const ptx::Variable& result : source.results) function.results.push_back(add(result));
        for (const ptx::Variable& parameter : source.parameters)
            function.parameters.push_back(add(parameter));
    }
    std::uint64_t local = 0;
    for (const ptx::Variable& variable : source.variables) {
        if (variable.space == ptx::Space::param) add(variable);
        if (variable.space != ptx::Space::local) continue;
        local = aligned(local, variable.alignment);
        if (variable.size_bytes() > max_local_bytes ||
            local + variable.size_bytes() > max_local_bytes)
            refuse_local(variable);
        locals[variable.name] = static_cast<std::uint32_t>(local);
        local += variable.size_bytes();
    }
    function.param_stride = static_cast<std::uint32_t>(aligned(end, 16));
    function.local_bytes = static_cast<std::uint32_t>(local);
}

RowRef FunctionDecoder::scratch() const
{
    return row_ref(scratch_row, RowBase::frame);
}

std::uint32_t FunctionDecoder::add_operands(const Operands& operands)
{
    function.operands.push_back(operands);
    return static_cast<std::uint32_t>(function.operands.size() - 1);
}

void FunctionDecoder::decode()
{
    function.name = source.name;
    function.source = &source;
    labelled.assign(source.instructions.size() + 1, false);
    for (const auto& [label, index] : source.labels)
        labelled[static_cast<std::size_t>(index)] = true;
    uses.assign(source.registers.size(), 0);
    for (const ptx::Instruction& in : source.instructions) {
        count_uses(in.operands, uses);
        if (in.guard) ++uses[static_cast<std::size_t>(in.guard->reg)];
    }
    lay_out();
    flow = ptx::control_flow(shared.module, source);
    early_uses = find_early_uses(source, flow);
    lay_out_registers();
    const std::vector<bool> meets = meetings();
    number(meets);
    decode_all(meets);
    resolve_targets();
    mark_straight();
    group_addresses(function, shared.program.load_batches);
}

void FunctionDecoder::lay_out_registers()
{
    const Liveness liveness(source, flow);
    RegisterRows placed = place_registers(source, liveness, ptx::is_debug_text(shared.module.text));
    function.registers = std::move(placed.rows);
    function.carry_row = placed.carry;
    function.row_bytes = placed.bytes;
    function.registers_needed = static_cast<int>(placed.scratch / (4 * warp_lanes));
    function.live_registers = placed.live;
    scratch_row = placed.scratch;
    if (std::uint64_t{function.row_bytes} + std::uint64_t{warp_lanes} * function.param_stride >
        max_frame_bytes)
        throw device::LaunchError(
            fmt::format("{} has more registers than the lockstep machine supports.",
                        device::short_name(source.name)),
            "Split it into smaller kernels.");
    const auto in_registers = [&](const std::vector<ptx::Variable>& variables,
                                  std::vector<ParamSlot>& slots) {
        for (std::size_t i = 0; i < slots.size(); ++i)
            if (variables[i].space == ptx::Space::reg)
                slots[i] = register_slot(ptx::register_index(source, variables[i].name));
    };
    in_registers(source.results, function.results);
    note_unset(liveness);
    in_registers(source.parameters, function.parameters);
}

// The instructions before which a mark lets diverged lanes meet again.
std::vector<bool> FunctionDecoder::meetings() const
{
    const int count = static_cast<int>(source.instructions.size());
    std::vector<bool> meets(static_cast<std::size_t>(count) + 1);
    const auto meet = [&](int index) {
        if (index >= 0) meets[static_cast<std::size_t>(index)] = true;
    };
    for (int i = 0; i < count; ++i) {
        const ptx::Instruction& in = source.instructions[static_cast<std::size_t>(i)];
        const ptx::Effect effect = ptx::form_of(in.op).effect;
        if (effect == ptx::Effect::branches && (in.guard || in.op == ptx::Op::brx)) {
            meet(reconvergence_point(i));
            for (int place : outer_points(i)) meet(place);
        }
        const bool calls = effect == ptx::Effect::calls;
        const bool indirect = calls && in.operands[1].kind != ptx::Operand::Kind::symbol;
        const bool waits =
            effect == ptx::Effect::synchronises || ptx::form_of(in.op).unit == ptx::Unit::matrix;
        if (indirect || (in.guard && (calls || waits))) meet(i + 1);
    }
    return meets;
}

void FunctionDecoder::number(const std::vector<bool>& meets)
{
    const int count = static_cast<int>(source.instructions.size());
    pc_of.resize(static_cast<std::size_t>(count) + 1);
    int pc = 0;
    for (int i = 0; i <= count; ++i) {
        pc_of[static_cast<std::size_t>(i)] = pc;
        pc += meets[static_cast<std::size_t>(i)] ? 2 : 1;
        if (i < count && is_suspect(i)) ++pc;
        if (i < count) pc += added_instructions(source.instructions[static_cast<std::size_t>(i)]);
    }
}

void FunctionDecoder::decode_all(const std::vector<bool>& meets)
{
    const int count = static_cast<int>(source.instructions.size());
    for (int i = 0; i <= count; ++i) {
        if (meets[static_cast<std::size_t>(i)]) {
            Instruction mark;
            mark.use(reconverge_handlers());
            mark.counted = 0;
            mark.source = static_cast<std::uint32_t>(std::min(i, count - 1));
            function.code.push_back(mark);
        }
        if (i < count) {
            add_look(i);
            decode_one(i);
        }
    }
    Instruction end; // implicit return at the end
    end.use(source.is_kernel ? exit_handlers() : return_handlers());
    end.counted = 0;
    end.source = static_cast<std::uint32_t>(std::max(count - 1, 0));
    function.code.push_back(end);
}

// From PTX instructions to pcs.
void FunctionDecoder::resolve_targets()
{
    for (Branch& branch : function.branches) {
        if (branch.reconvergence >= 0)
            branch.reconvergence = pc_of[static_cast<std::size_t>(branch.reconvergence)];
        for (int& place : branch.outer) place = pc_of[static_cast<std::size_t>(place)];
        branch.target = pc_of[static_cast<std::size_t>(branch.target)];
        for (int& target : branch.table) target = pc_of[static_cast<std::size_t>(target)];
    }
    for (Call& call : function.calls)
        call.return_to = pc_of[static_cast<std::size_t>(call.return_to)];
}

// Registers live at the function's start are read before being written on some path. If a loop
// starts there, they may have values from an earlier iteration and are not noted.
void FunctionDecoder::note_unset(const Liveness& liveness)
{
    if (source.instructions.empty()) return;
    for (const ptx::Block& block : flow.blocks)
        for (const int successor : block.successors)
            if (successor == 0) return;
    std::vector<bool> given(source.registers.size());
    for (const ptx::Variable& parameter : source.parameters)
        if (parameter.space == ptx::Space::reg)
            given[static_cast<std::size_t>(ptx::register_index(source, parameter.name))] = true;
    for (std::size_t reg = 0; reg < source.registers.size(); ++reg)
        if (!given[reg] && liveness.live_before(0, reg))
            function.unset.push_back(static_cast<std::uint32_t>(reg));
    shared.program.may_read_unset = shared.program.may_read_unset || !function.unset.empty();
}

void FunctionDecoder::decode_one(int index)
{
    const ptx::Instruction& in = source.instructions[static_cast<std::size_t>(index)];
    Instruction out;
    out.source = static_cast<std::uint32_t>(index);
    const int site = shared.sites.find({module_index, index});
    if (site >= 0) out.site = static_cast<std::uint32_t>(site);
    if (in.guard) {
        out.guarded = true;
        out.guard_negated = in.guard->negated;
        out.guard = register_row(in.guard->reg);
    }
    if (!in.modifiers.not_run.empty())
        refuse(in, fmt::format(".{}: {}", in.modifiers.not_run,
                               ptx::why_unsupported(in.modifiers.not_run)));
    if (const ptx::Operand* place = far_address(in))
        decode_far(in, *place, out, index);
    else if (!decode_by_unit(in, out, index))
        refuse(in);
    function.code.push_back(out);
}

// The operand whose address has an offset outside the signed 32-bit range that PTX allows; null if
// there is none. Parameters are excluded because their bounds are checked during decoding, and
// prefetches and similar hints because they access nothing.
const ptx::Operand* FunctionDecoder::far_address(const ptx::Instruction& in)
{
    if (in.modifiers.space == ptx::Space::param) return nullptr;
    if (ptx::form_of(in.op).unit == ptx::Unit::nothing) return nullptr;
    const auto is_far = [](const ptx::Operand& operand) {
        return operand.kind == ptx::Operand::Kind::address &&
               (operand.reg >= 0 || !operand.symbol.empty()) &&
               operand.offset != static_cast<std::int32_t>(operand.offset);
    };
    const auto found = std::ranges::find_if(in.operands, is_far);
    return found == in.operands.end() ? nullptr : &*found;
}

// Decodes an instruction with such an address to a fault, thrown when lanes execute it. The rest of
// the instruction must be valid.
void FunctionDecoder::decode_far(const ptx::Instruction& in, const ptx::Operand& place,
                                 Instruction& out, int index)
{
    ptx::Instruction near = in;
    for (ptx::Operand& operand : near.operands)
        if (operand.kind == ptx::Operand::Kind::address) operand.offset = 0;
    if (!decode_by_unit(near, out, index)) refuse(in);
    Access access;
    access.space = in.modifiers.space;
    access.width_bytes = access.element_bytes = 1;
    const ptx::Effect effect = ptx::form_of(in.op).effect;
    access.op = effect == ptx::Effect::writes || in.op == ptx::Op::wmma_store ? trace::Op::store
                : effect == ptx::Effect::updates                              ? trace::Op::atomic
                : effect == ptx::Effect::reduces                              ? trace::Op::reduction
                                                                              : trace::Op::load;
    const auto number = static_cast<std::size_t>(&place - in.operands.data());
    address(near, near.operands[number], access);
    access.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(access.offset) +
                                              static_cast<std::uint64_t>(place.offset));
    out.run = nullptr;
    out.use(far_offset_handlers());
    out.extra = static_cast<std::uint32_t>(function.accesses.size());
    function.accesses.push_back(access);
}

bool FunctionDecoder::decode_by_unit(const ptx::Instruction& in, Instruction& out, int index)
{
    using ptx::Unit;
    const ptx::Form& form = ptx::form_of(in.op);
    switch (form.unit) {
    case Unit::arithmetic:
    case Unit::bitfield:
    case Unit::logic:
    case Unit::comparison: return arithmetic(in, out);
    case Unit::conversion: return conversion(in, out);
    case Unit::move: return move(in, out);
    case Unit::address:
        return in.op == ptx::Op::cvta ? conversion_of_address(in, out) : query(in, out);
    case Unit::memory: return memory(in, out);
    case Unit::atomic: return atomic(in, out);
    case Unit::copy: return async_copy(in, out);
    case Unit::fence: return fence(in, out);
    case Unit::nothing: out.use(nothing_handlers()); return true;
    case Unit::control: return control(in, out, index);
    case Unit::barrier: return barrier(in, out);
    case Unit::warp: return cross_lane(in, out);
    case Unit::image: return image(in, out);
    case Unit::matrix: return matrix(in, out);
    case Unit::barrier_object: return barrier_object(in, out);
    case Unit::video: return video(in, out);
    case Unit::bulk_copy: return bulk_copy(in, out);
    case Unit::refused: refuse(in, form.reason);
    }
    return false;
}

void FunctionDecoder::mark_straight()
{
    std::uint16_t length = 0;
    for (auto in = function.code.rbegin(); in != function.code.rend(); ++in) {
        const bool plain = in->run != nullptr && !in->guarded && in->counted != 0 &&
                           in->kind == HandlerKind::arithmetic;
        length = plain ? static_cast<std::uint16_t>(std::min(length + 1, 60000)) : std::uint16_t{0};
        in->straight = length;
    }
    if (!source.is_kernel) return;
    std::vector<bool> repeated(function.code.size());
    for (std::size_t pc = 0; pc < function.code.size(); ++pc) {
        if (function.code[pc].kind != HandlerKind::branch) continue;
        const auto target =
            static_cast<std::size_t>(function.branches[function.code[pc].extra].target);
        for (std::size_t inside = target; inside <= pc; ++inside) repeated[inside] = true;
    }
    for (std::size_t pc = 0; pc < function.code.size(); ++pc)
        if (repeated[pc] && function.code[pc].straight != 0)
            function.code[pc].extra = function.bound_instructions++;
}

} // namespace lanescope::simt
