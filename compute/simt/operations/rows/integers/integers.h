// Integers with PTX semantics: signed ones also wrap around, and the width is part of the type.
#pragma once

#include "compute/simt/operations/rows/lanes.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

template <class T>
struct IntegerTraits;
template <class Unsigned, class Signed, class Wide>
struct TraitsOf {
    using unsigned_type = Unsigned;
    using signed_type = Signed;
    using wide_type = Wide; // twice as wide, with the same signedness
};
template <>
struct IntegerTraits<u8> : TraitsOf<u8, s8, u16> {
};
template <>
struct IntegerTraits<s8> : TraitsOf<u8, s8, s16> {
};
template <>
struct IntegerTraits<u16> : TraitsOf<u16, s16, u32> {
};
template <>
struct IntegerTraits<s16> : TraitsOf<u16, s16, s32> {
};
template <>
struct IntegerTraits<u32> : TraitsOf<u32, s32, u64> {
};
template <>
struct IntegerTraits<s32> : TraitsOf<u32, s32, s64> {
};
template <>
struct IntegerTraits<u64> : TraitsOf<u64, s64, u128> {
};
template <>
struct IntegerTraits<s64> : TraitsOf<u64, s64, s128> {
};

template <class T>
using UnsignedOf = typename IntegerTraits<T>::unsigned_type;
template <class T>
using SignedOf = typename IntegerTraits<T>::signed_type;
template <class T>
using WideOf = typename IntegerTraits<T>::wide_type;

template <class T>
constexpr bool is_signed_integer = T(-1) < T(0);
template <class T>
constexpr int bit_width_of = static_cast<int>(sizeof(T) * 8);

template <class T>
constexpr T lowest_of()
{
    return is_signed_integer<T> ? static_cast<T>(UnsignedOf<T>(1) << (bit_width_of<T> - 1)) : T(0);
}
template <class T>
constexpr T highest_of()
{
    return static_cast<T>(~lowest_of<T>());
}

template <class T>
constexpr T wrapping_add(T a, T b)
{
    return static_cast<T>(static_cast<UnsignedOf<T>>(a) + static_cast<UnsignedOf<T>>(b));
}
template <class T>
constexpr T wrapping_subtract(T a, T b)
{
    return static_cast<T>(static_cast<UnsignedOf<T>>(a) - static_cast<UnsignedOf<T>>(b));
}
template <class T>
constexpr T wrapping_multiply(T a, T b)
{
    // 16-bit operands would be promoted to int, where their product may overflow.
    using Unsigned = UnsignedOf<T>;
    if constexpr (sizeof(T) < 4)
        return static_cast<T>(static_cast<u32>(a) * static_cast<u32>(b));
    else
        return static_cast<T>(static_cast<Unsigned>(a) * static_cast<Unsigned>(b));
}
template <class T>
constexpr T wrapping_negate(T a)
{
    return wrapping_subtract(T(0), a);
}
template <class T>
constexpr T high_product(T a, T b)
{
    return static_cast<T>((static_cast<WideOf<T>>(a) * static_cast<WideOf<T>>(b)) >>
                          bit_width_of<T>);
}
template <class T>
constexpr T smaller(T a, T b)
{
    return b < a ? b : a;
}
template <class T>
constexpr T larger(T a, T b)
{
    return a < b ? b : a;
}
template <class To, class From>
constexpr To clamp_to(From value)
{
    const From low = static_cast<From>(lowest_of<To>());
    const From high = static_cast<From>(highest_of<To>());
    return static_cast<To>(value < low ? low : high < value ? high : value);
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
