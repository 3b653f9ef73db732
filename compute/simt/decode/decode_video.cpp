// Video instructions: the parts of operands they use, and how results are combined.
#include "compute/simt/decode/decoder.h"

namespace lanescope::simt {

namespace {

using ptx::Op;
using ptx::Word;

int elements_of(Op op)
{
    switch (op) {
    case Op::vadd2:
    case Op::vsub2:
    case Op::vavrg2:
    case Op::vabsdiff2:
    case Op::vmin2:
    case Op::vmax2:
    case Op::vset2: return 2;
    case Op::vadd4:
    case Op::vsub4:
    case Op::vavrg4:
    case Op::vabsdiff4:
    case Op::vmin4:
    case Op::vmax4:
    case Op::vset4: return 4;
    default: return 1;
    }
}

// The scalar operation that a SIMD operation applies to each part.
Op one_by_one(Op op)
{
    switch (op) {
    case Op::vadd2:
    case Op::vadd4: return Op::vadd;
    case Op::vsub2:
    case Op::vsub4: return Op::vsub;
    case Op::vavrg4: return Op::vavrg2;
    case Op::vabsdiff2:
    case Op::vabsdiff4: return Op::vabsdiff;
    case Op::vmin2:
    case Op::vmin4: return Op::vmin;
    case Op::vmax2:
    case Op::vmax4: return Op::vmax;
    case Op::vset2:
    case Op::vset4: return Op::vset;
    default: return op;
    }
}

// The text lists the highest part first.
VideoParts parts_of(std::uint64_t letter_and_digits, int elements, std::uint8_t first)
{
    VideoParts parts;
    parts.count = elements;
    if (elements > 1) parts.bits = 32 / elements;
    for (int i = 0; i < elements; ++i)
        parts.number[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(first + i);
    if (letter_and_digits == 0) return parts;
    parts.bits = static_cast<char>(letter_and_digits) == 'b' ? 8 : 16;
    parts.count = 0;
    for (std::uint64_t rest = letter_and_digits >> 8; rest != 0; rest >>= 8)
        parts.number[static_cast<std::size_t>(parts.count++)] =
            static_cast<std::uint8_t>((rest & 0xff) - '0');
    return parts;
}

} // namespace

bool FunctionDecoder::video(const ptx::Instruction& in, Instruction& out)
{
    VideoWork work;
    work.op = one_by_one(in.op);
    work.elements = elements_of(in.op);
    const bool sets = work.op == Op::vset;
    const bool mad = work.op == Op::vmad;
    const bool has_third = in.operands.size() > 3;
    const auto is_signed = [&](int type) { return in.modifiers.type(type) == ptx::Type::s32; };
    work.d_signed = is_signed(0); // for vset, the type of a
    work.a_signed = is_signed(sets ? 0 : 1);
    work.b_signed = is_signed(sets ? 1 : 2);
    const auto parts = [&](std::size_t operand, int first) {
        const ptx::Operand& of = in.operands[operand];
        const bool named = of.kind == ptx::Operand::Kind::reg;
        return parts_of(named ? of.bits : 0, work.elements, static_cast<std::uint8_t>(first));
    };
    work.d = parts(0, 0);
    work.a = parts(1, 0);
    work.b = parts(2, work.elements > 1 ? work.elements : 0);
    for (const VideoParts* some : {&work.a, &work.b})
        if (some->count != work.elements) refuse(in, "its operands have the wrong number of parts");
    if (work.elements > 1) {
        for (const VideoParts* some : {&work.d, &work.a, &work.b})
            if (some->bits != 32 / work.elements) refuse(in, "its parts have the wrong size");
        for (int i = 0; i < work.d.count; ++i)
            if (work.d.number[static_cast<std::size_t>(i)] >= work.elements)
                refuse(in, "its result has no such part");
    } else if (work.d.count != 1 || work.d.number[0] * work.d.bits >= 32 ||
               work.a.number[0] * work.a.bits >= 32 || work.b.number[0] * work.b.bits >= 32) {
        refuse(in, "a register has no such part");
    }
    const auto negative = [&](std::size_t operand) {
        const ptx::Operand& of = in.operands[operand];
        if (of.negated && (!mad || in.has(Word::plus_one)))
            refuse(in, "its operands cannot be negated");
        return of.negated;
    };
    work.a_negative = negative(1);
    work.b_negative = negative(2);
    work.c_negative = has_third && negative(3);
    if ((work.a_negative && work.b_negative) ||
        (work.c_negative && (work.a_negative || work.b_negative)))
        refuse(in, "only one of the product and the third operand can be negated");
    work.saturates = in.has(Word::sat);
    if (work.saturates && work.elements > 1 && in.has(Word::add))
        refuse(in, "its sum cannot be saturated");
    work.clamps = in.has(Word::clamp);
    work.plus_one = in.has(Word::plus_one);
    work.scale = in.has(Word::shr7) ? 7 : in.has(Word::shr15) ? 15 : 0;
    for (const Word word : {Word::eq, Word::ne, Word::lt, Word::le, Word::gt, Word::ge})
        if (in.has(word)) work.compare = word;

    using Then = VideoWork::Then;
    if (!mad) {
        if (in.has(Word::add)) work.then = Then::add;
        if (in.has(Word::min)) work.then = Then::min;
        if (in.has(Word::max)) work.then = Then::max;
        const bool places = work.elements > 1 || work.d.bits < 32;
        if (work.then == Then::nothing && has_third) {
            if (!places) refuse(in, "it has one operand too many");
            work.then = Then::merge;
        }
        if (!has_third && (work.then != Then::nothing || places)) refuse(in, "it lacks an operand");
    }
    out.d = destination_row(in, in.operands[0], ptx::Type::u32);
    out.a = source_row(in, in.operands[1], ptx::Type::u32);
    out.b = source_row(in, in.operands[2], ptx::Type::u32);
    if (has_third) out.c = source_row(in, in.operands[3], ptx::Type::u32);
    out.use(video_handlers());
    out.extra = static_cast<std::uint32_t>(function.video.size());
    function.video.push_back(work);
    return true;
}

} // namespace lanescope::simt
