// cvt to integers: from integers, and from floating point with rounding. Out-of-range values clamp.
#include "compute/simt/operations/rows/conversions/conversions.h"
#include "compute/simt/operations/rows/selectors.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

namespace {

// Result for a NaN.
template <class D, class S>
constexpr D nan_as_integer()
{
    return sizeof(D) == 8 || sizeof(S) == 8 ? static_cast<D>(D(1) << (bit_width_of<D> - 1)) : D(0);
}

// The host converts only values that fit; the results of all others are selected afterwards.
template <class D, class S>
D clamp_integral(S a)
{
    using Signed = SignedOf<D>;
    constexpr S limit = sizeof(D) == 4 ? S(2147483648.0) : S(9223372036854775808.0);
    if constexpr (is_signed_integer<D>) {
        const S fitting = a > -limit && a < limit ? a : S(0);
        D value = static_cast<D>(fitting);
        value = a >= limit ? highest_of<D>() : value;
        value = a <= -limit ? lowest_of<D>() : value;
        return a == a ? value : nan_as_integer<D, S>();
    } else {
        const bool upper = a >= limit;
        const S reduced = upper ? a - limit : a;
        const S fitting = reduced > S(0) && reduced < limit ? reduced : S(0);
        D value = static_cast<D>(static_cast<Signed>(fitting)) +
                  (upper ? static_cast<D>(lowest_of<Signed>()) : D(0));
        value = a >= limit * 2 ? highest_of<D>() : value;
        return a == a ? value : nan_as_integer<D, S>();
    }
}

template <class D, class S, Rounding Mode, bool Ftz>
struct ToInteger {
    D operator()(S a) const
    {
        // The host's conversion already truncates.
        const S flushed = flush<Ftz>(a);
        return clamp_integral<D>(Mode == Rounding::rzi ? flushed
                                                       : round_to_integral<Mode>(flushed));
    }
};

template <class D, class S, bool Ftz, Rounding Mode>
constexpr RowFunction to_integer = &map1<ToInteger<D, S, Mode, Ftz>, D, S>;

// f64 to 8 and 16 bits: the result is clamped again, with a different NaN result per width.
template <class D, Rounding Mode>
struct DoubleToNarrow {
    typename LaneOf<D>::type operator()(double a) const
    {
        const s32 wide = clamp_integral<s32>(round_to_integral<Mode>(a));
        const D nan = static_cast<D>(1 << (bit_width_of<D> - 1));
        return a == a ? clamp_to<D>(s64{wide}) : nan;
    }
};

// Narrower integers are clamped again, from 32 bits.
template <class D, class S, bool Ftz, Rounding Mode>
RowFunction from_float()
{
    if constexpr (sizeof(D) < 4 && sizeof(S) == 8)
        return &map1<DoubleToNarrow<D, Mode>, typename LaneOf<D>::type, double>;
    else if constexpr (sizeof(D) >= 4)
        return to_integer<D, S, Ftz, Mode>;
    else
        return &chain<to_integer<s32, S, Ftz, Mode>, s32, integer_to_integer<D, s32, true>>;
}
template <class D, class H, Rounding Mode>
RowFunction from_half()
{
    if constexpr (sizeof(D) >= 4)
        return &chain<half_to_float<H>, float, to_integer<D, float, false, Mode>>;
    else
        return &chain<&chain<half_to_float<H>, float, to_integer<s32, float, false, Mode>>, s32,
                      integer_to_integer<D, s32, true>>;
}

template <class D>
RowFunction select_from_floating(const Key& key)
{
    return for_integral_rounding(key.rounding,
                                 [&]<Rounding Mode>(RoundingTag<Mode>) -> RowFunction {
                                     switch (key.source) {
                                     case ptx::Type::f32:
                                         return key.ftz ? from_float<D, float, true, Mode>()
                                                        : from_float<D, float, false, Mode>();
                                     case ptx::Type::f64:
                                         return from_float<D, double, false, Mode>();
                                     case ptx::Type::f16: return from_half<D, Half, Mode>();
                                     case ptx::Type::bf16: return from_half<D, Bfloat, Mode>();
                                     default: return nullptr;
                                     }
                                 });
}

} // namespace

RowFunction select_conversion_to_integer(const Key& key)
{
    return for_any_integer(key.type, [&]<class D>(Tag<D>) {
        if (is_float(key.source) || is_half(key.source)) return select_from_floating<D>(key);
        return for_any_integer(key.source, [&]<class S>(Tag<S>) -> RowFunction {
            return key.sat ? integer_to_integer<D, S, true> : integer_to_integer<D, S, false>;
        });
    });
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
