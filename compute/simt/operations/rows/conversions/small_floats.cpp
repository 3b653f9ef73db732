// cvt to and from FP4 (e2m1), FP6 (e2m3, e3m2) and powers of two (ue8m0), always two at once.
// FP4 and FP6 have no infinities and no NaN: conversions to them saturate, and a NaN becomes the
// largest number. Two FP4 fill a byte; an FP6 is in the low 6 bits of a byte.
#include "compute/simt/operations/rows/conversions/conversions.h"
#include "compute/simt/operations/rows/selectors.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

namespace {

template <int ExponentBits, int FractionBits>
struct Small {
    static constexpr int fraction = FractionBits;
    static constexpr int bits = 1 + ExponentBits + FractionBits;
    static constexpr int bits_apart = bits == 4 ? 4 : 8; // from one value to the next
    static constexpr u32 sign = 1u << (bits - 1);
    static constexpr u32 largest = sign - 1;
    // exponent of the smallest normal number
    static constexpr int lowest_exponent = 2 - (1 << (ExponentBits - 1));
};
using E2M1 = Small<2, 1>;
using E2M3 = Small<2, 3>;
using E3M2 = Small<3, 2>;

// Rounds to nearest.
template <class S, bool Relu>
u32 narrow_to_small(float a)
{
    const u32 size = bits_as<u32>(a) & 0x7fffffffu;
    const bool negative = bits_as<u32>(a) >> 31 != 0;
    if (size > 0x7f800000u) return S::largest;
    if (Relu && negative) return 0;
    u32 code = S::largest;
    if (size < 0x42000000u) { // 32, above the largest number of any format
        const s32 exponent = static_cast<s32>(size >> 23) - 127;
        const s32 above = exponent > S::lowest_exponent ? exponent - S::lowest_exponent : 0;
        const double scale = bits_as<double>(
            static_cast<u64>(1023 + S::fraction - S::lowest_exponent - above) << 52);
        const double quanta = (double{bits_as<float>(size)} * scale + 0x1p52) - 0x1p52;
        code = smaller(static_cast<u32>(quanta) + (static_cast<u32>(above) << S::fraction),
                       S::largest);
    }
    return code | (negative ? S::sign : 0u);
}

template <class S, bool Relu>
Half widen_small(u32 code)
{
    const u32 size = code & S::largest;
    const bool negative = (code & S::sign) != 0;
    if (Relu && negative) return {0};
    constexpr u32 one = 1u << S::fraction;
    const u32 exponent = size < one ? 1u : size >> S::fraction;
    const u32 digits = size < one ? size : (size & (one - 1)) | one;
    const float quantum = bits_as<float>(
        static_cast<u32>(127 + S::lowest_exponent - 1 - S::fraction + static_cast<s32>(exponent))
        << 23);
    const Half half = narrow_to<Half>(static_cast<float>(static_cast<s32>(digits)) * quantum);
    return {static_cast<u16>(half.bits | (negative ? half_sign : 0))};
}

template <class S, bool Relu>
struct PackSmall {
    u16 operator()(float a, float b) const
    {
        return static_cast<u16>(narrow_to_small<S, Relu>(a) << S::bits_apart |
                                narrow_to_small<S, Relu>(b));
    }
    template <class H>
    u16 operator()(Pair<H> a) const
    {
        return (*this)(widen(a.high), widen(a.low));
    }
};
template <class S, bool Relu>
struct UnpackSmall {
    Pair<Half> operator()(u16 a) const
    {
        return {widen_small<S, Relu>(a), widen_small<S, Relu>(u32{a} >> S::bits_apart)};
    }
};

template <class S>
RowFunction select_small(const Key& key, bool narrows)
{
    if (key.rounding != Rounding::rn || key.satfinite != narrows) return nullptr;
    return for_flag(key.relu, [&]<class Relu>(Relu) -> RowFunction {
        using Packing = PackSmall<S, Relu::value>;
        if (!narrows)
            return key.type == ptx::Type::f16x2
                       ? &map1<UnpackSmall<S, Relu::value>, Pair<Half>, u16>
                       : nullptr;
        switch (key.source) {
        case ptx::Type::f32: return &map2<Packing, u16, float>;
        case ptx::Type::f16x2: return &map1<Packing, u16, Pair<Half>>;
        case ptx::Type::bf16x2: return &map1<Packing, u16, Pair<Bfloat>>;
        default: return nullptr;
        }
    });
}

// ue8m0: 2^(code - 127), or NaN if all bits are set. The sign of the source is ignored. Rounding
// up, values above 2^-127 become the next power of two.
template <bool Up, bool SatFinite>
u32 to_power(float a)
{
    constexpr u32 nan = 0xff, largest = 0xfe;
    const u32 size = bits_as<u32>(a) & 0x7fffffffu;
    if (size > 0x7f800000u) return nan;
    const bool rounds_up =
        Up && size > 0x00400000u && size < 0x7f800000u && (size & 0x007fffffu) != 0;
    const u32 code = (size >> 23) + (rounds_up ? 1u : 0u);
    return SatFinite ? smaller(code, largest) : code;
}
template <bool Up, bool SatFinite>
struct ToPowers {
    u16 operator()(float a, float b) const
    {
        return static_cast<u16>(to_power<Up, SatFinite>(a) << 8 | to_power<Up, SatFinite>(b));
    }
    u16 operator()(Pair<Bfloat> a) const { return (*this)(widen(a.high), widen(a.low)); }
};
struct FromPowers {
    static Bfloat power(u32 code)
    {
        const u32 bits = code == 0 ? 0x0040u : code << 7; // 2^-127 is subnormal
        return {static_cast<u16>(code == 0xff ? u32{HalfTraits<Bfloat>::nan} : bits)};
    }
    Pair<Bfloat> operator()(u16 a) const { return {power(a & 0xffu), power(u32{a} >> 8)}; }
};

RowFunction select_powers(const Key& key)
{
    if (key.relu) return nullptr;
    if (key.type != ptx::Type::ue8m0x2) {
        const bool widens = key.type == ptx::Type::bf16x2 && key.rounding == Rounding::rn;
        return widens && !key.satfinite ? &map1<FromPowers, Pair<Bfloat>, u16> : nullptr;
    }
    if (key.rounding != Rounding::rz && key.rounding != Rounding::rp) return nullptr;
    return for_flag(key.rounding == Rounding::rp, [&]<class Up>(Up) {
        return for_flag(key.satfinite, [&]<class SatFinite>(SatFinite) -> RowFunction {
            using Function = ToPowers<Up::value, SatFinite::value>;
            if (key.source == ptx::Type::f32) return &map2<Function, u16, float>;
            return key.source == ptx::Type::bf16x2 ? &map1<Function, u16, Pair<Bfloat>> : nullptr;
        });
    });
}

} // namespace

RowFunction select_small_float(const Key& key)
{
    if (key.ftz || key.sat) return nullptr;
    const auto either = [&](ptx::Type type) { return key.type == type || key.source == type; };
    if (either(ptx::Type::ue8m0x2)) return select_powers(key);
    if (either(ptx::Type::e2m1x2)) return select_small<E2M1>(key, key.type == ptx::Type::e2m1x2);
    if (either(ptx::Type::e2m3x2)) return select_small<E2M3>(key, key.type == ptx::Type::e2m3x2);
    if (either(ptx::Type::e3m2x2)) return select_small<E3M2>(key, key.type == ptx::Type::e3m2x2);
    return nullptr;
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
