// cvt to f32 and f64 from integers and from floating point.
#include "compute/simt/operations/rows/conversions/conversions.h"
#include "compute/simt/operations/rows/floats/directed.h"
#include "compute/simt/operations/rows/floats/flushing.h"
#include "compute/simt/operations/rows/selectors.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

namespace {

// Exact in every rounding mode. magnitude() turns the -0 that results from 0 when rounding down
// into +0.
double exact_double(u32 a)
{
    return magnitude(static_cast<double>(static_cast<s32>(a ^ 0x80000000u)) + 2147483648.0);
}

// Uses the current rounding mode.
template <class F>
F from_integer(s32 a)
{
    return static_cast<F>(a);
}
template <class F>
F from_integer(u32 a)
{
    return static_cast<F>(exact_double(a));
}
template <class F>
F from_integer(s64 a)
{
    return static_cast<F>(a);
}
template <class F>
F from_integer(u64 a)
{
    // Half of a large value, with a sticky lowest bit, rounds as the whole value would.
    const bool large = static_cast<s64>(a) < 0;
    const F value = static_cast<F>(static_cast<s64>(large ? a >> 1 | (a & 1) : a));
    return large ? value + value : value;
}

template <class F, class S, Rounding Mode, bool Sat>
struct FromInteger {
    using Scope = RoundingScope<Mode>;
    F operator()(S a) const { return saturate<Sat>(rounded(a)); }
    static F rounded(S a)
    {
        if constexpr (has_rounding_modes || Mode == Rounding::rn || sizeof(F) == 8)
            return from_integer<F>(a);
        else
            return directed(wide_integer(a), Mode);
    }
};

template <class F, class S, Rounding Mode, bool Sat>
RowFunction from_integer_row()
{
    if constexpr (sizeof(S) >= 4)
        return &map1<FromInteger<F, S, Mode, Sat>, F, S>;
    else
        return &chain<integer_to_integer<s32, S, false>, s32,
                      &map1<FromInteger<F, s32, Mode, Sat>, F, s32>>;
}

template <class F>
RowFunction select_from_integer(const Key& key)
{
    return for_any_integer(key.source, [&]<class S>(Tag<S>) {
        return for_rounding(key.rounding, [&]<Rounding Mode>(RoundingTag<Mode>) -> RowFunction {
            if (!has_rounding_modes && Mode != Rounding::rn && sizeof(F) == 8 && sizeof(S) == 8)
                return nullptr;
            return key.sat ? from_integer_row<F, S, Mode, true>()
                           : from_integer_row<F, S, Mode, false>();
        });
    });
}

template <Rounding Mode, bool Ftz, bool Sat>
struct DoubleToFloat {
    using Scope = RoundingScope<Mode>;
    // A NaN keeps its sign and the upper part of its payload.
    float operator()(double a) const { return saturate<Sat>(flush<Ftz>(rounded(a))); }
    static float rounded(double a)
    {
        if constexpr (has_rounding_modes || Mode == Rounding::rn)
            return static_cast<float>(a);
        else
            return directed(a, Mode);
    }
    static bool was_tiny(float result, double a)
    {
        return edge_of<Mode>(sign_of(result) != 0).is_above(a);
    }
};
template <bool Ftz, bool Sat>
struct Extend {
    double operator()(float a) const
    {
        const float flushed = flush<Ftz>(a);
        return saturate<Sat>(static_cast<double>(Ftz ? canonicalize_nan(flushed) : flushed));
    }
};
// Same type, optionally rounded to an integral value.
template <class T, Rounding Mode, bool Ftz, bool Sat>
struct Integral {
    T operator()(T a) const { return finish<Ftz, Sat>(round_to_integral<Mode>(flush<Ftz>(a))); }
};
template <class T, bool Ftz, bool Sat>
struct Unrounded {
    T operator()(T a) const { return finish<Ftz, Sat>(a); }
};

template <class T, bool Ftz, bool Sat>
RowFunction select_same(const Key& key)
{
    if (key.rounding == Rounding::none || key.rounding == Rounding::rn)
        return &map1<Unrounded<T, Ftz, Sat>, T, T>;
    return for_integral_rounding(key.rounding, []<Rounding Mode>(RoundingTag<Mode>) -> RowFunction {
        return &map1<Integral<T, Mode, Ftz, Sat>, T, T>;
    });
}

template <class H, bool Ftz, bool Sat>
struct HalfToFloat {
    float operator()(H a) const { return finish<Ftz, Sat>(widen(a)); }
};

template <bool Ftz, bool Sat>
RowFunction select_to_f32(const Key& key)
{
    switch (key.source) {
    case ptx::Type::f32: return select_same<float, Ftz, Sat>(key);
    case ptx::Type::f64:
        return for_rounding(key.rounding, []<Rounding Mode>(RoundingTag<Mode>) -> RowFunction {
            using Function = DoubleToFloat<Mode, Ftz, Sat>;
            constexpr RowFunction row = &map1<Function, float, double>;
            if constexpr (Ftz)
                return &flush_tiny<Function, row, 1, double>;
            else
                return row;
        });
    case ptx::Type::f16: return &map1<HalfToFloat<Half, Ftz, Sat>, float, Half>;
    case ptx::Type::bf16: return &map1<WidenBits<Bfloat>, float, Bfloat>;
    default: return nullptr;
    }
}
template <bool Ftz, bool Sat>
RowFunction select_to_f64(const Key& key)
{
    constexpr RowFunction extend = &map1<Extend<Ftz, Sat>, double, float>;
    switch (key.source) {
    case ptx::Type::f32: return extend;
    case ptx::Type::f64: return select_same<double, false, Sat>(key);
    case ptx::Type::f16: return &chain<half_bits_to_float<Half>, float, extend>;
    case ptx::Type::bf16: return &chain<half_bits_to_float<Bfloat>, float, extend>;
    default: return nullptr;
    }
}

} // namespace

RowFunction select_conversion_to_float(const Key& key)
{
    const bool single = key.type == ptx::Type::f32;
    if (!is_float(key.source) && !is_half(key.source))
        return single ? select_from_integer<float>(key) : select_from_integer<double>(key);
    return for_flag(key.ftz, [&]<class Ftz>(Ftz) {
        return for_flag(key.sat, [&]<class Sat>(Sat) {
            return single ? select_to_f32<Ftz::value, Sat::value>(key)
                          : select_to_f64<Ftz::value, Sat::value>(key);
        });
    });
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
