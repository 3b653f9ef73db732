// Cross-lane instructions, clocks and tests of addresses.
#include <fmt/format.h>

#include "compute/simt/decode/decoder.h"

namespace lanescope::simt {

namespace {

using Kind = ptx::Operand::Kind;

std::optional<Shuffle> shuffle_kind(const ptx::Instruction& in)
{
    if (in.has("up")) return Shuffle::up;
    if (in.has("down")) return Shuffle::down;
    if (in.has("bfly")) return Shuffle::butterfly;
    if (in.has("idx")) return Shuffle::index;
    return std::nullopt;
}

std::optional<Redux> redux_kind(const ptx::Instruction& in)
{
    const bool is_signed = in.has("s32");
    if (in.has("f32")) return std::nullopt;
    if (in.has("add")) return Redux::add;
    if (in.has("min")) return is_signed ? Redux::min_s : Redux::min_u;
    if (in.has("max")) return is_signed ? Redux::max_s : Redux::max_u;
    if (in.has("and")) return Redux::bit_and;
    if (in.has("or")) return Redux::bit_or;
    if (in.has("xor")) return Redux::bit_xor;
    return std::nullopt;
}

} // namespace

// Rows as cross_lane.cpp wants them: members, a, b, c, d, p.
bool FunctionDecoder::cross_lane(const ptx::Instruction& in, Instruction& out)
{
    if (in.opcode == "activemask") {
        out.d = destination_row(in, in.operands[0], ptx::Type::b32);
        out.handler = activemask_handlers();
        return true;
    }
    const bool warp_sync = in.opcode == "bar" && in.has("warp");
    if (!warp_sync && in.opcode != "shfl" && in.opcode != "vote" && in.opcode != "match" &&
        in.opcode != "redux" && in.opcode != "elect")
        return false;
    if (!in.has("sync")) refuse(in, "only the .sync form exists on the GPUs of today");
    Operands operands;
    operands.rows[0] = source_row(in, in.operands.back(), ptx::Type::b32);
    if (warp_sync) {
        out.handler = warp_sync_handlers();
        out.extra = add_operands(operands);
        return true;
    }
    const ptx::Operand& destination = in.operands[0];
    const bool pair = destination.kind == Kind::pair;
    const ptx::Operand& first = pair ? destination.elements[0] : destination;
    const bool predicate = in.opcode == "vote" && !in.has("ballot");
    operands.rows[4] = destination_row(in, first, predicate ? ptx::Type::pred : ptx::Type::b32);
    if (pair && destination.elements[1].kind == Kind::reg)
        operands.rows[5] = destination_row(in, destination.elements[1], ptx::Type::pred);

    if (in.opcode == "shfl") {
        const auto kind = shuffle_kind(in);
        if (!kind || in.operands.size() != 5) refuse(in);
        for (std::size_t i = 1; i < 4; ++i)
            operands.rows[i] = source_row(in, in.operands[i], ptx::Type::b32);
        out.handler = shuffle_handlers(*kind);
    } else if (in.opcode == "vote") {
        operands.rows[1] = source_row(in, in.operands[1], ptx::Type::pred);
        operands.inverted = in.operands[1].negated;
        out.handler = vote_handlers(in.has("all")   ? Vote::all
                                    : in.has("any") ? Vote::any
                                    : in.has("uni") ? Vote::uniform
                                                    : Vote::ballot);
    } else if (in.opcode == "match") {
        const bool wide = in.has("b64");
        operands.rows[1] = source_row(in, in.operands[1], wide ? ptx::Type::b64 : ptx::Type::b32);
        out.handler = match_handlers(in.has("all"), wide);
    } else if (in.opcode == "redux") {
        const auto kind = redux_kind(in);
        if (!kind) refuse(in);
        operands.rows[1] = source_row(in, in.operands[1], ptx::Type::b32);
        out.handler = redux_handlers(*kind);
    } else {
        out.handler = elect_handlers();
    }
    out.extra = add_operands(operands);
    return true;
}

bool FunctionDecoder::clocks(const ptx::Instruction& in, Instruction& out)
{
    if (in.opcode == "isspacep") {
        ptx::Space space = ptx::Space::none;
        for (const std::string& word : in.modifiers) {
            if (word == "global") space = ptx::Space::global;
            if (word == "shared" || word == "shared::cta") space = ptx::Space::shared;
            if (word == "local") space = ptx::Space::local;
            if (word == "const") space = ptx::Space::constant;
            if (word == "param" || word == "param::entry") space = ptx::Space::param;
        }
        if (space == ptx::Space::none) refuse(in);
        out.d = destination_row(in, in.operands[0], ptx::Type::pred);
        out.a = source_row(in, in.operands[1], ptx::Type::b64);
        out.handler = space_test_handlers(space);
        return true;
    }
    if (in.opcode != "mov" || in.operands.size() != 2 || in.operands[1].kind != Kind::special)
        return false;
    const std::string& name = in.operands[1].symbol;
    const bool wide = name == "clock64" || name == "globaltimer";
    const bool high = name == "clock_hi" || name == "globaltimer_hi";
    if (!wide && !high && name != "clock" && name != "globaltimer_lo") return false;
    out.d = destination_row(in, in.operands[0], wide ? ptx::Type::b64 : ptx::Type::b32);
    out.handler = clock_handlers(wide, high);
    return true;
}

} // namespace lanescope::simt
