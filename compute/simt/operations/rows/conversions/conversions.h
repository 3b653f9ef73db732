// Two-step conversions via an intermediate row, which avoid a
// separate loop for every pair of types.
#pragma once

#include "compute/simt/operations/rows/floats/halves.h"
#include "compute/simt/operations/rows/integers/integers.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

// `Second` applied to the results of `First`, via a row of type Middle.
template <RowFunction First, class Middle, RowFunction Second>
void chain(const RowOperands& o, u32 active)
{
    alignas(64) WordOf<Middle> between[warp_lanes];
    RowOperands step = o;
    step.d = between;
    First(step, full_mask);
    step.d = o.d;
    step.a = between;
    Second(step, active);
}

// Signed results narrower than a lane are sign-extended to the lane.
template <class D>
struct LaneOf {
    using type = D;
};
template <>
struct LaneOf<s8> {
    using type = s32;
};
template <>
struct LaneOf<s16> {
    using type = s32;
};

template <class D, class S, bool Sat>
struct IntegerToInteger {
    typename LaneOf<D>::type operator()(S a) const
    {
        if constexpr (!Sat) {
            return static_cast<D>(a);
        } else if constexpr (is_signed_integer<S>) {
            // A destination that is not narrower only restricts the sign.
            const S low = is_signed_integer<D> && sizeof(D) < sizeof(S)
                              ? static_cast<S>(lowest_of<D>())
                          : is_signed_integer<D> ? lowest_of<S>()
                                                 : S(0);
            const S high =
                sizeof(D) < sizeof(S) ? static_cast<S>(highest_of<D>()) : highest_of<S>();
            return static_cast<D>(a < low ? low : high < a ? high : a);
        } else {
            const bool bounds =
                sizeof(D) < sizeof(S) || (sizeof(D) == sizeof(S) && is_signed_integer<D>);
            const S high = bounds ? static_cast<S>(highest_of<D>()) : highest_of<S>();
            return static_cast<D>(high < a ? high : a);
        }
    }
};
template <class D, class S, bool Sat>
constexpr RowFunction integer_to_integer =
    &map1<IntegerToInteger<D, S, Sat>, typename LaneOf<D>::type, S>;

template <class T, bool Ftz>
struct WidenHalf {
    float operator()(T a) const { return canonicalize_nan(flush<Ftz>(widen(a))); }
};
template <class T>
constexpr RowFunction half_to_float = &map1<WidenHalf<T, false>, float, T>;

// Same, but leaves NaNs unchanged.
template <class T>
struct WidenBits {
    float operator()(T a) const { return widen(a); }
};
template <class T>
constexpr RowFunction half_bits_to_float = &map1<WidenBits<T>, float, T>;

// Rounds to an integral value and keeps the sign, even of zero. `Mode` is rni, rzi, rmi or rpi.
template <Rounding Mode, class T>
T round_to_integral(T a)
{
    constexpr T min_without_fraction =
        sizeof(T) == 4 ? T(8388608.0) : T(4503599627370496.0); // 2^23, 2^52
    const T size = magnitude(a);
    const T nearest = with_sign((size + min_without_fraction) - min_without_fraction, sign_of(a));
    T result = nearest;
    if constexpr (Mode == Rounding::rzi)
        result = magnitude(nearest) > size ? nearest - with_sign(T(1), sign_of(a)) : nearest;
    if constexpr (Mode == Rounding::rmi) result = nearest > a ? nearest - T(1) : nearest;
    if constexpr (Mode == Rounding::rpi) result = nearest < a ? nearest + T(1) : nearest;
    return size < min_without_fraction ? with_sign(result, sign_of(a)) : a;
}

// Calls `make` with the mode for rounding to integral values.
template <class Make>
RowFunction for_integral_rounding(Rounding rounding, Make make)
{
    switch (rounding) {
    case Rounding::rni: return make(RoundingTag<Rounding::rni>{});
    case Rounding::rzi: return make(RoundingTag<Rounding::rzi>{});
    case Rounding::rmi: return make(RoundingTag<Rounding::rmi>{});
    case Rounding::rpi: return make(RoundingTag<Rounding::rpi>{});
    default: return nullptr;
    }
}

// Calls `make` with the C++ type of an integer, including 8-bit ones.
template <class Make>
RowFunction for_any_integer(ptx::Type type, Make make)
{
    switch (type) {
    case ptx::Type::u8: return make(Tag<u8>{});
    case ptx::Type::s8: return make(Tag<s8>{});
    default: return for_integer(type, make);
    }
}

inline bool is_half(ptx::Type type)
{
    return type == ptx::Type::f16 || type == ptx::Type::bf16;
}
inline bool is_float(ptx::Type type)
{
    return type == ptx::Type::f32 || type == ptx::Type::f64;
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
