// f16 and bf16: exact widening to f32, and rounding from f32 and f64 in each mode, using
// vectorisable arithmetic.
#pragma once

#include "compute/simt/operations/rows/floats/floats.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

template <class T>
struct HalfTraits;
template <>
struct HalfTraits<Half> {
    static constexpr u16 nan = 0x7fff;
    static constexpr u16 infinity = 0x7c00;
    static constexpr u16 one = 0x3c00;
    static constexpr int precision = 11;        // bits, including the leading one
    static constexpr int lowest_exponent = -14; // exponent of the smallest normal number
};
template <>
struct HalfTraits<Bfloat> {
    static constexpr u16 nan = 0x7fff;
    static constexpr u16 infinity = 0x7f80;
    static constexpr u16 one = 0x3f80;
    static constexpr int precision = 8;
    static constexpr int lowest_exponent = -126;
};
constexpr u16 half_sign = 0x8000;

// Multiplying by 2^112 corrects the exponent and normalises subnormals.
inline float widen(Half a)
{
    const u32 shifted = (u32{a.bits} & 0x7fff) << 13;
    const float scaled = bits_as<float>(shifted) * 0x1p112f;
    const u32 special = (a.bits & 0x7c00) == 0x7c00 ? 0x7f800000u : 0u;
    return bits_as<float>((bits_as<u32>(scaled) | special) | (u32{a.bits} & half_sign) << 16);
}
inline float widen(Bfloat a)
{
    return bits_as<float>(u32{a.bits} << 16);
}

// Rounds a double's magnitude to a multiple of the quantum, then encodes it. `Mode` is rn, rz, rm
// or rp. A NaN keeps its sign and the upper part of its payload.
template <class T, Rounding Mode>
T narrow_double(double a)
{
    using Traits = HalfTraits<T>;
    const u64 bits = bits_as<u64>(a);
    const u32 sign = static_cast<u32>(bits >> 48) & half_sign;
    const double size = magnitude(a);
    constexpr int lowest_quantum = Traits::lowest_exponent - Traits::precision + 1;
    const s32 exponent = static_cast<s32>(bits >> 52 & 0x7ff) - 1023;
    const s32 quantum = (exponent < Traits::lowest_exponent ? Traits::lowest_exponent : exponent) -
                        Traits::precision + 1;
    // Magnitudes beyond the largest exponent are replaced below.
    constexpr s32 top_exponent = 1 - Traits::lowest_exponent;
    const bool too_large = exponent > top_exponent;
    const double scale = bits_as<double>(static_cast<u64>(1023 - (too_large ? 0 : quantum)) << 52);
    const double quanta = too_large ? 0.0 : size * scale;
    const s32 whole = static_cast<s32>(quanta);
    const double rest = quanta - whole;
    const bool away = Mode == Rounding::rn   ? rest > 0.5 || (rest == 0.5 && (whole & 1) != 0)
                      : Mode == Rounding::rm ? rest > 0 && sign != 0
                      : Mode == Rounding::rp ? rest > 0 && sign == 0
                                             : false;
    const s32 rounded =
        whole + (away ? 1 : 0) + ((quantum - lowest_quantum) << (Traits::precision - 1));
    const bool stays_finite = Mode == Rounding::rz || (Mode == Rounding::rm && sign == 0) ||
                              (Mode == Rounding::rp && sign != 0);
    const u32 overflow = stays_finite ? Traits::infinity - 1u : Traits::infinity;
    const bool infinite = bits_as<u64>(size) == FloatTraits<double>::infinity;
    u32 result = too_large ? overflow : static_cast<u32>(rounded);
    result = infinite ? Traits::infinity : result;
    const u32 payload =
        static_cast<u32>(bits >> (53 - Traits::precision)) & ((1u << (Traits::precision - 1)) - 1);
    const u32 nan = Traits::infinity | 1u << (Traits::precision - 2) | payload;
    return {static_cast<u16>((a == a ? result : nan) | sign)};
}

// Nearest, from f32: the common case, done on the bits of the f32.
inline Half round_to(Tag<Half>, float a)
{
    const u32 sign = bits_as<u32>(a) & 0x80000000u;
    const u32 size = bits_as<u32>(a) ^ sign;
    const u32 normal =
        (size + 0xc8000fffu + (size >> 13 & 1)) >> 13; // rebiased by -112, rounded to nearest even
    // Adding 0.5 leaves the rounded subnormal bits at the bottom of the sum.
    const u32 subnormal = bits_as<u32>(bits_as<float>(size) + 0.5f) - 0x3f000000u;
    const u32 finite = size < 0x38800000u ? subnormal : normal;
    const u32 result = size >= 0x47800000u ? u32{HalfTraits<Half>::infinity} : finite;
    const u32 nan = HalfTraits<Half>::nan;
    return {static_cast<u16>(size > 0x7f800000u ? nan : result | sign >> 16)};
}
inline Bfloat round_to(Tag<Bfloat>, float a)
{
    const u32 bits = bits_as<u32>(a);
    const u32 rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
    const u32 nan = HalfTraits<Bfloat>::nan;
    return {static_cast<u16>(a == a ? rounded : nan)};
}
template <class T>
T narrow_to(float a)
{
    return round_to(Tag<T>{}, a);
}

template <bool Ftz, class T>
T flush_half(T a)
{
    if constexpr (!Ftz) return a;
    const bool small = (a.bits & HalfTraits<T>::infinity) == 0;
    return {static_cast<u16>(small ? a.bits & half_sign : a.bits)};
}

// Sum rounded to odd: its last bit is set if it is inexact, so that rounding again, to at least two
// bits fewer, gives the same result as a single rounding.
template <class T>
T add_to_odd(T a, T b)
{
    using Bits = BitsOf<T>;
    const T sum = a + b;
    const T b_part = sum - a;
    const T error = (a - (sum - b_part)) + (b - b_part);
    const Bits bits = bits_as<Bits>(sum);
    const bool inexact = error != 0 && sum - sum == 0;
    // The error's sign shows on which side of the sum the exact value is.
    const bool toward_zero = sign_of(error) != sign_of(sum);
    const Bits odd = (bits & 1) != 0 ? bits : toward_zero ? bits - 1 : bits + 1;
    return bits_as<T>(inexact ? odd : bits);
}

// Calls `make` with the element type and the lane type: the element, or a pair of them.
template <class Make>
RowFunction for_half(ptx::Type type, Make make)
{
    switch (type) {
    case ptx::Type::f16: return make(Tag<Half>{}, Tag<Half>{});
    case ptx::Type::f16x2: return make(Tag<Half>{}, Tag<Pair<Half>>{});
    case ptx::Type::bf16: return make(Tag<Bfloat>{}, Tag<Bfloat>{});
    case ptx::Type::bf16x2: return make(Tag<Bfloat>{}, Tag<Pair<Bfloat>>{});
    default: return nullptr;
    }
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
