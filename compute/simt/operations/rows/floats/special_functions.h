// The special-function unit, bit for bit: each f32 function is a quadratic in the lower bits of the
// significand, with coefficients that the upper bits select from a table. The sum is exact except
// for the square, of which the unit omits the lowest columns, and is truncated to 24 bits.
// Implemented with integers and selects, so that loops over lanes vectorise.
#pragma once

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "compute/simt/operations/rows/floats/floats.h"
#include "compute/simt/operations/rows/floats/quadratics.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

constexpr u32 fraction_bits = 23;
constexpr u32 fraction_mask = (1u << fraction_bits) - 1;
constexpr u32 f32_infinity = FloatTraits<float>::infinity;
constexpr u32 f32_nan = FloatTraits<float>::nan;
constexpr u32 f32_sign = FloatTraits<float>::sign;

// Conditions as masks: the compiler would turn chains of conditions into
// branches and not vectorise them.
inline u32 sign_mask(u32 a)
{
    return static_cast<u32>(static_cast<s32>(a) >> 31);
}
// For a, b < 2^31.
inline u32 is_above(u32 a, u32 b)
{
    return sign_mask(b - a);
}
inline u32 equals(u32 a, u32 b)
{
    return ~(is_above(a, b) | is_above(b, a));
}
inline u32 pick(u32 mask, u32 yes, u32 no)
{
    return no ^ ((yes ^ no) & mask);
}

// Sums the columns below 19 of the square of x (17 bits), which the unit's squarer omits: squares
// of single bits are in the even columns, the product of bits i < j in column i + j + 1.
inline u32 lowest_columns(u32 x)
{
    constexpr u32 columns = 0x7ffff;
    u32 sum = x & 0x3ff;
    sum = (sum | sum << 8) & 0x00ff00ff;
    sum = (sum | sum << 4) & 0x0f0f0f0f;
    sum = (sum | sum << 2) & 0x33333333;
    sum = (sum | sum << 1) & 0x55555555;
#pragma GCC unroll 9
    for (u32 i = 0; i < 9; ++i) {
        const u32 bit = static_cast<u32>(static_cast<s32>(x << (31 - i)) >> 31);
        sum += bit & x << (i + 1) & (columns & ~((4u << 2 * i) - 1));
    }
    return sum;
}

inline u64 product(u32 a, u32 b)
{
    return static_cast<u64>(a) * b;
}

// A quadratic with a table of 2^`index_bits` rows for the fraction: c0 · 2^shift_c0 ± c1 · xl ·
// 2^shift_c1 ± c2 · xl² + bias, where 2^weight represents 1.
struct Shape {
    u32 index_bits;
    u32 shift_c0;
    u32 shift_c1;
    u32 weight;
    u64 bias;
    bool falling;         // c1's product is subtracted
    bool hollow;          // c2's product is subtracted
    bool finer;           // the squarer gets 2 · xl
    bool shifted = false; // the products are shifted by the upper four bits of c0
};

// Table row of a lane, and the lower bits that its coefficients apply to.
struct TablePosition {
    u32 row;
    u32 xl;
};
template <Shape shape>
TablePosition table_position(u32 fraction, u32 first_row = 0)
{
    constexpr u32 low_bits = fraction_bits - shape.index_bits;
    return {first_row + (fraction >> low_bits), fraction & ((1u << low_bits) - 1)};
}

template <Shape shape>
u64 quadratic_at(u32 c0, u32 c1_c2, u32 xl, u32 columns)
{
    // The square has up to 34 bits, c2 has 15.
    const u64 square =
        shape.finer ? (product(xl, xl) * 4 - columns) >> 2 : product(xl, xl) - columns;
    const u32 c2 = c1_c2 >> 17;
    const u64 quadratic =
        product(static_cast<u32>(square), c2) + (product(static_cast<u32>(square >> 32), c2) << 32);
    const u64 linear = product(c1_c2 & 0x1ffff, xl) << shape.shift_c1;
    if constexpr (shape.shifted)
        return (static_cast<u64>(c0 & 0x0fffffff) << shape.shift_c0) +
               ((linear - quadratic) << (c0 >> 28));
    const u64 constant = (static_cast<u64>(c0) << shape.shift_c0) +
                         (shape.bias >> (64 - shape.weight + fraction_bits));
    const u64 lined = shape.falling ? constant - linear : constant + linear;
    return shape.hollow ? lined - quadratic : lined + quadratic;
}

// to[i] = table[2 * row[i]], and likewise for the next element.
inline void look_up(const Quadratic* rows, const u32* row, u32* c0, u32* c1_c2)
{
#if defined(__AVX512F__)
    const auto* from = reinterpret_cast<const int*>(rows);
    for (int i = 0; i < warp_lanes; i += 16) {
        const __m512i index = _mm512_load_si512(row + i);
        // Masked, with all lanes active: the plain gather has an uninitialised operand in GCC 12's
        // header.
        const __m512i none = _mm512_setzero_si512();
        _mm512_store_si512(c0 + i, _mm512_mask_i32gather_epi32(none, 0xffff, index, from, 8));
        _mm512_store_si512(c1_c2 + i,
                           _mm512_mask_i32gather_epi32(none, 0xffff, index, from + 1, 8));
    }
#elif defined(__AVX2__)
    const auto* from = reinterpret_cast<const int*>(rows);
    for (int i = 0; i < warp_lanes; i += 8) {
        const __m256i index = _mm256_load_si256(reinterpret_cast<const __m256i*>(row + i));
        _mm256_store_si256(reinterpret_cast<__m256i*>(c0 + i),
                           _mm256_i32gather_epi32(from, index, 8));
        _mm256_store_si256(reinterpret_cast<__m256i*>(c1_c2 + i),
                           _mm256_i32gather_epi32(from + 1, index, 8));
    }
#else
    for (int i = 0; i < warp_lanes; ++i) {
        c0[i] = rows[row[i]].c0;
        c1_c2[i] = rows[row[i]].c1_c2;
    }
#endif
}

// Evaluates a function of the special function unit for all lanes, in loops that the compiler can
// vectorise: F defines the table row, the bits of the sum to keep, and their meaning.
template <class F>
void evaluate(u32* results, const u32* operands)
{
    alignas(64) u32 row[warp_lanes];
    alignas(64) u32 xl[warp_lanes];
    alignas(64) u32 c0[warp_lanes];
    alignas(64) u32 c1_c2[warp_lanes];
    alignas(64) u32 columns[warp_lanes];
    alignas(64) u64 sum[warp_lanes];
    for (int i = 0; i < warp_lanes; ++i) {
        const TablePosition position = F::position(operands[i]);
        row[i] = position.row;
        xl[i] = position.xl;
    }
    look_up(F::rows, row, c0, c1_c2);
    for (int i = 0; i < warp_lanes; ++i)
        columns[i] = lowest_columns(F::shape.finer ? xl[i] << 1 : xl[i]);
    for (int i = 0; i < warp_lanes; ++i)
        sum[i] = quadratic_at<F::shape>(c0[i], c1_c2[i], xl[i], columns[i]);
    for (int i = 0; i < warp_lanes; ++i) columns[i] = F::leading(operands[i], sum[i]);
    for (int i = 0; i < warp_lanes; ++i) results[i] = F::result(operands[i], columns[i]);
}

constexpr Shape reciprocal_shape = {7, 30, 17, 56, 0x67e7000000000000, true, false, true};
constexpr Shape root_shape = {6, 33, 18, 58, 0x7fff800000000000, false, true, false};
constexpr Shape inverse_root_shape = {6, 31, 17, 57, 0x7fff800000000000, true, false, false};
constexpr Shape log2_shape = {6, 30, 18, 56, 0x868b000000000000, false, true, false};
constexpr Shape exp2_shape = {6, 32, 19, 57, 0x6fc4000000000000, false, false, false};
constexpr Shape sine_shape = {6, 31, 19, 56, 0, false, true, false};
constexpr Shape tanh_shape = {0, 33, 18, 57, 0, false, true, false, true};

// Shifts the sum so that bit `weight` becomes bit 24.
template <Shape shape>
u32 leading_bits(u64 sum)
{
    return static_cast<u32>(sum >> (shape.weight - 24));
}

// The 24 leading bits of an integer below 2^52, as a float.
inline float cut_off(u64 value)
{
    constexpr u64 two_to_52 = 0x4330000000000000;
    const double exact = bits_as<double>(value | two_to_52) - bits_as<double>(two_to_52);
    return static_cast<float>(bits_as<double>(bits_as<u64>(exact) & ~u64{0x1fffffff}));
}

// Exponent and fraction of the operand; for a subnormal, those of its value times 2^24.
struct Parts {
    u32 bits;      // without the sign
    u32 subnormal; // as a mask
    s32 exponent;  // biased by 127
    u32 fraction;
};
inline Parts parts_of(u32 x)
{
    Parts parts;
    parts.bits = x & ~f32_sign;
    parts.subnormal = is_above(FloatTraits<float>::smallest_normal, parts.bits);
    const u32 scaled = bits_as<u32>(bits_as<float>(parts.bits) * 0x1p24f);
    const u32 normal = pick(parts.subnormal, scaled, parts.bits);
    parts.exponent = static_cast<s32>(normal >> fraction_bits);
    parts.fraction = normal & fraction_mask;
    return parts;
}
inline float float_of(s32 exponent, u32 fraction)
{
    return bits_as<float>((static_cast<u32>(exponent) << fraction_bits) + fraction);
}

// Odd powers of two use their own rows.
template <Shape shape>
TablePosition sqrt_table_position(u32 x)
{
    const Parts parts = parts_of(x);
    return table_position<shape>(parts.fraction, (~static_cast<u32>(parts.exponent) & 1) * 64);
}

struct Reciprocal {
    static constexpr Shape shape = reciprocal_shape;
    static constexpr const Quadratic* rows = reciprocal_rows;
    static TablePosition position(u32 x) { return table_position<shape>(parts_of(x).fraction); }
    static u32 leading(u32, u64 sum) { return leading_bits<shape>(sum); }
    static u32 result(u32 x, u32 sum)
    {
        const Parts parts = parts_of(x);
        const u32 at_least_one = sum >> 24 & 1;
        const u32 fraction = sum >> at_least_one & fraction_mask;
        const s32 exponent = 254 - parts.exponent - static_cast<s32>(at_least_one ^ 1);
        // The last multiplication rounds a subnormal result; out-of-range results overflow in it.
        const u32 low = sign_mask(static_cast<u32>(exponent - 1));
        const u32 down = pick(low, bits_as<u32>(0x1p-64f), bits_as<u32>(1.0f));
        const float scale = bits_as<float>(pick(parts.subnormal, bits_as<u32>(0x1p24f), down));
        const u32 finite =
            bits_as<u32>(float_of(exponent + static_cast<s32>(low & 64), fraction) * scale);
        const u32 ordered = pick(equals(parts.bits, f32_infinity), 0, finite);
        const u32 magnitude = pick(equals(parts.bits, 0), f32_infinity, ordered);
        return pick(is_above(parts.bits, f32_infinity), f32_nan, magnitude | (x & f32_sign));
    }
};

struct InverseRoot {
    static constexpr Shape shape = inverse_root_shape;
    static constexpr const Quadratic* rows = inverse_root_rows;
    static TablePosition position(u32 x) { return sqrt_table_position<shape>(x); }
    static u32 leading(u32, u64 sum) { return leading_bits<shape>(sum); }
    static u32 result(u32 x, u32 sum)
    {
        const Parts parts = parts_of(x);
        const s32 from_one = parts.exponent - 127;
        const s32 odd = from_one & 1;
        const s32 half = (from_one - odd) >> 1;
        const u32 power = static_cast<u32>(odd - 1) & equals(parts.fraction, 0);
        const float normal =
            float_of(126 + static_cast<s32>(power & 1) - half, sum & fraction_mask & ~power);
        const float scale =
            bits_as<float>(pick(parts.subnormal, bits_as<u32>(0x1p12f), bits_as<u32>(1.0f)));
        const u32 positive = bits_as<u32>(normal * scale);
        const u32 sign = x & f32_sign;
        const u32 number = pick(equals(parts.bits, f32_infinity), 0, positive);
        const u32 ordered =
            pick(sign_mask(x) | is_above(parts.bits, f32_infinity), f32_nan, number);
        return pick(equals(parts.bits, 0), f32_infinity | sign, ordered);
    }
};

struct Root {
    static constexpr Shape shape = root_shape;
    static constexpr const Quadratic* rows = root_rows;
    static TablePosition position(u32 x) { return sqrt_table_position<shape>(x); }
    static u32 leading(u32, u64 sum) { return leading_bits<shape>(sum); }
    static u32 result(u32 x, u32 sum)
    {
        const Parts parts = parts_of(x);
        const s32 from_one = parts.exponent - 127;
        const s32 odd = from_one & 1;
        const float normal = float_of(127 + ((from_one - odd) >> 1), sum >> 1 & fraction_mask);
        const float scale =
            bits_as<float>(pick(parts.subnormal, bits_as<u32>(0x1p-12f), bits_as<u32>(1.0f)));
        const u32 positive = bits_as<u32>(normal * scale);
        const u32 sign = x & f32_sign;
        const u32 number = pick(equals(parts.bits, f32_infinity), f32_infinity, positive);
        const u32 ordered =
            pick(sign_mask(x) | is_above(parts.bits, f32_infinity), f32_nan, number);
        return pick(equals(parts.bits, 0), sign, ordered);
    }
};

struct Log2 {
    static constexpr Shape shape = log2_shape;
    static constexpr const Quadratic* rows = log2_rows;
    static TablePosition position(u32 x) { return table_position<shape>(parts_of(x).fraction); }
    static u32 leading(u32 x, u64 sum)
    {
        const s32 exponent = parts_of(x).exponent - 127;
        const u64 whole = sum + (static_cast<u64>(static_cast<s64>(exponent)) << shape.weight);
        const u64 negative = static_cast<u64>(static_cast<s64>(exponent) >> 63);
        // The lowest 20 bits are dropped.
        const u32 size = bits_as<u32>(cut_off(((whole ^ negative) - negative) >> 20) * 0x1p-36f);
        return size | (static_cast<u32>(negative) & f32_sign);
    }
    static u32 result(u32 x, u32 leading)
    {
        const Parts parts = parts_of(x);
        const float value =
            bits_as<float>(leading) - bits_as<float>(bits_as<u32>(24.0f) & parts.subnormal);
        const u32 finite = pick(equals(parts.bits, bits_as<u32>(1.0f)), 0, bits_as<u32>(value));
        const u32 number = pick(equals(parts.bits, f32_infinity), f32_infinity, finite);
        const u32 ordered =
            pick(sign_mask(x) | is_above(parts.bits, f32_infinity), f32_nan, number);
        return pick(equals(parts.bits, 0), f32_infinity | f32_sign, ordered);
    }
};

struct Exp2 {
    static constexpr Shape shape = exp2_shape;
    static constexpr const Quadratic* rows = exp2_rows;
    static TablePosition position(u32 x) { return table_position<shape>(split(x).fraction); }
    static u32 leading(u32, u64 sum) { return leading_bits<shape>(sum); }
    static u32 result(u32 x, u32 sum)
    {
        const u32 size = x & ~f32_sign;
        const s32 power = split(x).power;
        const float normal = float_of(127 + power, sum >> 1 & fraction_mask);
        const float value =
            normal * bits_as<float>(pick(halved_mask(x), bits_as<u32>(normal), one));
        const u32 low = pick(sign_mask(static_cast<u32>(power + 126)), 0, bits_as<u32>(value));
        const u32 finite = pick(sign_mask(static_cast<u32>(127 - power)), f32_infinity, low);
        const u32 number = pick(is_above(FloatTraits<float>::smallest_normal, size), one, finite);
        return pick(is_above(size, f32_infinity), f32_nan, number);
    }

private:
    struct Split {
        s32 power;
        u32 fraction;
    };
    static constexpr u32 one = bits_as<u32>(1.0f);

    // Below -126 the argument is halved, and the result squared.
    static u32 halved_mask(u32 x)
    {
        return sign_mask(x) & is_above(x & ~f32_sign, bits_as<u32>(126.0f));
    }
    static Split split(u32 x)
    {
        const u32 size = x & ~f32_sign;
        const u32 bounded = size < bits_as<u32>(200.0f) ? size : bits_as<u32>(200.0f);
        const float scale =
            bits_as<float>(pick(halved_mask(x), bits_as<u32>(0x1p22f), bits_as<u32>(0x1p23f)));
        const u32 negative = sign_mask(x);
        const s32 fixed = static_cast<s32>(bits_as<float>(bounded) * scale);
        const u32 part = static_cast<u32>(fixed) & fraction_mask;
        const u32 down = negative & ~equals(part, 0);
        const u32 whole = static_cast<u32>(fixed) >> fraction_bits;
        // -whole = ~whole + 1
        const u32 power = (whole ^ negative) + (negative & 1) - (down & 1);
        return {static_cast<s32>(power), part ^ (fraction_mask & down)};
    }
};

// Sine or cosine: the quadrant of the angle and its position in it, as a fraction; the table covers
// one quadrant.
template <bool Cosine>
struct Wave {
    static constexpr Shape shape = sine_shape;
    static constexpr const Quadratic* rows = sine_rows;

    static TablePosition position(u32 x)
    {
        constexpr double quarter = 0x1.921fb6546df20p0; // pi / 2
        constexpr double largest = 0x1.921fb6p0;
        const u32 size = x & ~f32_sign;
        const Turned turned = turn(size);
        const double rest = turned.angle - turned.whole * quarter;
        const double positive = rest > 0.0 ? rest : 0.0;
        const double position = (positive < largest ? positive : largest) * quarters;
        const u32 fraction = cleared(low_word(whole(position * 0x1p23) + two_to_52), turned.lost);
        const bool mirrored = ((turned.quadrant & 1) == 0) == Cosine;
        return table_position<shape>(mirrored ? fraction ^ fraction_mask : fraction);
    }
    static u32 leading(u32, u64 sum)
    {
        const bool large = sum >= u64{1} << 40;
        return bits_as<u32>(cut_off(large ? sum >> 16 : sum) * (large ? 0x1p-40f : 0x1p-56f));
    }
    static u32 result(u32 x, u32 leading)
    {
        const u32 size = x & ~f32_sign;
        const u32 quadrant = turn(size).quadrant;
        const u32 behind = Cosine ? (quadrant + 1) >> 1 & 1 : quadrant >> 1;
        const u32 sign = behind << 31 ^ (Cosine ? 0 : x & f32_sign);
        return size >= f32_infinity ? f32_nan : leading ^ sign;
    }

private:
    static constexpr double quarters = 0x1.45f306p-1; // 2 / pi
    static constexpr double two_to_52 = 0x1p52;

    struct Turned {
        double angle;
        double quadrants;
        double whole;
        u32 lost; // number of low bits lost, of quadrant and fraction
        u32 quadrant;
    };
    static Turned turn(u32 size)
    {
        const float angle_or_zero = bits_as<float>(size < bits_as<u32>(0x1p33f) ? size : 0);
        Turned turned;
        turned.angle = static_cast<double>(angle_or_zero);
        turned.quadrants = turned.angle * quarters;
        turned.whole = whole(turned.quadrants);
        // Large angles have fewer fraction bits; the largest lose bits of the quadrant, too.
        const s32 exponent = static_cast<s32>(bits_as<u64>(turned.quadrants) >> 52) - 1023;
        const s32 positive = exponent > 0 ? exponent : 0;
        turned.lost = static_cast<u32>(positive < 25 ? positive : 25);
        const u32 quadrant = low_word(turned.whole + two_to_52) & 3;
        turned.quadrant = cleared(quadrant << fraction_bits, turned.lost) >> fraction_bits;
        return turned;
    }
    // Integer part of 0 to 2^51: adding 2^52 rounds to an integer, which may be the next one.
    static double whole(double a)
    {
        const double nearest = (a + two_to_52) - two_to_52;
        return nearest > a ? nearest - 1.0 : nearest;
    }
    static u32 low_word(double a) { return static_cast<u32>(bits_as<u64>(a)); }
    static u32 cleared(u32 bits, u32 count) { return bits >> count << count; }
};

// tanh: the operand itself below 2^-8, and 1 from 8 on. In between, every piece of the range has
// 2^17 positions, so the operand's lower bits are ignored.
struct HyperbolicTangent {
    static constexpr Shape shape = tanh_shape;
    static constexpr const Quadratic* rows = tanh_rows;

    static TablePosition position(u32 x)
    {
        const u32 size = x & ~f32_sign;
        const u32 from = size < first ? first : size;
        const u32 bounded = from < last ? from : last;
        const u32 binade = (bounded - first) >> fraction_bits;
        const u32 pieces = index_bits[binade];
        const u32 fraction = bounded & fraction_mask;
        return {first_row[binade] + (fraction >> (fraction_bits - pieces)),
                fraction >> (fraction_bits - 17 - pieces) & 0x1ffff};
    }
    static u32 leading(u32, u64 sum) { return bits_as<u32>(cut_off(sum >> 6) * 0x1p-51f); }
    static u32 result(u32 x, u32 leading)
    {
        const u32 size = x & ~f32_sign;
        const u32 bent = pick(is_above(size, last), bits_as<u32>(1.0f), leading);
        const u32 number = pick(is_above(first, size), size, bent) | (x & f32_sign);
        return pick(is_above(size, f32_infinity), f32_nan, number);
    }

private:
    static constexpr u32 first = bits_as<u32>(0x1p-8f);
    static constexpr u32 last = bits_as<u32>(8.0f) - 1;
    static constexpr u32 index_bits[] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3};
    static constexpr u32 first_row[] = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43};
};

// The upper words of f64, using the f32 tables: 20 fraction bits in and out. Subnormals count as
// zero.
struct UpperWord {
    static constexpr u32 fraction = 0xfffff;
    static constexpr u32 infinity = 0x7ff00000;
    static constexpr u32 nan = 0x7fffffff;
    static constexpr u32 one = bits_as<u32>(1.0f);
    static constexpr u32 moved = fraction_bits - 20;

    static s32 exponent(u32 high) { return static_cast<s32>(high >> 20 & 0x7ff); }
    // Returns the unit's result times 2^power; zero below the normal range.
    static u32 scaled(u32 unit, s32 power)
    {
        const s32 exponent = static_cast<s32>(unit >> fraction_bits) - 127 + 1023 + power;
        const u32 bits = static_cast<u32>(exponent) << 20 | (unit & fraction_mask) >> moved;
        return exponent > 0 ? bits : 0;
    }
};
struct UpperReciprocal : UpperWord {
    using Unit = Reciprocal;
    static u32 operand(u32 high) { return one | (high & fraction) << moved; }
    static u32 result(u32 high, u32 unit)
    {
        const u32 size = high & ~f32_sign;
        const u32 finite = size < 0x00100000 ? infinity : scaled(unit, 1023 - exponent(high));
        const u32 number = size == infinity ? 0 : finite;
        return size > infinity ? nan : number | (high & f32_sign);
    }
};
struct UpperInverseRoot : UpperWord {
    using Unit = InverseRoot;
    // 1 for an odd exponent: the operand is then in [1, 4), and the rest is a power of four.
    static s32 odd(u32 high) { return (exponent(high) - 1023) & 1; }
    static u32 operand(u32 high)
    {
        return one + (static_cast<u32>(odd(high)) << fraction_bits) + ((high & fraction) << moved);
    }
    static u32 result(u32 high, u32 unit)
    {
        const u32 size = high & ~f32_sign;
        const u32 sign = high & f32_sign;
        const u32 positive = scaled(unit, -((exponent(high) - 1023 - odd(high)) >> 1));
        const u32 finite = sign != 0 ? nan : positive;
        const u32 number = size == infinity && sign == 0 ? 0 : finite;
        const u32 ordered = size < 0x00100000 ? infinity | sign : number;
        return size > infinity ? nan : ordered;
    }
};

// Scales operands and results of div, because the unit's reciprocal doesn't support subnormals.
template <bool Full, bool Ftz>
struct Divide {
    static float scale(float b)
    {
        const bool large = Full && magnitude(b) > 0x1p126f;
        const bool small = !Ftz && magnitude(b) < 0x1p-126f;
        return large ? 0.25f : small ? 0x1p24f : 1.0f;
    }
    static float divisor(float b) { return flush<true>(b * scale(b)); }
    // The numerator, which multiplies the reciprocal.
    static float numerator(float a, float b) { return flush<Ftz>(flush<Ftz>(a) * scale(b)); }
    static float result(float a, float b, float unit)
    {
        const float factor = numerator(a, b);
        const float quotient = flush<true>(unit) * factor;
        // Results that are below the normal range before rounding are flushed.
        const float exact = flush<true>(unit) * 0x1p24f * factor;
        const bool was_tiny = Ftz && magnitude(exact) < 0x1p-102f;
        return finish<Ftz, false>(was_tiny ? quotient * 0.0f : quotient);
    }
};

} // namespace lanescope::simt::rows::LANESCOPE_ISA
