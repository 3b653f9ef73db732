// Arithmetic, and moves and conversions of addresses that can be expressed as arithmetic.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "compute/simt/decode/decoder.h"

namespace lanescope::simt {

namespace {

using Kind = ptx::Operand::Kind;

// Flattens operands: elements of vectors and pairs count individually.
void flatten(const ptx::Operand& operand, std::vector<const ptx::Operand*>& singles)
{
    if (operand.kind == Kind::vector || operand.kind == Kind::pair || operand.kind == Kind::list)
        for (const ptx::Operand& element : operand.elements) flatten(element, singles);
    else
        singles.push_back(&operand);
}

ptx::Instruction synthetic(const ptx::Instruction& from, ptx::Op op, ptx::Type type)
{
    ptx::Instruction made = from;
    made.op = op;
    made.modifiers = {};
    made.modifiers.add(type);
    return made;
}

bool mentions(const ptx::Operand& operand, int reg)
{
    return (operand.kind == Kind::reg && operand.reg == reg) ||
           std::ranges::any_of(operand.elements,
                               [&](const ptx::Operand& element) { return mentions(element, reg); });
}

// The register whose value `reg` holds before an instruction, found by following unguarded copies
// backwards in straight-line code, and where that register was set. nullopt beyond `max_entries`
// instructions.
struct Origin {
    int reg;
    int set_at; // -1: before this straight-line code
    bool operator==(const Origin&) const = default;
};
std::optional<Origin> origin_of(const ptx::Function& function, const std::vector<bool>& labelled,
                                int reg, int before)
{
    constexpr int max_entries = 1024;
    const int first = std::max(0, before - max_entries);
    int at = before;
    for (; at > 0; --at) {
        if (labelled[static_cast<std::size_t>(at)]) return Origin{reg, -1};
        if (at == first) return {};
        const ptx::Instruction& one = function.instructions[static_cast<std::size_t>(at - 1)];
        if (one.operands.empty() || !mentions(one.operands[0], reg)) continue;
        const bool copies = one.op == ptx::Op::mov && !one.guard && one.operands.size() == 2 &&
                            one.operands[0].kind == Kind::reg && one.operands[1].kind == Kind::reg;
        if (!copies) return Origin{reg, at - 1};
        reg = one.operands[1].reg;
    }
    return Origin{reg, -1};
}

// Constant folding as in ptxas, where its result differs from that of the hardware instruction with
// register operands (in the first two cases, also from the manual).
std::optional<ptx::Instruction> folded(const ptx::Function& function,
                                       const std::vector<bool>& labelled, int index,
                                       const ptx::Instruction& in)
{
    using ptx::Op;
    using ptx::Type;
    using ptx::Word;
    const ptx::Type type = in.modifiers.type();
    const std::size_t count = in.operands.size();
    const auto is_immediate = [&](std::size_t i) {
        return i < count && in.operands[i].kind == Kind::immediate;
    };
    if (in.op == Op::bfi && type == Type::b32 && is_immediate(3) && is_immediate(4)) {
        // ptxas permutes bytes if the position is a multiple of 8, and computes a sum if it inserts
        // into a constant: both give the result that the manual defines.
        const std::uint64_t position = in.operands[3].bits;
        if (position % 8 == 0 || position > 31 || in.operands[4].bits <= 31) return {};
        if (is_immediate(2)) return {};
        ptx::Instruction made = in;
        made.operands[4].bits &= 31; // ptxas takes the length modulo 32
        return made;
    }
    if (in.op == Op::bfe && type == Type::s32 && is_immediate(2) && is_immediate(3)) {
        if (in.operands[2].bits <= 31 || in.operands[3].bits == 0) return {};
        ptx::Instruction made = in;
        made.operands[1] = in.operands[2]; // extract from all ones, whatever the operand's sign
        made.operands[1].bits = ~std::uint64_t{0};
        made.operands[2].bits = 0;
        return made;
    }
    // The min or max of a value and itself is that value, including a NaN's bits.
    if ((in.op == Op::min || in.op == Op::max) && count == 3 && in.operands[1].kind == Kind::reg &&
        in.operands[2].kind == Kind::reg &&
        (type == Type::f16 || type == Type::f32 || type == Type::f64)) {
        for (const Word word : {Word::ftz, Word::propagate_nan, Word::xorsign, Word::relu})
            if (in.has(word)) return {};
        if (in.operands[1].reg != in.operands[2].reg) {
            const auto one = origin_of(function, labelled, in.operands[1].reg, index);
            if (!one || one != origin_of(function, labelled, in.operands[2].reg, index)) return {};
        }
        ptx::Instruction made = synthetic(in, Op::mov,
                                          type == Type::f64   ? Type::b64
                                          : type == Type::f32 ? Type::b32
                                                              : Type::b16);
        made.operands.pop_back();
        return made;
    }
    return {};
}

// True for lop3 with a predicate: lop3.and, lop3.or.
bool combines_predicate(ptx::Op op)
{
    return op == ptx::Op::lop3_and || op == ptx::Op::lop3_or;
}

// True if a SIMD video instruction, such as vabsdiff4, needs more than its row function computes:
// saturation, or parts of its operands.
bool needs_video_unit(const ptx::Instruction& in)
{
    using ptx::Op;
    switch (in.op) {
    case Op::vabsdiff2:
    case Op::vabsdiff4:
    case Op::vmin2:
    case Op::vmax2:
    case Op::vmin4:
    case Op::vmax4: break;
    default: return false;
    }
    return in.has(ptx::Word::sat) ||
           std::ranges::any_of(in.operands, [](const ptx::Operand& operand) {
               return operand.negated || (operand.kind == Kind::reg && operand.bits != 0);
           });
}

} // namespace

bool FunctionDecoder::arithmetic(const ptx::Instruction& in, Instruction& out)
{
    if (combines_predicate(in.op)) return lookup_with_predicate(in, out);
    if (needs_video_unit(in)) return video(in, out);
    if (const auto known = folded(source, labelled, static_cast<int>(out.source), in))
        return arithmetic(*known, out);
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
    if (static_cast<int>(sources.size()) < operation.source_count)
        refuse(in, "it has fewer operands than expected");

    std::array<RowRef, 4> to{no_row, no_row, no_row, no_row};
    std::array<RowRef, 4> from{no_row, no_row, no_row, no_row};
    WideOperands wide;
    for (std::size_t i = 0; i < destinations.size(); ++i)
        if (i == 0 || destinations[i]->kind != Kind::sink)
            to[i] = destination_row(in, *destinations[i], operation.destinations[i]);
    for (std::size_t i = 0; i < sources.size(); ++i) {
        from[i] = source_row(in, *sources[i], operation.sources[i]);
        if (sources[i]->negated && operation.sources[i] == ptx::Type::pred)
            wide.inverted |= static_cast<std::uint8_t>(1u << i);
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
        out.use(arithmetic_handlers());
        return;
    }
    out.use(operation.uses_carry ? wide_carry_handlers() : wide_handlers());
    out.extra = static_cast<std::uint32_t>(function.wide.size());
    function.wide.push_back(wide);
}

bool FunctionDecoder::is_wider(const ptx::Operand& operand, ptx::Type type) const
{
    return operand.kind == Kind::reg && lane_bytes(type) == 4 && register_bytes(operand.reg) == 8;
}

// lop3.and.b32 d|p, a, b, c, table, q: d is the result of lop3, and p is (d != 0) and q.
bool FunctionDecoder::lookup_with_predicate(const ptx::Instruction& in, Instruction& out)
{
    const ptx::Operand& pair = in.operands[0];
    if (pair.kind != Kind::pair) refuse(in, "its results are a register and a predicate: d|p");
    const bool named = pair.elements[0].kind != Kind::sink;
    ptx::Instruction lookup = synthetic(in, ptx::Op::lop3, ptx::Type::b32);
    lookup.operands[0] = pair.elements[0];
    lookup.operands.pop_back();
    Instruction first = out;
    first.counted = 0;
    first.site = no_index;
    if (!arithmetic(lookup, first)) refuse(in);
    function.code.push_back(first);

    ptx::Operand zero;
    zero.kind = Kind::immediate;
    zero.immediate_type = ptx::Type::s64;
    ptx::Instruction test = synthetic(in, ptx::Op::setp, ptx::Type::b32);
    test.modifiers.add(ptx::Word::ne);
    test.modifiers.add(in.op == ptx::Op::lop3_and ? ptx::Word::bit_and : ptx::Word::bit_or);
    test.operands = {pair.elements[1], named ? pair.elements[0] : zero, zero, in.operands[5]};
    if (!arithmetic(test, out)) refuse(in);
    if (!named) out.a = scratch();
    return true;
}

int FunctionDecoder::added_instructions(const ptx::Instruction& in) const
{
    if (combines_predicate(in.op)) return 1;
    if (in.op != ptx::Op::cvt) return 0;
    const auto operation = find_row_operation(in, shared.program.isa);
    if (!operation) return 0;
    int added = is_wider(in.operands[0], operation->destinations[0]) ? 1 : 0;
    for (std::size_t i = 1; i < in.operands.size(); ++i)
        added += is_wider(in.operands[i], operation->sources[i - 1]) ? 1 : 0;
    return added;
}

// Adds a cvt.to.from that is not in the PTX, from row `a` to row `d`, with the guard of `like`.
void FunctionDecoder::add_conversion(const Instruction& like, ptx::Type to, ptx::Type from,
                                     RowRef d, RowRef a)
{
    ptx::Instruction conversion;
    conversion.op = ptx::Op::cvt;
    conversion.modifiers.add(to);
    conversion.modifiers.add(from);
    Instruction made = like;
    made.counted = 0;
    made.site = no_index;
    made.run = find_row_operation(conversion, shared.program.isa)->run;
    made.d = d;
    made.a = a;
    made.b = made.c = no_row;
    made.use(arithmetic_handlers());
    function.code.push_back(made);
}

bool FunctionDecoder::conversion(const ptx::Instruction& in, Instruction& out)
{
    auto operation = find_row_operation(in, shared.program.isa);
    if (!operation) return false;
    if (static_cast<int>(in.operands.size()) != 1 + operation->source_count)
        refuse(in, "it has too many or too few operands");
    if (added_instructions(in) == 0) {
        row_operation(in, out, *operation);
        return true;
    }
    // Scratch rows: one for each of three sources, and one for the result.
    constexpr std::uint32_t row_bytes = 4 * warp_lanes;
    std::array<RowRef, 3> sources{no_row, no_row, no_row};
    for (std::size_t i = 1; i < in.operands.size(); ++i) {
        const ptx::Operand& operand = in.operands[i];
        const ptx::Type type = operation->sources[i - 1];
        if (!is_wider(operand, type)) {
            sources[i - 1] = source_row(in, operand, type);
            continue;
        }
        sources[i - 1] =
            row_ref(scratch_row + static_cast<std::uint32_t>(i - 1) * row_bytes, RowBase::frame);
        add_conversion(out, ptx::Type::u32, ptx::Type::u64, sources[i - 1],
                       register_row(operand.reg));
    }
    out.run = operation->run;
    out.use(arithmetic_handlers());
    out.a = sources[0];
    out.b = sources[1];
    out.c = sources[2];
    const ptx::Type to = operation->destinations[0];
    if (!is_wider(in.operands[0], to)) {
        out.d = destination_row(in, in.operands[0], to);
        return true;
    }
    out.d = row_ref(scratch_row + 3 * row_bytes, RowBase::frame);
    function.code.push_back(out);
    // Signed integers are sign-extended, everything else zero-extended.
    const bool is_signed = to == ptx::Type::s8 || to == ptx::Type::s16 || to == ptx::Type::s32;
    add_conversion(out, ptx::Type::u64, is_signed ? ptx::Type::s32 : ptx::Type::u32,
                   register_row(in.operands[0].reg), out.d);
    out = function.code.back();
    function.code.pop_back();
    return true;
}

bool FunctionDecoder::move(const ptx::Instruction& in, Instruction& out)
{
    return clocks(in, out) || moves_address(in, out) || arithmetic(in, out);
}

bool FunctionDecoder::moves_address(const ptx::Instruction& in, Instruction& out)
{
    const ptx::Operand& from = in.operands[1];
    if (from.kind != Kind::symbol && from.kind != Kind::special) return false;
    const ptx::Operand& to = in.operands[0];
    const int bytes = to.kind == Kind::reg ? register_bytes(to.reg) : 0;
    if (from.kind == Kind::symbol)
        if (const auto local = locals.find(from.symbol); local != locals.end()) {
            if (bytes != 4 && bytes != 8)
                refuse(in, "its address is in a register of neither 32 nor 64 bits");
            Access access;
            access.offset =
                static_cast<std::int64_t>(static_cast<std::uint64_t>(from.offset) + local->second);
            access.width_bytes = static_cast<std::uint8_t>(bytes);
            out.d = register_row(to.reg);
            out.use(local_address_handlers());
            out.extra = static_cast<std::uint32_t>(function.accesses.size());
            function.accesses.push_back(access);
            return true;
        }
    const bool is_predicate = to.kind == Kind::reg && bytes == 0;
    const ptx::Type type = bytes == 8     ? ptx::Type::b64
                           : is_predicate ? ptx::Type::pred
                                          : ptx::Type::b32;
    return arithmetic(synthetic(in, ptx::Op::mov, type), out);
}

// cvta, cvta.to: adds or subtracts the window's base.
bool FunctionDecoder::conversion_of_address(const ptx::Instruction& in, Instruction& out)
{
    const ptx::Space space = in.modifiers.space;
    if (space == ptx::Space::none) refuse(in);
    ptx::Instruction made = window(space) == 0      ? synthetic(in, ptx::Op::mov, ptx::Type::b64)
                            : in.has(ptx::Word::to) ? synthetic(in, ptx::Op::sub, ptx::Type::s64)
                                                    : synthetic(in, ptx::Op::add, ptx::Type::s64);
    if (window(space) != 0) {
        ptx::Operand base;
        base.kind = Kind::immediate;
        base.immediate_type = ptx::Type::s64;
        base.bits = window(space);
        made.operands.push_back(base);
    }
    if (made.operands[1].kind == Kind::symbol && locals.contains(made.operands[1].symbol))
        refuse(
            in,
            "it converts the address of a .local variable; move that address to a register first");
    return arithmetic(made, out);
}

} // namespace lanescope::simt
