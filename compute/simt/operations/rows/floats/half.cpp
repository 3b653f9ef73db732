// f16 and bf16 arithmetic, single and packed. Sums and products are precise enough in f32 to be
// rounded again (24 bits hold 2 × 11 plus 2); fused multiply-adds are rounded to odd first.
#include "compute/simt/operations/rows/floats/halves.h"
#include "compute/simt/operations/rows/selectors.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

namespace {

struct Add {
    static float of(float a, float b) { return a + b; }
};
struct Subtract {
    static float of(float a, float b) { return a - b; }
};
struct Multiply {
    static float of(float a, float b) { return a * b; }
};

// Narrows, flushing values that are below the smallest normal number at full precision if Ftz is
// set. `exact` must be exact or rounded to odd.
template <bool Ftz, class T>
T narrow_flushed(float exact)
{
    using Traits = HalfTraits<T>;
    const T narrow = narrow_to<T>(exact);
    if constexpr (!Ftz) return narrow;
    constexpr u32 edge_bits = static_cast<u32>(127 + Traits::lowest_exponent)
                              << 23; // exponent of the smallest normal number
    constexpr u32 below = 1u << (23 - Traits::precision);
    const bool tiny = (bits_as<u32>(exact) & 0x7fffffffu) < edge_bits - below;
    return {static_cast<u16>(tiny ? narrow.bits & half_sign : narrow.bits)};
}

template <bool Ftz, bool Sat, bool Relu, class T>
T finish_half(T a)
{
    using Traits = HalfTraits<T>;
    const u16 size = a.bits & 0x7fff;
    const bool is_nan = size > Traits::infinity;
    u16 bits = is_nan ? Traits::nan : flush_half<Ftz>(a).bits;
    if constexpr (Relu) bits = !is_nan && (bits & half_sign) != 0 ? u16(0) : bits;
    if constexpr (Sat) {
        const u16 at_most_one = bits > Traits::one ? Traits::one : bits;
        bits = is_nan || (bits & half_sign) != 0 ? u16(0) : at_most_one;
    }
    return {bits};
}

template <class F, class T, bool Ftz, bool Sat>
struct Binary {
    T operator()(T a, T b) const
    {
        return finish_half<Ftz, Sat, false>(
            narrow_flushed<Ftz, T>(F::of(widen(flush_half<Ftz>(a)), widen(flush_half<Ftz>(b)))));
    }
};
// The product of two f16 is exact in f32; that of two bf16 may exceed f32's range (and is never
// flushed: the instruction has no .ftz).
template <bool Ftz>
Half fused_half(Tag<Half>, float a, float b, float c)
{
    return narrow_flushed<Ftz, Half>(add_to_odd(a * b, c));
}
template <bool Ftz>
Bfloat fused_half(Tag<Bfloat>, float a, float b, float c)
{
    const double product = static_cast<double>(a) * b;
    return narrow_double<Bfloat, Rounding::rn>(add_to_odd(product, static_cast<double>(c)));
}
template <class T, bool Ftz, bool Sat, bool Relu, Signs S = Signs::plain>
struct FusedHalf {
    T operator()(T a, T b, T c) const
    {
        const float first = widen(flush_half<Ftz>(a));
        const float third = widen(flush_half<Ftz>(c));
        const float x = S == Signs::product_negated ? -first : first;
        const float y = widen(flush_half<Ftz>(b));
        const float z = S == Signs::addend_negated ? -third : third;
        return finish_half<Ftz, Sat, Relu>(fused_half<Ftz>(Tag<T>{}, x, y, z));
    }
};
// fma.oob: a factor that is the NaN with which tensor copies fill elements outside the tensor makes
// the result +0.
template <class T, bool Relu>
struct FusedOutOfBounds {
    T operator()(T a, T b, T c) const
    {
        constexpr u16 outside = 0x7ff7; // of either type, whatever the sign
        const bool is_outside =
            (a.bits & ~half_sign) == outside || (b.bits & ~half_sign) == outside;
        const T result = FusedHalf<T, false, false, Relu>{}(a, b, c);
        return {is_outside ? u16(0) : result.bits};
    }
};
template <class T, bool Max, bool Ftz, bool Nan, bool Xorsign>
struct ExtremeHalf {
    T operator()(T a, T b) const
    {
        const float x = widen(flush_half<Ftz>(a));
        const float y = widen(flush_half<Ftz>(b));
        const float value =
            Xorsign ? extreme<Max, Nan>(magnitude(x), magnitude(y)) : extreme<Max, Nan>(x, y);
        const T result = narrow_to<T>(value);
        const u16 sign = (a.bits ^ b.bits) & half_sign;
        const bool is_nan = value != value;
        return {static_cast<u16>(Xorsign && !is_nan ? (result.bits & 0x7fff) | sign : result.bits)};
    }
};
template <class T, bool Ftz>
struct AbsoluteHalf {
    T operator()(T a) const
    {
        return finish_half<Ftz, false, false>(T{static_cast<u16>(a.bits & 0x7fff)});
    }
};
template <class T, bool Ftz>
struct NegateHalf {
    T operator()(T a) const
    {
        return finish_half<Ftz, false, false>(T{static_cast<u16>(a.bits ^ half_sign)});
    }
};

// Processes one half of each word: a separate loop per half, so that the compiler vectorises plain
// lanes.
template <class F, class T, int Sources, int Shift>
[[gnu::always_inline]] inline void one_half(const RowOperands& o, u32* results)
{
    const auto* a = words<u32>(o.a);
    const auto* b = words<u32>(Sources > 1 ? o.b : o.a);
    const auto* c = words<u32>(Sources > 2 ? o.c : o.a);
    for (int i = 0; i < warp_lanes; ++i) {
        const T x = Coding<T>::decode(a[i] >> Shift);
        const T y = Coding<T>::decode(b[i] >> Shift);
        const T z = Coding<T>::decode(c[i] >> Shift);
        if constexpr (Sources == 1)
            results[i] = Coding<T>::encode(F{}(x));
        else if constexpr (Sources == 2)
            results[i] = Coding<T>::encode(F{}(x, y));
        else
            results[i] = Coding<T>::encode(F{}(x, y, z));
    }
}
template <class F, class T, int Sources>
void both_halves(const RowOperands& o, u32 active)
{
    alignas(64) u32 low[warp_lanes];
    alignas(64) u32 high[warp_lanes];
    one_half<F, T, Sources, 0>(o, low);
    one_half<F, T, Sources, 16>(o, high);
    for_lanes_in<u32>(o.d, active, [&](int i) { return low[i] | high[i] << 16; });
}

template <class F, class T, class Row, int Sources>
RowFunction row_of()
{
    if constexpr (sizeof(Row) != sizeof(T))
        return &both_halves<F, T, Sources>;
    else if constexpr (Sources == 1)
        return &map1<F, T, T>;
    else if constexpr (Sources == 2)
        return &map2<F, T, T>;
    else
        return &map3<F, T, T>;
}

template <class F, class T, class Row>
RowFunction select_binary(const Key& key)
{
    return for_flag(key.ftz, [&]<class Ftz>(Ftz) {
        return for_flag(key.sat, [&]<class Sat>(Sat) -> RowFunction {
            return row_of<Binary<F, T, Ftz::value, Sat::value>, T, Row, 2>();
        });
    });
}
template <class T, class Row>
RowFunction select_out_of_bounds(const Key& key)
{
    if (key.ftz || key.sat) return nullptr;
    return key.relu ? row_of<FusedOutOfBounds<T, true>, T, Row, 3>()
                    : row_of<FusedOutOfBounds<T, false>, T, Row, 3>();
}
template <class T, class Row>
RowFunction select_fused(const Key& key)
{
    if (key.oob) return select_out_of_bounds<T, Row>(key);
    return for_flag(key.ftz, [&]<class Ftz>(Ftz) -> RowFunction {
        constexpr Signs minus_product = Signs::product_negated,
                        minus_addend = Signs::addend_negated;
        if (key.signs == minus_product)
            return key.sat
                       ? row_of<FusedHalf<T, Ftz::value, true, false, minus_product>, T, Row, 3>()
                       : row_of<FusedHalf<T, Ftz::value, false, false, minus_product>, T, Row, 3>();
        if (key.signs == minus_addend)
            return key.sat
                       ? row_of<FusedHalf<T, Ftz::value, true, false, minus_addend>, T, Row, 3>()
                       : row_of<FusedHalf<T, Ftz::value, false, false, minus_addend>, T, Row, 3>();
        if (key.sat) return row_of<FusedHalf<T, Ftz::value, true, false>, T, Row, 3>();
        if (key.relu) return row_of<FusedHalf<T, Ftz::value, false, true>, T, Row, 3>();
        return row_of<FusedHalf<T, Ftz::value, false, false>, T, Row, 3>();
    });
}
template <class T, class Row, bool Max>
RowFunction select_extreme(const Key& key)
{
    if (key.absolute != key.xorsign) return nullptr;
    return for_flag(key.ftz, [&]<class Ftz>(Ftz) {
        return for_flag(key.nan, [&]<class Nan>(Nan) {
            return for_flag(key.xorsign, [&]<class Xorsign>(Xorsign) -> RowFunction {
                return row_of<ExtremeHalf<T, Max, Ftz::value, Nan::value, Xorsign::value>, T, Row,
                              2>();
            });
        });
    });
}

} // namespace

RowFunction select_half(const Key& key)
{
    if (key.rounding != Rounding::none && key.rounding != Rounding::rn) return nullptr;
    return for_half(key.type, [&]<class T, class Row>(Tag<T>, Tag<Row>) -> RowFunction {
        switch (key.op) {
        case Op::add: return select_binary<Add, T, Row>(key);
        case Op::sub: return select_binary<Subtract, T, Row>(key);
        case Op::mul: return select_binary<Multiply, T, Row>(key);
        case Op::fma: return select_fused<T, Row>(key);
        case Op::min: return select_extreme<T, Row, false>(key);
        case Op::max: return select_extreme<T, Row, true>(key);
        case Op::abs:
            return key.ftz ? row_of<AbsoluteHalf<T, true>, T, Row, 1>()
                           : row_of<AbsoluteHalf<T, false>, T, Row, 1>();
        case Op::neg:
            return key.ftz ? row_of<NegateHalf<T, true>, T, Row, 1>()
                           : row_of<NegateHalf<T, false>, T, Row, 1>();
        default: return nullptr;
        }
    });
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
