// Arithmetic, and the moves and conversions of addresses that arithmetic can express.
#include <algorithm>

#include <fmt/format.h>

#include "compute/simt/decode/decoder.h"

namespace lanescope::simt {

namespace {

using Kind = ptx::Operand::Kind;

// Single operands in order: elements of vectors and pairs count one by one.
void flatten(const ptx::Operand& operand, std::vector<const ptx::Operand*>& singles)
{
    if (operand.kind == Kind::vector || operand.kind == Kind::pair || operand.kind == Kind::list)
        for (const ptx::Operand& element : operand.elements) flatten(element, singles);
    else
        singles.push_back(&operand);
}

ptx::Instruction synthetic(const ptx::Instruction& from, std::string opcode, std::string type)
{
    ptx::Instruction made = from;
    made.opcode = std::move(opcode);
    made.modifiers = {std::move(type)};
    return made;
}

} // namespace

bool FunctionDecoder::arithmetic(const ptx::Instruction& in, Instruction& out)
{
    const auto operation = find_row_operation(in, shared.program.isa);
    if (!operation) return false;
    row_operation(in, out, *operation);
    return true;
}

void FunctionDecoder::row_operation(const ptx::Instruction& in, Instruction& out,
                                    const RowOperation& operation)
{
    std::vector<const ptx::Operand*> destinations;
    std::vector<const ptx::Operand*> sources;
    for (std::size_t i = 0; i < in.operands.size(); ++i)
        flatten(in.operands[i], i == 0 ? destinations : sources);
    if (static_cast<int>(destinations.size()) > operation.destination_count ||
        static_cast<int>(sources.size()) > operation.source_count)
        refuse(in, "it has more operands than expected");

    std::array<RowRef, 4> to{no_row, no_row, no_row, no_row};
    std::array<RowRef, 4> from{no_row, no_row, no_row, no_row};
    WideOperands wide;
    for (std::size_t i = 0; i < destinations.size(); ++i)
        if (i == 0 || destinations[i]->kind != Kind::sink)
            to[i] = destination_row(in, *destinations[i], operation.destinations[i]);
    for (std::size_t i = 0; i < sources.size(); ++i) {
        from[i] = source_row(in, *sources[i], operation.sources[i]);
        if (sources[i]->negated) wide.inverted |= static_cast<std::uint8_t>(1u << i);
    }
    out.run = operation.run;
    out.d = to[0];
    out.a = from[0];
    out.b = from[1];
    out.c = from[2];
    wide.d2 = to[1];
    wide.d3 = to[2];
    wide.d4 = to[3];
    wide.e = from[3];
    const bool is_wide = wide.inverted != 0 || wide.d2 != no_row || wide.d3 != no_row ||
                         wide.d4 != no_row || wide.e != no_row;
    if (!is_wide && !operation.uses_carry) {
        out.handler = arithmetic_handlers();
        return;
    }
    out.handler = operation.uses_carry ? wide_carry_handlers() : wide_handlers();
    out.extra = static_cast<std::uint32_t>(function.wide.size());
    function.wide.push_back(wide);
}

bool FunctionDecoder::moves_address(const ptx::Instruction& in, Instruction& out)
{
    if (in.opcode != "mov" || in.operands.size() != 2) return false;
    const ptx::Operand& from = in.operands[1];
    if (from.kind != Kind::symbol && from.kind != Kind::special) return false;
    if (from.kind == Kind::symbol)
        if (const auto local = locals.find(from.symbol); local != locals.end()) {
            Access access;
            access.offset = static_cast<std::int64_t>(local->second) + from.offset;
            access.width_bytes = static_cast<std::uint8_t>(register_bytes(in.operands[0].reg));
            out.d = register_row(in.operands[0].reg);
            out.handler = local_address_handlers();
            out.extra = static_cast<std::uint32_t>(function.accesses.size());
            function.accesses.push_back(access);
            return true;
        }
    const bool wide = in.operands[0].kind == Kind::reg && register_bytes(in.operands[0].reg) == 8;
    return arithmetic(synthetic(in, "mov", wide ? "b64" : "b32"), out);
}

// cvta, cvta.to: the window's base is added or taken away.
bool FunctionDecoder::conversion_of_address(const ptx::Instruction& in, Instruction& out)
{
    if (in.opcode != "cvta") return false;
    if (!in.has("u64")) refuse(in, "only 64-bit addresses are supported");
    ptx::Space space = ptx::Space::none;
    for (const std::string& word : in.modifiers) {
        if (word == "global") space = ptx::Space::global;
        if (word == "shared" || word == "shared::cta") space = ptx::Space::shared;
        if (word == "local") space = ptx::Space::local;
        if (word == "const") space = ptx::Space::constant;
        if (word == "param" || word == "param::entry") space = ptx::Space::param;
    }
    if (space == ptx::Space::none) refuse(in);
    ptx::Instruction made = synthetic(in,
                                      window(space) == 0 ? "mov"
                                      : in.has("to")     ? "sub"
                                                         : "add",
                                      window(space) == 0 ? "b64" : "s64");
    if (window(space) != 0) {
        ptx::Operand base;
        base.kind = Kind::immediate;
        base.immediate_type = ptx::Type::s64;
        base.bits = window(space);
        made.operands.push_back(base);
    }
    if (made.operands[1].kind == Kind::symbol && locals.contains(made.operands[1].symbol))
        refuse(in, "of a .local variable; move its address to a register first");
    return arithmetic(made, out);
}

} // namespace lanescope::simt
