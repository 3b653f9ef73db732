// What the GPU does to floating-point values beyond IEEE 754: one NaN, flushing of subnormals,
// saturation. All by bits and selections, so that loops over lanes stay free of branches.
#pragma once

#include "compute/simt/operations/rows/rounding.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

template <class T>
struct FloatTraits;
template <>
struct FloatTraits<float> {
    using Bits = u32;
    static constexpr Bits sign = 0x80000000u;
    static constexpr Bits infinity = 0x7f800000u;
    static constexpr Bits smallest_normal = 0x00800000u;
    static constexpr Bits nan = 0x7fffffffu; // the one NaN that f32 arithmetic gives
};
template <>
struct FloatTraits<double> {
    using Bits = u64;
    static constexpr Bits sign = 0x8000000000000000u;
    static constexpr Bits infinity = 0x7ff0000000000000u;
    static constexpr Bits smallest_normal = 0x0010000000000000u;
    static constexpr Bits nan = 0xfff8000000000000u; // what an invalid operation gives
};
template <class T>
using BitsOf = typename FloatTraits<T>::Bits;

template <class T>
T canonical_nan()
{
    return bits_as<T>(FloatTraits<T>::nan);
}
template <class T>
T magnitude(T a)
{
    return bits_as<T>(static_cast<BitsOf<T>>(bits_as<BitsOf<T>>(a) & ~FloatTraits<T>::sign));
}
template <class T>
BitsOf<T> sign_of(T a)
{
    return bits_as<BitsOf<T>>(a) & FloatTraits<T>::sign;
}
template <class T>
T with_sign(T a, BitsOf<T> sign)
{
    return bits_as<T>(
        static_cast<BitsOf<T>>((bits_as<BitsOf<T>>(a) & ~FloatTraits<T>::sign) | sign));
}

// Subnormals become zeros of the same sign.
template <bool Ftz, class T>
T flush(T a)
{
    if constexpr (!Ftz) return a;
    const BitsOf<T> bits = bits_as<BitsOf<T>>(a);
    const bool small = (bits & FloatTraits<T>::infinity) == 0;
    return bits_as<T>(static_cast<BitsOf<T>>(small ? bits & FloatTraits<T>::sign : bits));
}

// [0, 1]; NaN and -0 give +0.
template <bool Sat, class T>
T saturate(T a)
{
    if constexpr (!Sat) return a;
    const T at_least_zero = a > T(0) ? a : T(0);
    return at_least_zero < T(1) ? at_least_zero : T(1);
}

// A NaN with its quiet bit set; other values stay.
inline double quieten(double a)
{
    return a == a ? a : bits_as<double>(bits_as<u64>(a) | u64{1} << 51);
}

// The NaN that a result is, where it is one: f32 has a single one, f64 hands on the first NaN among
// the operands, in the order in which the hardware looks at them, quietened.
inline float canonicalize_nan(float a)
{
    return a == a ? a : canonical_nan<float>();
}
inline double canonicalize_nan(double a)
{
    return quieten(a);
}
template <class... Operands>
float canonicalize_nan_of(float result, Operands...)
{
    return canonicalize_nan(result);
}
inline double canonicalize_nan_of(double result, double first, double second = 0, double third = 0)
{
    const double given = first != first ? first : second != second ? second : third;
    const double nan = given != given ? quieten(given) : canonical_nan<double>();
    return result == result ? result : nan;
}

template <bool Ftz, bool Sat, class T>
T finish(T a)
{
    return saturate<Sat>(flush<Ftz>(canonicalize_nan(a)));
}

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
constexpr bool has_fused_instruction = true;
inline float fused(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
#else
constexpr bool has_fused_instruction = false;
// Without such an instruction (WebAssembly, x86-64 before AVX2). The product is exact in f64; the
// sum there is rounded to odd, by the error that it made, so that rounding it to f32 is as if it
// happened at once; in the directed modes of a host, too (2e8 triples of each agreed with fmaf).
inline float fused(float a, float b, float c)
{
    const double product = static_cast<double>(a) * static_cast<double>(b);
    const double sum = product + static_cast<double>(c);
    const double added = sum - product;
    const double error = (product - (sum - added)) + (static_cast<double>(c) - added);
    // Chosen as f64, because SSE2 has no choice of 64-bit integers; false where the error is a NaN.
    const u64 inexact = bits_as<u64>(magnitude(error) > 0 ? bits_as<double>(u64{1}) : 0.0);
    const u64 opposite = (bits_as<u64>(error) ^ bits_as<u64>(sum)) >> 63 & inexact;
    return static_cast<float>(bits_as<double>((bits_as<u64>(sum) - opposite) | inexact));
}
#endif
inline double fused(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

// The same rounded twice, to f64 and then to f32, which is right where rounding_is_in_doubt says 0:
// half as much work. To nearest only.
inline float fused_by_two_roundings(float a, float b, float c)
{
    return static_cast<float>(static_cast<double>(a) * static_cast<double>(b) +
                              static_cast<double>(c));
}
// The highest bit of a word (other bits mean nothing): set where the sum in f64 lies in the middle
// between two numbers of f32, as what the first rounding lost would then decide, and where it is
// less than 2^-125 but not 0, as the numbers of f32 there are farther apart.
inline u64 rounding_is_in_doubt(float a, float b, float c)
{
    const u64 sum =
        bits_as<u64>(static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(c));
    constexpr u64 lost = (u64{1} << 29) - 1, middle = u64{1} << 28;
    const u64 size = sum & ~FloatTraits<double>::sign;
    const u64 from_middle = (sum & lost) ^ middle;
    const u64 is_small = size - bits_as<u64>(0x1p-125);
    return (from_middle - 1) | (is_small & ~(size - 1));
}

// Extremes: -0 is below +0; of a NaN and a number the number is given, unless NaN is asked to win.
template <bool Max, bool Nan, class T>
T extreme(T a, T b)
{
    using Bits = BitsOf<T>;
    const Bits equal_bits =
        Max ? bits_as<Bits>(a) & bits_as<Bits>(b) : bits_as<Bits>(a) | bits_as<Bits>(b);
    // A comparison with NaN is false, which leaves b.
    const T chosen = (Max ? a > b : a < b) ? a : b;
    const T ordered = a == b ? bits_as<T>(equal_bits) : chosen;
    const T number = b == b ? ordered : a;
    const bool is_nan = Nan ? a != a || b != b : number != number;
    return is_nan ? canonicalize_nan_of(canonical_nan<T>(), b, a) : number;
}

// Calls `make` with the flag as a type.
template <bool Value>
struct Flag {
    static constexpr bool value = Value;
};
template <class Make>
RowFunction for_flag(bool flag, Make make)
{
    return flag ? make(Flag<true>{}) : make(Flag<false>{});
}

// Calls `make` with float or double.
template <class Make>
RowFunction for_float(ptx::Type type, Make make)
{
    switch (type) {
    case ptx::Type::f32: return make(Tag<float>{});
    case ptx::Type::f64: return make(Tag<double>{});
    default: return nullptr;
    }
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
