// Bit fields, bit counts, byte permutation and small dot products.
#include "compute/simt/operations/rows/floats/floats.h"
#include "compute/simt/operations/rows/integers/integers.h"
#include "compute/simt/operations/rows/selectors.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

namespace {

// Mask of the low `length` bits of T; all bits if `length` is at least the width.
template <class T>
T low_mask(u32 length)
{
    constexpr u32 width = bit_width_of<T>;
    return length >= width ? T(-1) : static_cast<T>((T(1) << (length & (width - 1))) - 1);
}

// Positions and lengths: 32-bit fields use the low byte only, 64-bit fields the whole number
// (clamped at 255, which is equivalent).
template <class T>
u32 clamped_field_operand(u32 number)
{
    return sizeof(T) == 4 ? number & 0xff : smaller(number, 255u);
}

// Bits past the top of the source are copies of the field's sign or, if the field ends past the
// top, of the source's.
template <class T>
struct ExtractField {
    T operator()(T a, u32 position, u32 length) const
    {
        using Unsigned = UnsignedOf<T>;
        constexpr u32 top = bit_width_of<T> - 1;
        const u32 at = clamped_field_operand<T>(position);
        const u32 count = clamped_field_operand<T>(length);
        const Unsigned mask = low_mask<Unsigned>(count);
        const Unsigned value = static_cast<Unsigned>(a);
        const Unsigned shifted =
            at > top ? Unsigned(0) : static_cast<Unsigned>(value >> (at & top));
        const u32 sign_at = smaller(at + count - 1, top);
        const bool negative =
            is_signed_integer<T> && count != 0 && (value >> (sign_at & top) & 1) != 0;
        // Bits past the top of the source are copies of its sign.
        const Unsigned present =
            at > top ? Unsigned(0) : low_mask<Unsigned>(bit_width_of<T> - at) & mask;
        return static_cast<T>((shifted & mask) |
                              (negative ? static_cast<Unsigned>(~present) : Unsigned(0)));
    }
};

template <class T>
struct InsertField {
    T operator()(T a, T b, u32 position, u32 length) const
    {
        constexpr u32 top = bit_width_of<T> - 1;
        const u32 at = clamped_field_operand<T>(position);
        const T mask =
            at > top ? T(0)
                     : static_cast<T>(low_mask<T>(clamped_field_operand<T>(length)) << (at & top));
        return static_cast<T>((b & ~mask) | ((a << (at & top)) & mask));
    }
};

template <class T>
u32 leading_zeros(T a)
{
    if (a == 0) return bit_width_of<T>;
    if constexpr (sizeof(T) == 8)
        return static_cast<u32>(__builtin_clzll(a));
    else
        return static_cast<u32>(__builtin_clz(a));
}
template <class T>
struct LeadingZeros {
    u32 operator()(T a) const { return leading_zeros(a); }
};

// The classic parallel popcount: no single instruction is common to all instruction sets.
template <class T>
struct PopulationCount {
    u32 operator()(T a) const
    {
        constexpr T ones = static_cast<T>(~T(0));
        a = a - (a >> 1 & ones / 3);
        a = (a & ones / 15 * 3) + (a >> 2 & ones / 15 * 3);
        a = (a + (a >> 4)) & ones / 255 * 15;
        return static_cast<u32>(static_cast<T>(a * (ones / 255)) >> (bit_width_of<T> - 8));
    }
};

template <class T>
struct ReverseBits {
    T operator()(T a) const
    {
        constexpr T ones = static_cast<T>(~T(0));
        a = (a >> 1 & ones / 3) | (a & ones / 3) << 1;
        a = (a >> 2 & ones / 5) | (a & ones / 5) << 2;
        a = (a >> 4 & ones / 17) | (a & ones / 17) << 4;
        if constexpr (sizeof(T) == 8)
            return __builtin_bswap64(a);
        else
            return __builtin_bswap32(a);
    }
};

// Position of the highest bit that differs from the sign, or its distance from the top; all ones if
// there is none.
template <class T, bool ShiftAmount>
struct FindHighest {
    u32 operator()(T a) const
    {
        using Unsigned = UnsignedOf<T>;
        const auto value = static_cast<Unsigned>(is_signed_integer<T> && a < 0 ? ~a : a);
        const u32 zeros = leading_zeros(value);
        return value == 0 ? ~0u : ShiftAmount ? zeros : bit_width_of<T> - 1 - zeros;
    }
};

// Bytes of b:a selected by the selector's digits; bit 3 of a digit replicates the byte's sign.
u32 permute_bytes(u32 a, u32 b, u32 selector)
{
    const u64 bytes = u64{b} << 32 | a;
    u32 result = 0;
    for (int i = 0; i < 4; ++i) {
        const u32 digit = selector >> (4 * i) & 15;
        const u32 byte = static_cast<u32>(bytes >> (8 * (digit & 7))) & 0xff;
        const u32 sign = (byte & 0x80) != 0 ? 0xffu : 0u;
        result |= ((digit & 8) != 0 ? sign : byte) << (8 * i);
    }
    return result;
}
// Selectors of the special modes, indexed by the low two bits of c.
constexpr u32 mode_selectors[6][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, // f4e
    {0x5670, 0x6701, 0x7012, 0x0123}, // b4e
    {0x0000, 0x1111, 0x2222, 0x3333}, // rc8
    {0x3210, 0x3211, 0x3222, 0x3333}, // ecl
    {0x0000, 0x1110, 0x2210, 0x3210}, // ecr
    {0x1010, 0x3232, 0x1010, 0x3232}, // rc16
};
struct Permute {
    u32 operator()(u32 a, u32 b, u32 c) const { return permute_bytes(a, b, c); }
};
template <PermuteMode Mode>
struct PermuteByMode {
    u32 operator()(u32 a, u32 b, u32 c) const
    {
        return permute_bytes(a, b, mode_selectors[static_cast<int>(Mode) - 1][c & 3]);
    }
};

// Sign-extends the low `length` bits; length 0 yields 0, 32 or more the value itself.
template <class T, bool Clamp>
struct Extend {
    T operator()(T a, u32 length) const
    {
        const u32 n = Clamp ? smaller(length, 32u) : length & 31;
        const u32 value = static_cast<u32>(a) & low_mask<u32>(n);
        const bool negative =
            is_signed_integer<T> && n != 0 && (static_cast<u32>(a) >> ((n - 1) & 31) & 1) != 0;
        return static_cast<T>(negative ? value | ~low_mask<u32>(n) : value);
    }
};
template <bool Clamp>
struct MakeMask {
    u32 operator()(u32 position, u32 length) const
    {
        const u32 at = Clamp ? smaller(position, 32u) : position & 31;
        const u32 count = Clamp ? smaller(length, 32u) : length & 31;
        return static_cast<u32>(u64{low_mask<u32>(count)} << at);
    }
};

// Position of the n-th set bit from `base`: upwards for positive n, downwards for negative; 0 tests
// base itself.
struct FindNthSet {
    u32 operator()(u32 mask, u32 base, s32 n) const
    {
        if (base > 31) return ~0u;
        if (n == 0) return (mask >> base & 1) != 0 ? base : ~0u;
        const int step = n > 0 ? 1 : -1;
        s64 wanted = n > 0 ? n : -s64{n};
        for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step)
            if ((mask >> at & 1) != 0 && --wanted == 0) return static_cast<u32>(at);
        return ~0u;
    }
};

template <class A, class B>
struct Dot4 {
    u32 operator()(u32 a, u32 b, u32 c) const
    {
        u32 sum = c;
        for (int i = 0; i < 4; ++i)
            sum += static_cast<u32>(s32{static_cast<A>(a >> (8 * i))} *
                                    s32{static_cast<B>(b >> (8 * i))});
        return sum;
    }
};
// Dot product of two 16-bit values of a with the lower or upper two bytes of b.
template <class A16, class B8, bool High>
struct Dot2 {
    u32 operator()(u32 a, u32 b, u32 c) const
    {
        u32 sum = c;
        for (int i = 0; i < 2; ++i)
            sum += static_cast<u32>(s32{static_cast<A16>(a >> (16 * i))} *
                                    s32{static_cast<B8>(b >> (8 * i + (High ? 16 : 0)))});
        return sum;
    }
};

struct Distance {
    u32 operator()(s32 x, s32 y) const { return static_cast<u32>(x < y ? y - x : x - y); }
};
struct Least {
    u32 operator()(s32 x, s32 y) const { return static_cast<u32>(x < y ? x : y); }
};
struct Greatest {
    u32 operator()(s32 x, s32 y) const { return static_cast<u32>(x < y ? y : x); }
};

// Applies Of to each pair of the two or four parts of a word, with separate signedness per operand;
// returns the parts in place, or their sum with c.
template <class Of, class A, class B, bool Accumulate>
struct ApplyToParts {
    u32 operator()(u32 a, u32 b, u32 c) const
    {
        constexpr int bits = bit_width_of<A>;
        u32 together = Accumulate ? c : 0;
        for (int shift = 0; shift < 32; shift += bits) {
            const u32 part = Of()(s32{static_cast<A>(a >> shift)}, s32{static_cast<B>(b >> shift)});
            together += Accumulate ? part : u32{static_cast<UnsignedOf<A>>(part)} << shift;
        }
        return together;
    }
};

// Selects by the signedness of the sources. The destination's type matters only for saturation.
template <class Of, class Signed>
RowFunction select_subword(const Key& key)
{
    using Unsigned = UnsignedOf<Signed>;
    return for_flag(key.accumulate, [&]<class Accumulate>(Accumulate) -> RowFunction {
        constexpr bool adds = Accumulate::value;
        if (key.source == ptx::Type::s32)
            return key.third == ptx::Type::s32
                       ? &map3<ApplyToParts<Of, Signed, Signed, adds>, u32, u32>
                       : &map3<ApplyToParts<Of, Signed, Unsigned, adds>, u32, u32>;
        return key.third == ptx::Type::s32
                   ? &map3<ApplyToParts<Of, Unsigned, Signed, adds>, u32, u32>
                   : &map3<ApplyToParts<Of, Unsigned, Unsigned, adds>, u32, u32>;
    });
}

RowFunction select_permute(PermuteMode mode)
{
    switch (mode) {
    case PermuteMode::indexed: return &map3<Permute, u32, u32>;
    case PermuteMode::f4e: return &map3<PermuteByMode<PermuteMode::f4e>, u32, u32>;
    case PermuteMode::b4e: return &map3<PermuteByMode<PermuteMode::b4e>, u32, u32>;
    case PermuteMode::rc8: return &map3<PermuteByMode<PermuteMode::rc8>, u32, u32>;
    case PermuteMode::ecl: return &map3<PermuteByMode<PermuteMode::ecl>, u32, u32>;
    case PermuteMode::ecr: return &map3<PermuteByMode<PermuteMode::ecr>, u32, u32>;
    case PermuteMode::rc16: return &map3<PermuteByMode<PermuteMode::rc16>, u32, u32>;
    }
    return nullptr;
}

RowFunction select_dot(const Key& key)
{
    const bool a = key.type == ptx::Type::s32;
    const bool b = key.source == ptx::Type::s32;
    if (key.op == Op::dp4a) {
        if (a) return b ? &map3<Dot4<s8, s8>, u32, u32> : &map3<Dot4<s8, u8>, u32, u32>;
        return b ? &map3<Dot4<u8, s8>, u32, u32> : &map3<Dot4<u8, u8>, u32, u32>;
    }
    if (key.part == Part::hi) {
        if (a)
            return b ? &map3<Dot2<s16, s8, true>, u32, u32> : &map3<Dot2<s16, u8, true>, u32, u32>;
        return b ? &map3<Dot2<u16, s8, true>, u32, u32> : &map3<Dot2<u16, u8, true>, u32, u32>;
    }
    if (a) return b ? &map3<Dot2<s16, s8, false>, u32, u32> : &map3<Dot2<s16, u8, false>, u32, u32>;
    return b ? &map3<Dot2<u16, s8, false>, u32, u32> : &map3<Dot2<u16, u8, false>, u32, u32>;
}

// Operations on one width of bits or integers, 32 or 64.
template <class T>
RowFunction select_of(const Key& key)
{
    using Unsigned = UnsignedOf<T>;
    switch (key.op) {
    case Op::bfe: return &map3<ExtractField<T>, T, T, u32, u32>;
    case Op::bfi: return &map4<InsertField<Unsigned>, Unsigned, Unsigned, Unsigned, u32, u32>;
    case Op::bfind:
        return key.shift_amount ? &map1<FindHighest<T, true>, u32, T>
                                : &map1<FindHighest<T, false>, u32, T>;
    case Op::clz: return &map1<LeadingZeros<Unsigned>, u32, Unsigned>;
    case Op::popc: return &map1<PopulationCount<Unsigned>, u32, Unsigned>;
    case Op::brev: return &map1<ReverseBits<Unsigned>, Unsigned, Unsigned>;
    default: return nullptr;
    }
}

} // namespace

RowFunction select_bitfield(const Key& key)
{
    switch (key.op) {
    case Op::prmt: return select_permute(key.permute);
    case Op::dp4a:
    case Op::dp2a: return select_dot(key);
    case Op::vabsdiff2: return select_subword<Distance, s16>(key);
    case Op::vabsdiff4: return select_subword<Distance, s8>(key);
    case Op::vmin2: return select_subword<Least, s16>(key);
    case Op::vmax2: return select_subword<Greatest, s16>(key);
    case Op::vmin4: return select_subword<Least, s8>(key);
    case Op::vmax4: return select_subword<Greatest, s8>(key);
    case Op::fns: return &map3<FindNthSet, u32, u32, u32, s32>;
    case Op::bmsk:
        return key.part == Part::clamp ? &map2<MakeMask<true>, u32, u32>
                                       : &map2<MakeMask<false>, u32, u32>;
    case Op::szext:
        if (key.type == ptx::Type::s32)
            return key.part == Part::clamp ? &map2<Extend<s32, true>, s32, s32, u32>
                                           : &map2<Extend<s32, false>, s32, s32, u32>;
        return key.part == Part::clamp ? &map2<Extend<u32, true>, u32, u32>
                                       : &map2<Extend<u32, false>, u32, u32>;
    default:
        return for_integer(key.type, [&]<class T>(Tag<T>) -> RowFunction {
            if constexpr (sizeof(T) >= 4)
                return select_of<T>(key);
            else
                return nullptr;
        });
    }
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
