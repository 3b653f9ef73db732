// GPU floating-point behaviour beyond IEEE 754: a single NaN, flushing of subnormals, saturation.
// Implemented with bit operations and selects, so that loops over lanes are branch-free.
#pragma once

#include "compute/simt/operations/rows/floats/rounding.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

template <class T>
struct FloatTraits;
template <>
struct FloatTraits<float> {
    using Bits = u32;
    static constexpr Bits sign = 0x80000000u;
    static constexpr Bits infinity = 0x7f800000u;
    static constexpr Bits smallest_normal = 0x00800000u;
    static constexpr Bits nan = 0x7fffffffu; // the only NaN that f32 arithmetic produces
};
template <>
struct FloatTraits<double> {
    using Bits = u64;
    static constexpr Bits sign = 0x8000000000000000u;
    static constexpr Bits infinity = 0x7ff0000000000000u;
    static constexpr Bits smallest_normal = 0x0010000000000000u;
    static constexpr Bits nan = 0xfff8000000000000u; // result of an invalid operation
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

// Flushes subnormals to zeros of the same sign.
template <bool Ftz, class T>
T flush(T a)
{
    if constexpr (!Ftz) return a;
    const BitsOf<T> bits = bits_as<BitsOf<T>>(a);
    const bool small = (bits & FloatTraits<T>::infinity) == 0;
    return bits_as<T>(static_cast<BitsOf<T>>(small ? bits & FloatTraits<T>::sign : bits));
}

// Saturates to [0, 1]; NaN and -0 become +0.
template <bool Sat, class T>
T saturate(T a)
{
    if constexpr (!Sat) return a;
    const T at_least_zero = a > T(0) ? a : T(0);
    return at_least_zero < T(1) ? at_least_zero : T(1);
}

// Sets the quiet bit of a NaN; other values are unchanged.
inline double quieten(double a)
{
    return a == a ? a : bits_as<double>(bits_as<u64>(a) | u64{1} << 51);
}

// NaN result: f32 has a single NaN, f64 propagates the first NaN operand in the hardware's order,
// quietened.
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
// Fused multiply-add without a hardware instruction (WebAssembly, x86-64 before AVX2). The product
// is exact in f64; the f64 sum is rounded to odd using its error term, so that rounding to f32
// equals a single rounding. Also valid in the host's directed modes (2e8 triples per mode agreed
// with fmaf).
inline float fused(float a, float b, float c)
{
    const double product = static_cast<double>(a) * static_cast<double>(b);
    const double sum = product + static_cast<double>(c);
    const double added = sum - product;
    const double error = (product - (sum - added)) + (static_cast<double>(c) - added);
    // Selected as f64, because SSE2 has no select for 64-bit integers; false if the error is a NaN.
    const u64 inexact = bits_as<u64>(magnitude(error) > 0 ? bits_as<double>(u64{1}) : 0.0);
    const u64 opposite = (bits_as<u64>(error) ^ bits_as<u64>(sum)) >> 63 & inexact;
    return static_cast<float>(bits_as<double>((bits_as<u64>(sum) - opposite) | inexact));
}
#endif
inline double fused(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

// Rounds twice, to f64 and then to f32, with half the work of fused(). Correct if
// rounding_is_in_doubt() returns 0. Nearest only.
inline float fused_by_two_roundings(float a, float b, float c)
{
    return static_cast<float>(static_cast<double>(a) * static_cast<double>(b) +
                              static_cast<double>(c));
}
// Sets the top bit (other bits are meaningless) if the f64 sum is halfway between two f32 values,
// where the first rounding's error decides, or if it is nonzero and below 2^-125, where f32 values
// are spaced wider.
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

// Min and max: -0 is below +0; of a NaN and a number, the result is the number unless Nan is set.
template <bool Max, bool Nan, class T>
T extreme(T a, T b)
{
    using Bits = BitsOf<T>;
    const Bits equal_bits =
        Max ? bits_as<Bits>(a) & bits_as<Bits>(b) : bits_as<Bits>(a) | bits_as<Bits>(b);
    // Comparisons with NaN are false, which selects b.
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
