// Branches, calls, returns and barriers.
#include <fmt/format.h>

#include "compute/simt/decode/decoder.h"
#include "compute/simt/operations/calls/device_runtime.h"

namespace lanescope::simt {

namespace {

using Kind = ptx::Operand::Kind;

} // namespace

// Lanes that would reconverge only to exit do not reconverge: no instruction waits for
// them there, not even a barrier.
int FunctionDecoder::reconvergence_point(int index) const
{
    if (const auto known = source.meetings.find(index); known != source.meetings.end())
        return known->second.empty() ? -1 : known->second.front();
    const int place = flow.reconvergence(index);
    if (place < 0 || place >= static_cast<int>(source.instructions.size())) return -1;
    if (!source.is_kernel) return place;
    const ptx::Instruction& there = source.instructions[static_cast<std::size_t>(place)];
    const bool leaves = !there.guard && (there.op == ptx::Op::ret || there.op == ptx::Op::exit);
    return leaves ? -1 : place;
}

std::vector<int> FunctionDecoder::outer_points(int index) const
{
    const auto known = source.meetings.find(index);
    if (known == source.meetings.end() || known->second.empty()) return {};
    return {known->second.begin() + 1, known->second.end()};
}

bool FunctionDecoder::control(const ptx::Instruction& in, Instruction& out, int index)
{
    switch (in.op) {
    case ptx::Op::bra:
    case ptx::Op::brx: branch(in, out, index); return true;
    case ptx::Op::exit: out.use(exit_handlers()); return true;
    case ptx::Op::ret: out.use(source.is_kernel ? exit_handlers() : return_handlers()); return true;
    case ptx::Op::trap: out.use(trap_handlers()); return true;
    case ptx::Op::call: call(in, out, index); return true;
    default: return false;
    }
}

void FunctionDecoder::branch(const ptx::Instruction& in, Instruction& out, int index)
{
    Branch branch;
    const std::vector<int> targets = ptx::branch_targets(source, in);
    branch.reconvergence = reconvergence_point(index);
    branch.outer = outer_points(index);
    if (in.op == ptx::Op::brx) {
        branch.table = targets;
        branch.index = source_row(in, in.operands[0], ptx::Type::u32);
        out.use(table_branch_handlers());
    } else {
        branch.target = targets.front();
        out.use(branch_handlers());
    }
    out.always = true;
    out.extra = static_cast<std::uint32_t>(function.branches.size());
    function.branches.push_back(std::move(branch));
}

// Arguments and results: .param variables, or registers and constants if the function takes
// registers.
ParamSlot FunctionDecoder::call_slot(const ptx::Instruction& in, const ptx::Operand& operand,
                                     const ptx::Variable* parameter)
{
    if (const auto slot = params.find(operand.symbol); slot != params.end()) return slot->second;
    if (operand.kind == Kind::reg) {
        ParamSlot slot = register_slot(operand.reg);
        slot.inverted = operand.negated;
        return slot;
    }
    if (parameter == nullptr || parameter->space != ptx::Space::reg)
        refuse(in, "an argument is neither a register nor a .param variable");
    return {.bytes = static_cast<std::uint32_t>(lane_bytes(parameter->type)),
            .row = source_row(in, operand, parameter->type)};
}

void FunctionDecoder::call(const ptx::Instruction& in, Instruction& out, int index)
{
    Call made;
    made.return_to = index + 1;
    const ptx::Operand& callee = in.operands[1];
    const std::vector<ptx::Variable>* parameters = nullptr;
    if (callee.kind == Kind::symbol) {
        if (callee.symbol == "vprintf") {
            made.builtin = Builtin::vprintf;
            require_block_order();
        } else if (callee.symbol == "malloc" || callee.symbol == "free") {
            made.builtin = callee.symbol == "malloc" ? Builtin::malloc : Builtin::free;
            require_block_order(); // addresses depend on the order
        } else if (callee.symbol == "__cudaCDP2Malloc" || callee.symbol == "__cudaCDP2Free") {
            refuse(in, "cudaMalloc and cudaFree in kernels are not supported; malloc and free are");
        } else if (const DeviceCall asked = device_call(callee.symbol); asked != DeviceCall::none) {
            made.builtin = Builtin::device_runtime;
            made.device = asked;
            require_block_order(); // device-side launches are ordered
        } else if (callee.symbol == "__assertfail" || callee.symbol == "__assert_fail") {
            made.builtin = Builtin::assertfail;
        } else {
            const ptx::Function* target = shared.module.find_function(callee.symbol);
            if (target == nullptr || target->is_declaration) {
                const std::string_view reason = ptx::reason_of_function(callee.symbol);
                if (!reason.empty()) refuse(in, fmt::format("{}", reason));
                refuse(in, fmt::format("function {} is not defined in the PTX", callee.symbol));
            }
            parameters = &target->parameters;
            made.function = shared.program.by_module_index.at(
                static_cast<int>(target - shared.module.functions.data()));
        }
    } else {
        made.target = source_row(in, callee, ptx::Type::b64);
        const auto prototype = source.prototypes.find(in.operands[3].symbol);
        if (prototype != source.prototypes.end())
            parameters =
                &source.prototype_list[static_cast<std::size_t>(prototype->second)].parameters;
    }
    for (const ptx::Operand& element : in.operands[0].elements)
        made.results.push_back(call_slot(in, element, nullptr));
    const std::vector<ptx::Operand>& arguments = in.operands[2].elements;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        made.arguments.push_back(call_slot(
            in, arguments[i],
            parameters != nullptr && i < parameters->size() ? &(*parameters)[i] : nullptr));
    if (made.builtin != Builtin::none)
        for (const auto* slots : {&made.results, &made.arguments})
            for (const ParamSlot& slot : *slots)
                if (slot.row != no_row)
                    refuse(in, "a function of the device runtime gets a register instead of a "
                               ".param variable");
    out.use(call_handlers());
    out.extra = static_cast<std::uint32_t>(function.calls.size());
    function.calls.push_back(std::move(made));
}

bool FunctionDecoder::cluster_barrier(const ptx::Instruction& in, Instruction& out)
{
    using ptx::Word;
    const bool waits = in.has(Word::wait);
    if (in.has(waits ? Word::release : Word::acquire) || (waits && in.has(Word::relaxed)))
        refuse(in, waits ? "a wait can only be .acquire" : "an arrival cannot be .acquire");
    Operands operands;
    operands.values[0] = in.has(Word::aligned) ? 1 : 0;
    out.use(cluster_barrier_handlers(waits));
    out.extra = add_operands(operands);
    return true;
}

// bar{.cta}, barrier{.cta}: operands are number, threads, predicate; all but the first are
// optional.
bool FunctionDecoder::barrier(const ptx::Instruction& in, Instruction& out)
{
    using ptx::Word;
    if (in.op == ptx::Op::barrier_cluster) return cluster_barrier(in, out);
    const bool reduces = in.op == ptx::Op::bar_red || in.op == ptx::Op::barrier_red;
    BarrierKind kind = in.has(Word::arrive) ? BarrierKind::arrive : BarrierKind::sync;
    if (reduces)
        kind = in.has(Word::popc)      ? BarrierKind::red_popc
               : in.has(Word::bit_and) ? BarrierKind::red_and
                                       : BarrierKind::red_or;
    Operands operands;
    operands.values[0] = static_cast<std::int64_t>(kind);
    operands.values[1] =
        in.op == ptx::Op::bar || in.op == ptx::Op::bar_red || in.has(Word::aligned) ? 1 : 0;
    std::size_t next = 0;
    std::size_t last = in.operands.size();
    if (reduces) {
        const ptx::Type result = kind == BarrierKind::red_popc ? ptx::Type::u32 : ptx::Type::pred;
        operands.rows[3] = destination_row(in, in.operands[next++], result);
        const ptx::Operand& predicate = in.operands[--last];
        operands.rows[2] = source_row(in, predicate, ptx::Type::pred);
        operands.inverted = predicate.negated;
    }
    if (next < last)
        operands.rows[0] = source_row(in, in.operands[next++], ptx::Type::u32);
    else
        operands.rows[0] = shared.constant32(0);
    if (next < last) operands.rows[1] = source_row(in, in.operands[next++], ptx::Type::u32);
    out.use(barrier_handlers(kind));
    out.extra = add_operands(operands);
    return true;
}

} // namespace lanescope::simt
