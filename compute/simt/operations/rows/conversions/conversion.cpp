// cvt to f16, bf16 and tf32, packed conversions, and dispatch to the other kinds of cvt.
#include "compute/simt/operations/rows/conversions/conversions.h"
#include "compute/simt/operations/rows/selectors.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

namespace {

template <class H, bool Relu, bool SatFinite, bool Sat>
H bound(H a)
{
    using Traits = HalfTraits<H>;
    const u16 size = a.bits & 0x7fff;
    const bool is_nan = size > Traits::infinity;
    u16 bits = a.bits;
    if constexpr (SatFinite)
        bits = size == Traits::infinity ? u16((bits & half_sign) | (Traits::infinity - 1)) : bits;
    if constexpr (Relu) bits = !is_nan && (bits & half_sign) != 0 ? u16(0) : bits;
    if constexpr (Sat) {
        const u16 at_most_one = bits > Traits::one ? Traits::one : bits;
        bits = is_nan || (bits & half_sign) != 0 ? u16(0) : at_most_one;
    }
    return {bits};
}

// Widens for rounding to a half, in which an f32 NaN, unlike an f64 NaN, becomes all ones.
double canonical_widening(float a)
{
    return a == a ? static_cast<double>(a) : bits_as<double>(u64{0x7fffffffffffffff});
}

template <class H, Rounding Mode>
H narrow(float a)
{
    if constexpr (Mode == Rounding::rn)
        return narrow_to<H>(a);
    else
        return narrow_double<H, Mode>(canonical_widening(a));
}
template <class H, Rounding Mode>
H narrow(double a)
{
    return narrow_double<H, Mode>(a);
}

template <class H, class S, Rounding Mode, bool Ftz, bool Relu, bool SatFinite, bool Sat>
struct Narrow {
    H operator()(S a) const
    {
        return bound<H, Relu, SatFinite, Sat>(narrow<H, Mode>(flush<Ftz>(a)));
    }
};

// A double that rounds to a half as the integer would: bits beyond 53 are merged into one sticky
// bit.
template <class S>
struct StickyDouble {
    double operator()(S a) const
    {
        const bool negative = a < 0;
        const u64 size = negative ? u64(0) - static_cast<u64>(a) : static_cast<u64>(a);
        const u64 sticky = (size & ~u64{0x7ff}) | ((size & 0x7ff) != 0 ? u64{0x800} : u64{0});
        const u64 kept = size >> 53 != 0 ? sticky : size;
        const double value =
            static_cast<double>(static_cast<s64>(kept >> 1)) * 2.0 + static_cast<double>(kept & 1);
        return negative ? -value : value;
    }
};
template <class S>
constexpr RowFunction sticky_double = &map1<StickyDouble<S>, double, S>;

template <class H, Rounding Mode, bool Sat>
constexpr RowFunction half_from_double =
    &map1<Narrow<H, double, Mode, false, false, false, Sat>, H, double>;

template <class H, class S, Rounding Mode, bool Sat>
RowFunction from_integer()
{
    return &chain<sticky_double<S>, double, half_from_double<H, Mode, Sat>>;
}

template <class H, Rounding Mode>
RowFunction from_f32(const Key& key)
{
    return for_flag(key.ftz, [&]<class Ftz>(Ftz) -> RowFunction {
        constexpr bool flushed = Ftz::value;
        if (key.sat) return &map1<Narrow<H, float, Mode, flushed, false, false, true>, H, float>;
        if (key.relu && key.satfinite)
            return &map1<Narrow<H, float, Mode, flushed, true, true, false>, H, float>;
        if (key.relu) return &map1<Narrow<H, float, Mode, flushed, true, false, false>, H, float>;
        if (key.satfinite)
            return &map1<Narrow<H, float, Mode, flushed, false, true, false>, H, float>;
        return &map1<Narrow<H, float, Mode, flushed, false, false, false>, H, float>;
    });
}

// Half to half via f32: rounded to the other type, or to an integral value of the same type.
template <Rounding Mode>
struct IntegralFloat {
    float operator()(float a) const { return round_to_integral<Mode>(a); }
};
template <class H, class S, bool Sat>
RowFunction from_half(const Key& key)
{
    if (const RowFunction integral = for_integral_rounding(
            key.rounding, []<Rounding Mode>(RoundingTag<Mode>) -> RowFunction {
                return &chain<
                    &chain<half_to_float<S>, float, &map1<IntegralFloat<Mode>, float, float>>,
                    float,
                    &map1<Narrow<H, float, Rounding::rn, false, false, false, Sat>, H, float>>;
            }))
        return integral;
    return for_rounding(key.rounding, []<Rounding Mode>(RoundingTag<Mode>) -> RowFunction {
        return &chain<half_to_float<S>, float,
                      &map1<Narrow<H, float, Mode, false, false, false, Sat>, H, float>>;
    });
}

template <class H, bool Sat>
RowFunction select_from(const Key& key)
{
    switch (key.source) {
    case ptx::Type::f16: return from_half<H, Half, Sat>(key);
    case ptx::Type::bf16: return from_half<H, Bfloat, Sat>(key);
    default: break;
    }
    return for_rounding(key.rounding, [&]<Rounding Mode>(RoundingTag<Mode>) -> RowFunction {
        if (key.source == ptx::Type::f32) return from_f32<H, Mode>(key);
        if (key.source == ptx::Type::f64) return half_from_double<H, Mode, Sat>;
        return for_any_integer(key.source,
                               []<class S>(Tag<S>) { return from_integer<H, S, Mode, Sat>(); });
    });
}
template <class H>
RowFunction select_to_half(const Key& key)
{
    return key.sat ? select_from<H, true>(key) : select_from<H, false>(key);
}

// a becomes the high half, b the low half.
template <class H, Rounding Mode, bool Relu, bool SatFinite>
struct NarrowTwo {
    Pair<H> operator()(float a, float b) const
    {
        return {bound<H, Relu, SatFinite, false>(narrow<H, Mode>(b)),
                bound<H, Relu, SatFinite, false>(narrow<H, Mode>(a))};
    }
};
template <class H, Rounding Mode>
RowFunction select_pair_in(const Key& key)
{
    return for_flag(key.relu, [&]<class Relu>(Relu) {
        return for_flag(key.satfinite, [&]<class SatFinite>(SatFinite) -> RowFunction {
            return &map2<NarrowTwo<H, Mode, Relu::value, SatFinite::value>, Pair<H>, float>;
        });
    });
}
template <class H>
RowFunction select_pair(const Key& key)
{
    if (key.source != ptx::Type::f32) return nullptr;
    if (key.rounding == Rounding::rn) return select_pair_in<H, Rounding::rn>(key);
    return key.rounding == Rounding::rz ? select_pair_in<H, Rounding::rz>(key) : nullptr;
}

// tf32: an f32 whose low 13 bits are ignored; they are cleared here.
template <Rounding Mode, bool Relu, bool SatFinite>
struct ToTf32 {
    u32 operator()(float a) const
    {
        const u32 bits = bits_as<u32>(a);
        const u32 half = Mode == Rounding::rna  ? 0x1000u
                         : Mode == Rounding::rn ? 0xfffu + (bits >> 13 & 1)
                                                : 0u;
        const u32 rounded = (bits + half) & ~0x1fffu;
        const bool special = (bits & 0x7f800000u) == 0x7f800000u;
        // A NaN becomes the f32 NaN, truncated; rounding away from zero truncates its input.
        const u32 cut =
            (a != a && Mode != Rounding::rna ? FloatTraits<float>::nan : bits) & ~0x1fffu;
        u32 result = special ? cut : rounded;
        if constexpr (SatFinite) {
            constexpr u32 infinity = FloatTraits<float>::infinity;
            constexpr u32 largest = (infinity - 1) & ~0x1fffu;
            const bool infinite = (result & 0x7fffffffu) == infinity;
            result = a != a     ? FloatTraits<float>::nan & ~0x1fffu
                     : infinite ? (result & 0x80000000u) | largest
                                : result;
        }
        return Relu && a == a && (result >> 31) != 0 ? 0u : result;
    }
};
template <Rounding Mode>
RowFunction select_to_tf32_by(const Key& key)
{
    return for_flag(key.relu, [&]<class Relu>(Relu) {
        return for_flag(key.satfinite, []<class SatFinite>(SatFinite) -> RowFunction {
            return &map1<ToTf32<Mode, Relu::value, SatFinite::value>, u32, float>;
        });
    });
}
RowFunction select_to_tf32(const Key& key)
{
    switch (key.rounding) {
    case Rounding::rna: return key.relu ? nullptr : select_to_tf32_by<Rounding::rna>(key);
    case Rounding::rn: return select_to_tf32_by<Rounding::rn>(key);
    case Rounding::rz: return select_to_tf32_by<Rounding::rz>(key);
    default: return nullptr;
    }
}

// Packs a and b, clamped, above the bits of c.
template <class D>
struct PackTwo {
    u32 operator()(s32 a, s32 b) const
    {
        constexpr int bits = bit_width_of<D>;
        const u32 high = static_cast<UnsignedOf<D>>(clamp_to<D>(s64{a}));
        const u32 low = static_cast<UnsignedOf<D>>(clamp_to<D>(s64{b}));
        return high << bits | low;
    }
    u32 operator()(s32 a, s32 b, u32 c) const
    {
        return c << (2 * bit_width_of<D> % 32) | (*this)(a, b);
    }
};
template <class D>
RowFunction select_pack_of(const Key& key)
{
    if (key.third == ptx::Type::none) return sizeof(D) == 2 ? &map2<PackTwo<D>, u32, s32> : nullptr;
    return sizeof(D) == 1 ? &map3<PackTwo<D>, u32, s32, s32, u32> : nullptr;
}

// Integers of 2 and 4 bits.
template <int Bits, bool Signed>
struct PackTwoSmall {
    u32 operator()(s32 a, s32 b, u32 c) const
    {
        return c << 2 * Bits | limited(a) << Bits | limited(b);
    }
    static u32 limited(s32 a)
    {
        constexpr s32 low = Signed ? -(1 << (Bits - 1)) : 0;
        constexpr s32 high = low + (1 << Bits) - 1;
        return static_cast<u32>(a < low ? low : a > high ? high : a) & ((1u << Bits) - 1);
    }
};
template <int Bits, bool Signed>
RowFunction select_pack_small(const Key& key)
{
    const bool has_third = key.third != ptx::Type::none;
    return has_third ? &map3<PackTwoSmall<Bits, Signed>, u32, s32, s32, u32> : nullptr;
}

RowFunction select_pack(const Key& key)
{
    if (key.source != ptx::Type::s32) return nullptr;
    switch (key.type) {
    case ptx::Type::u16: return select_pack_of<u16>(key);
    case ptx::Type::s16: return select_pack_of<s16>(key);
    case ptx::Type::u8: return select_pack_of<u8>(key);
    case ptx::Type::s8: return select_pack_of<s8>(key);
    case ptx::Type::u4: return select_pack_small<4, false>(key);
    case ptx::Type::s4: return select_pack_small<4, true>(key);
    case ptx::Type::u2: return select_pack_small<2, false>(key);
    case ptx::Type::s2: return select_pack_small<2, true>(key);
    default: return nullptr;
    }
}

// FP8 encodings: e4m3, which has no infinity, and e5m2.
template <int Fraction>
struct Octet {
    static constexpr int lowest_exponent =
        Fraction == 3 ? -6 : -14; // exponent of the smallest normal number
    static constexpr u32 largest = Fraction == 3 ? 0x7e : 0x7b;
    static constexpr u32 infinity = 0x7c; // e5m2 only
    static constexpr u32 nan = 0x7f;
};

// Rounds to nearest; values that are too large saturate.
template <int Fraction, bool Relu>
u32 narrow_to_octet(float a)
{
    using Traits = Octet<Fraction>;
    const u32 sign = bits_as<u32>(a) >> 31;
    const u32 size = bits_as<u32>(a) & 0x7fffffff;
    if (size > 0x7f800000u) return Traits::nan;
    if (Relu && sign != 0) return 0;
    u32 result = Traits::largest;
    if (size < 0x47800000u) { // 2^16
        const s32 exponent = static_cast<s32>(size >> 23) - 127;
        const s32 above =
            (exponent > Traits::lowest_exponent ? exponent : Traits::lowest_exponent) -
            Traits::lowest_exponent;
        const double scale = bits_as<double>(
            static_cast<u64>(1023 + Fraction - Traits::lowest_exponent - above) << 52);
        const double quanta = (double{bits_as<float>(size)} * scale + 0x1p52) - 0x1p52;
        result = smaller(static_cast<u32>(quanta) + (static_cast<u32>(above) << Fraction),
                         Traits::largest);
    }
    return result | sign << 7;
}

template <int Fraction, bool Relu>
struct PackOctets {
    u16 operator()(float a, float b) const
    {
        return static_cast<u16>(narrow_to_octet<Fraction, Relu>(a) << 8 |
                                narrow_to_octet<Fraction, Relu>(b));
    }
    template <class H>
    u16 operator()(Pair<H> a) const
    {
        return (*this)(widen(a.high), widen(a.low));
    }
};

template <int Fraction, bool Relu>
struct UnpackOctets {
    static Half half(u32 octet)
    {
        using Traits = Octet<Fraction>;
        const u32 sign = octet >> 7 & 1;
        const u32 size = octet & 0x7f;
        if (size == Traits::nan || (Fraction == 2 && size > Traits::infinity))
            return {HalfTraits<Half>::nan};
        if (Relu && sign != 0) return {0};
        if (Fraction == 2) return {static_cast<u16>(octet << 8)};
        const u32 digits = size < 8 ? size : (size & 7) | 8;
        const u32 exponent = size < 8 ? 1 : size >> 3;
        const float value = static_cast<float>(static_cast<s32>(digits)) *
                            bits_as<float>((127 + exponent - 10) << 23);
        return {static_cast<u16>(narrow_to<Half>(value).bits | sign << 15)};
    }
    Pair<Half> operator()(u16 a) const { return {half(a & 0xffu), half(a >> 8u)}; }
};

template <int Fraction, bool Relu>
RowFunction select_octets(const Key& key, ptx::Type octets)
{
    if (key.rounding != Rounding::rn || key.ftz || key.sat) return nullptr;
    if (key.type != octets)
        return key.type == ptx::Type::f16x2 && !key.satfinite
                   ? &map1<UnpackOctets<Fraction, Relu>, Pair<Half>, u16>
                   : nullptr;
    if (!key.satfinite) return nullptr;
    if (key.source == ptx::Type::f16x2) return &map1<PackOctets<Fraction, Relu>, u16, Pair<Half>>;
    if (key.source == ptx::Type::bf16x2)
        return &map1<PackOctets<Fraction, Relu>, u16, Pair<Bfloat>>;
    return key.source == ptx::Type::f32 ? &map2<PackOctets<Fraction, Relu>, u16, float> : nullptr;
}

} // namespace

RowFunction select_conversion(const Key& key)
{
    if (key.op == Op::cvt_pack) return select_pack(key);
    if (key.rounding == Rounding::rs) return select_stochastic(key);
    if (key.tf32) return select_to_tf32(key);
    for (const ptx::Type small :
         {ptx::Type::e2m1x2, ptx::Type::e2m3x2, ptx::Type::e3m2x2, ptx::Type::ue8m0x2})
        if (key.type == small || key.source == small) return select_small_float(key);
    for (const ptx::Type octets : {ptx::Type::e4m3x2, ptx::Type::e5m2x2})
        if (key.type == octets || key.source == octets)
            return for_flag(key.relu, [&]<class Relu>(Relu) -> RowFunction {
                return octets == ptx::Type::e4m3x2 ? select_octets<3, Relu::value>(key, octets)
                                                   : select_octets<2, Relu::value>(key, octets);
            });
    switch (key.type) {
    case ptx::Type::f16: return select_to_half<Half>(key);
    case ptx::Type::bf16: return select_to_half<Bfloat>(key);
    case ptx::Type::f16x2: return select_pair<Half>(key);
    case ptx::Type::bf16x2: return select_pair<Bfloat>(key);
    case ptx::Type::f32:
    case ptx::Type::f64: return select_conversion_to_float(key);
    default: return select_conversion_to_integer(key);
    }
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
