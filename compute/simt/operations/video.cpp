// Video instructions, lane by lane. SIMD video instructions follow the pseudocode of the PTX
// manual. GPUs since sm_70 have no scalar video instructions: the driver expands them with
// its own saturation rules, which this file reproduces (assets/manual/differences.md lists
// the deviations from the manual).
#include <algorithm>
#include <cstdlib>

#include "compute/ptx/instructions/table.h"
#include "compute/simt/machine/state/executor.h"
#include "compute/simt/operations/handlers.h"

namespace lanescope::simt {

namespace {

using ptx::Op;
using ptx::Word;
using Exact = __int128;

constexpr std::uint64_t low_bits(int count)
{
    return (std::uint64_t{1} << count) - 1;
}

// One part of a word, or of two words.
std::int64_t part(std::uint64_t words, const VideoParts& parts, int element, bool is_signed)
{
    const int shift = parts.number[static_cast<std::size_t>(element)] * parts.bits;
    const std::uint64_t value = words >> shift & low_bits(parts.bits);
    const bool negative = is_signed && (value >> (parts.bits - 1) & 1) != 0;
    return static_cast<std::int64_t>(negative ? value | ~low_bits(parts.bits) : value);
}

Exact limited(Exact value, int bits, bool is_signed)
{
    const Exact max = static_cast<Exact>(low_bits(is_signed ? bits - 1 : bits));
    return std::clamp(value, is_signed ? -max - 1 : Exact{0}, max);
}

bool holds(Word compare, std::int64_t a, std::int64_t b)
{
    switch (compare) {
    case Word::eq: return a == b;
    case Word::ne: return a != b;
    case Word::lt: return a < b;
    case Word::le: return a <= b;
    case Word::gt: return a > b;
    default: return a >= b;
    }
}

Exact result_of(const VideoWork& work, std::int64_t a, std::int64_t b)
{
    switch (work.op) {
    case Op::vadd: return a + b;
    case Op::vsub: return a - b;
    case Op::vabsdiff: return std::abs(a - b);
    case Op::vmin: return std::min(a, b);
    case Op::vmax: return std::max(a, b);
    case Op::vavrg2: return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case Op::vset: return holds(work.compare, a, b) ? 1 : 0;
    default: break;
    }
    const auto amount = static_cast<std::uint32_t>(b);
    const std::uint32_t by = work.clamps ? std::min(amount, 32u) : amount & 31u;
    return work.op == Op::vshl ? static_cast<Exact>(a) * (Exact{1} << by)
                               : static_cast<Exact>(a >> by);
}

// The factors and the third operand are signed regardless of their types; only the shift and
// saturation of the sum follow the types.
std::uint32_t multiply_add(const VideoWork& work, std::int64_t a, std::int64_t b, std::uint32_t c)
{
    const bool negative = work.a_negative != work.b_negative;
    const bool is_signed = work.a_signed || work.b_signed || negative || work.c_negative;
    const std::int64_t product =
        std::int64_t{static_cast<std::int32_t>(a)} * static_cast<std::int32_t>(b);
    const std::int64_t third = static_cast<std::int32_t>(c);
    std::int64_t sum = (negative ? -product : product) + (work.c_negative ? -third : third) +
                       (work.plus_one ? 1 : 0);
    if (!work.saturates || is_signed)
        sum >>= work.scale;
    else
        sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) >> work.scale);
    return static_cast<std::uint32_t>(work.saturates ? limited(sum, 32, is_signed) : Exact{sum});
}

// Merges the results into c, or adds them to it.
std::uint32_t many(const VideoWork& work, std::uint64_t words, std::uint32_t c)
{
    std::uint32_t d = c;
    const int bits = work.d.bits;
    for (int i = 0; i < work.d.count; ++i) {
        const int element = work.d.number[static_cast<std::size_t>(i)];
        Exact value = result_of(work, part(words, work.a, element, work.a_signed),
                                part(words, work.b, element, work.b_signed));
        if (work.saturates) value = limited(value, bits, work.d_signed);
        const auto result = static_cast<std::uint32_t>(value);
        const auto mask = static_cast<std::uint32_t>(low_bits(bits) << (element * bits));
        d = work.then == VideoWork::Then::add ? d + result
                                              : (d & ~mask) | (result << (element * bits) & mask);
    }
    return d;
}

// Saturation of a scalar result. For an unsigned sum, a negative part saturates to the maximum and
// a 32-bit result above the maximum wraps; a shift keeps 34 bits and always saturates to 32.
Exact limited_alone(const VideoWork& work, Exact value)
{
    const bool shifts = work.op == Op::vshl || work.op == Op::vshr;
    if (shifts) value = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << 30) >> 30;
    if (work.d.bits < 32 && !shifts) {
        const auto max = static_cast<Exact>(low_bits(work.d.bits - (work.d_signed ? 1 : 0)));
        return value < 0 ? max : std::min(value, max);
    }
    if (work.d_signed || shifts) return limited(value, 32, work.d_signed);
    return std::max(value, Exact{0});
}

std::uint32_t one(const VideoWork& work, std::uint32_t first, std::uint32_t second, std::uint32_t c)
{
    const std::int64_t a = part(first, work.a, 0, work.a_signed);
    const std::int64_t b = part(second, work.b, 0, work.b_signed);
    if (work.op == Op::vmad) return multiply_add(work, a, b, c);
    Exact value = result_of(work, a, b);
    if (work.saturates) value = limited_alone(work, value);
    const auto result = static_cast<std::uint32_t>(value);
    // Min and max compare the third operand with more than 32 bits of the result, except after sums
    // and saturating shifts, whose 32-bit result is sign-extended.
    const auto is_chosen = [&](bool is_larger) {
        const bool wraps = work.op == Op::vadd || work.op == Op::vsub ||
                           (work.saturates && (work.op == Op::vshl || work.op == Op::vshr));
        const auto x = wraps ? static_cast<std::int32_t>(result) : static_cast<std::int64_t>(value);
        if (work.d_signed) {
            const std::int64_t y = static_cast<std::int32_t>(c);
            return is_larger ? x > y : x < y;
        }
        const auto bits = static_cast<std::uint64_t>(x);
        return is_larger ? bits > c : bits < c;
    };
    switch (work.then) {
    case VideoWork::Then::nothing: return result;
    case VideoWork::Then::add: return result + c;
    case VideoWork::Then::min: return is_chosen(false) ? result : c;
    case VideoWork::Then::max: return is_chosen(true) ? result : c;
    case VideoWork::Then::merge: break;
    }
    const int shift = work.d.number[0] * work.d.bits;
    const auto mask = static_cast<std::uint32_t>(low_bits(work.d.bits) << shift);
    // A 16-bit part is placed at its original position in the word.
    const std::uint32_t placed = work.d.bits == 16 ? result : result << shift;
    return (c & ~mask) | (placed & mask);
}

Flow video(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const VideoWork& work = x.function->video[in.extra];
    const auto* a = x.row<const std::uint32_t>(in.a);
    const auto* b = x.row<const std::uint32_t>(in.b);
    const auto* c = in.c == no_row ? a : x.row<const std::uint32_t>(in.c);
    auto* d = x.row<std::uint32_t>(in.d);
    for (; mask != 0; mask &= mask - 1) {
        const int lane = lowest_lane(mask);
        d[lane] = work.elements > 1 ? many(work, std::uint64_t{b[lane]} << 32 | a[lane], c[lane])
                                    : one(work, a[lane], b[lane], c[lane]);
    }
    return Flow::next;
}

} // namespace

Handlers video_handlers()
{
    return same<video>();
}

} // namespace lanescope::simt
