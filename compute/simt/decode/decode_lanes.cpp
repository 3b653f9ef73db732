// Cross-lane instructions, clocks and other queries.
#include <bit>

#include "compute/simt/decode/decoder.h"

namespace lanescope::simt {

namespace {

using Kind = ptx::Operand::Kind;
using ptx::Op;
using ptx::Word;

Shuffle shuffle_kind(const ptx::Instruction& in)
{
    if (in.has(Word::up)) return Shuffle::up;
    if (in.has(Word::down)) return Shuffle::down;
    return in.has(Word::bfly) ? Shuffle::butterfly : Shuffle::index;
}

Vote vote_kind(const ptx::Instruction& in)
{
    if (in.has(Word::all)) return Vote::all;
    if (in.has(Word::any)) return Vote::any;
    return in.has(Word::uni) ? Vote::uniform : Vote::ballot;
}

Redux redux_kind(const ptx::Instruction& in)
{
    const bool is_signed = in.modifiers.type() == ptx::Type::s32;
    if (in.has(Word::add)) return Redux::add;
    if (in.has(Word::min)) return is_signed ? Redux::min_s : Redux::min_u;
    if (in.has(Word::max)) return is_signed ? Redux::max_s : Redux::max_u;
    if (in.has(Word::bit_and)) return Redux::bit_and;
    return in.has(Word::bit_or) ? Redux::bit_or : Redux::bit_xor;
}

} // namespace

// Rows in the order used by cross_lane.cpp: members, a, b, c, d, p.
bool FunctionDecoder::cross_lane(const ptx::Instruction& in, Instruction& out)
{
    if (in.op == Op::activemask) {
        out.d = destination_row(in, in.operands[0], ptx::Type::b32);
        out.use(activemask_handlers());
        return true;
    }
    Operands operands;
    // Without .sync, PTX before 6.4 has no member mask.
    const bool has_members = in.has(Word::sync) || (in.op != Op::vote && in.op != Op::shfl);
    const int count = static_cast<int>(in.operands.size());
    if (count != ptx::form_of(in.op).max_operands - (has_members ? 0 : 1))
        refuse(in, has_members ? "it needs a member mask as its last operand"
                               : "only with .sync it has a member mask");
    operands.rows[0] = has_members ? source_row(in, in.operands.back(), ptx::Type::b32)
                                   : shared.constant32(full_mask);
    if (in.op == Op::bar_warp) {
        out.use(warp_sync_handlers());
        out.extra = add_operands(operands);
        return true;
    }
    const ptx::Operand& destination = in.operands[0];
    const bool pair = destination.kind == Kind::pair;
    const ptx::Operand& first = pair ? destination.elements[0] : destination;
    const bool predicate = in.op == Op::vote && !in.has(Word::ballot);
    operands.rows[4] = destination_row(in, first, predicate ? ptx::Type::pred : ptx::Type::b32);
    if (pair && destination.elements[1].kind == Kind::reg)
        operands.rows[5] = destination_row(in, destination.elements[1], ptx::Type::pred);

    switch (in.op) {
    case Op::shfl:
        for (std::size_t i = 1; i < 4; ++i)
            operands.rows[i] = source_row(in, in.operands[i], ptx::Type::b32);
        out.use(shuffle_handlers(shuffle_kind(in), has_members));
        shared.program.may_read_unset = true; // the source lane may not participate
        break;
    case Op::vote:
        operands.rows[1] = source_row(in, in.operands[1], ptx::Type::pred);
        operands.inverted = in.operands[1].negated;
        out.use(vote_handlers(vote_kind(in), has_members));
        break;
    case Op::match: {
        const bool wide = in.modifiers.type() == ptx::Type::b64;
        operands.rows[1] = source_row(in, in.operands[1], in.modifiers.type());
        out.use(match_handlers(in.has(Word::all), wide));
        break;
    }
    case Op::redux:
        operands.rows[1] = source_row(in, in.operands[1], ptx::Type::b32);
        if (in.modifiers.type() == ptx::Type::f32) {
            if (!in.has(Word::min) && !in.has(Word::max)) refuse(in, "f32 has only min and max");
            operands.values = {in.has(Word::max), in.has(Word::absolute),
                               in.has(Word::propagate_nan)};
            out.use(float_redux_handlers());
            break;
        }
        if (in.has(Word::absolute) || in.has(Word::propagate_nan))
            refuse(in, ".abs and .NaN need f32");
        out.use(redux_handlers(redux_kind(in)));
        break;
    case Op::elect: out.use(elect_handlers()); break;
    default: return false;
    }
    out.extra = add_operands(operands);
    return true;
}

// Decodes an instruction whose only operands are registers, as listed in the instruction table.
bool FunctionDecoder::query(const ptx::Instruction& in, Instruction& out)
{
    if (in.op == Op::alloca && in.operands.size() == 3 &&
        (in.operands[2].kind != Kind::immediate || !std::has_single_bit(in.operands[2].bits) ||
         in.operands[2].bits > max_local_bytes))
        refuse(in, "its alignment is not a power of two, or too large");
    out.use(query_handlers(in));
    const std::string_view letters = ptx::form_of(in.op).operands;
    const std::array<RowRef*, 3> sources{&out.a, &out.b, &out.c};
    std::size_t operand = 0;
    std::size_t source = 0;
    bool past_destination = false;
    for (const char letter : letters) {
        if (letter == '?') continue;
        if (letter == ':') {
            past_destination = true;
            continue;
        }
        if (operand == in.operands.size()) break;
        const ptx::Operand& given = in.operands[operand++];
        const ptx::Type type = letter == 'p'   ? ptx::Type::pred
                               : letter == 'l' ? ptx::Type::b64
                               : letter == 't' ? in.modifiers.type()
                                               : ptx::Type::b32;
        if (!past_destination)
            out.d = destination_row(in, given, type);
        else if (letter != 'a' && letter != 'x')
            *sources.at(source++) = source_row(in, given, type);
    }
    return out.handler[0] != nullptr;
}

// Decodes a mov from a clock, which is read each time it executes, or from %gridid.
bool FunctionDecoder::clocks(const ptx::Instruction& in, Instruction& out)
{
    if (in.operands[1].kind != Kind::special) return false;
    const std::string& name = in.operands[1].symbol;
    if (name == "gridid") {
        out.d = destination_row(in, in.operands[0], ptx::Type::b64);
        out.use(grid_id_handlers());
        return true;
    }
    const bool wide = name == "clock64" || name == "globaltimer";
    const bool high = name == "clock_hi" || name == "globaltimer_hi";
    if (!wide && !high && name != "clock" && name != "globaltimer_lo") return false;
    out.d = destination_row(in, in.operands[0], wide ? ptx::Type::b64 : ptx::Type::b32);
    out.use(clock_handlers(wide, high));
    return true;
}

} // namespace lanescope::simt
