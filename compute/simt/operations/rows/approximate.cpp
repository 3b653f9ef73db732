// Instructions that the manual bounds instead of defining: .approx and .full. Those of the
// special-function unit have its bits, and so has ex2 of 16 bits, which is the unit's f32 cut off.
// tanh, whose table is not known, and the approximations of f64 are computed to full precision.
#include "compute/simt/operations/rows/halves.h"
#include "compute/simt/operations/rows/selectors.h"
#include "compute/simt/operations/rows/series.h"
#include "compute/simt/operations/rows/special_functions.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

namespace {

// The unit's first piece is the line through zero; its last one is 1.
struct Tanh {
    static float of(float a)
    {
        const float size = magnitude(a);
        const float curve = static_cast<float>(tanh_series(a));
        const float bent = size < 0x1.0d8p3f ? curve : __builtin_copysignf(1.0f, a);
        return a != a || size < 0x1.02p-8f ? a : bent;
    }
};
struct PreciseTanh {
    float operator()(float a) const { return canonicalize_nan(Tanh::of(a)); }
};

template <class F, bool Ftz>
void special(const RowOperands& o, u32 active)
{
    if (active != full_mask) return keep_active<Word32>(&special<F, Ftz>, o, active);
    const auto* a = words<float>(o.a);
    auto* d = words<float>(o.d);
    alignas(64) u32 operands[warp_lanes];
    alignas(64) u32 results[warp_lanes];
    for (int i = 0; i < warp_lanes; ++i)
        operands[i] = bits_as<u32>(flush<Ftz>(bits_as<float>(a[i])));
    evaluate<F>(results, operands);
    for (int i = 0; i < warp_lanes; ++i)
        d[i] = bits_as<u32>(flush<Ftz>(bits_as<float>(results[i])));
}
template <class F>
RowFunction unary(bool ftz)
{
    return ftz ? &special<F, true> : &special<F, false>;
}

template <class D>
void quotient(const RowOperands& o, u32 active)
{
    if (active != full_mask) return keep_active<Word32>(&quotient<D>, o, active);
    const auto* a = words<float>(o.a);
    const auto* b = words<float>(o.b);
    auto* d = words<float>(o.d);
    alignas(64) u32 divisors[warp_lanes];
    alignas(64) u32 units[warp_lanes];
    for (int i = 0; i < warp_lanes; ++i)
        divisors[i] = bits_as<u32>(D::divisor(bits_as<float>(b[i])));
    evaluate<Reciprocal>(units, divisors);
    for (int i = 0; i < warp_lanes; ++i)
        d[i] = bits_as<u32>(
            D::result(bits_as<float>(a[i]), bits_as<float>(b[i]), bits_as<float>(units[i])));
}
template <bool Full>
RowFunction divide(bool ftz)
{
    return ftz ? &quotient<Divide<Full, true>> : &quotient<Divide<Full, false>>;
}

// The f64 approximations read and fill the upper word only.
double upper_word(double a)
{
    return bits_as<double>(bits_as<u64>(flush<true>(a)) & ~u64{0xffffffff});
}
struct Reciprocal64 {
    double operator()(double a) const { return upper_word(1.0 / upper_word(a)); }
};
struct InverseRoot64 {
    double operator()(double a) const { return upper_word(1.0 / __builtin_sqrt(upper_word(a))); }
};
// Without flushing the whole operand counts.
struct FullInverseRoot64 {
    double operator()(double a) const { return canonicalize_nan_of(1.0 / __builtin_sqrt(a), a); }
};

// An f32 of the unit as it gives it in 16 bits.
template <class T>
T cut_to(float a)
{
    const u16 nan = HalfTraits<T>::nan;
    const u16 cut = narrow_double<T, Rounding::rz>(static_cast<double>(a)).bits;
    return {a == a ? cut : nan};
}

template <class T>
struct TanhOf16Bits {
    T operator()(T a) const { return cut_to<T>(Tanh::of(widen(a))); }
    Pair<T> operator()(Pair<T> a) const { return {(*this)(a.low), (*this)(a.high)}; }
};

// bf16's flushes, f16's overflows.
void exponential(Bfloat* results, const Bfloat* operands)
{
    alignas(64) u32 singles[warp_lanes];
    alignas(64) u32 powers[warp_lanes];
    for (int i = 0; i < warp_lanes; ++i) singles[i] = bits_as<u32>(flush<true>(widen(operands[i])));
    evaluate<Exp2>(powers, singles);
    for (int i = 0; i < warp_lanes; ++i)
        results[i] = cut_to<Bfloat>(flush<true>(bits_as<float>(powers[i])));
}
void exponential(Half* results, const Half* operands)
{
    alignas(64) u32 singles[warp_lanes];
    alignas(64) u32 powers[warp_lanes];
    for (int i = 0; i < warp_lanes; ++i) singles[i] = bits_as<u32>(widen(operands[i]));
    evaluate<Exp2>(powers, singles);
    for (int i = 0; i < warp_lanes; ++i) {
        const float power = bits_as<float>(powers[i]);
        const Half cut = cut_to<Half>(power);
        results[i] = {power >= 0x1p16f ? HalfTraits<Half>::infinity : cut.bits};
    }
}
template <class T, class Row>
void exponentials(const RowOperands& o, u32 active)
{
    if (active != full_mask) return keep_active<Word32>(&exponentials<T, Row>, o, active);
    const auto* a = words<Row>(o.a);
    auto* d = words<Row>(o.d);
    alignas(64) T operands[warp_lanes];
    alignas(64) T results[warp_lanes];
    for (int i = 0; i < warp_lanes; ++i) operands[i] = Coding<T>::decode(a[i] & 0xffff);
    exponential(results, operands);
    if constexpr (sizeof(Row) == sizeof(T)) {
        for (int i = 0; i < warp_lanes; ++i) d[i] = Coding<T>::encode(results[i]);
    } else {
        alignas(64) T upper[warp_lanes];
        for (int i = 0; i < warp_lanes; ++i) operands[i] = Coding<T>::decode(a[i] >> 16);
        exponential(upper, operands);
        for (int i = 0; i < warp_lanes; ++i) d[i] = Coding<Row>::encode({results[i], upper[i]});
    }
}

} // namespace

RowFunction select_approximate(const Key& key)
{
    if (key.type == ptx::Type::f64) {
        if (key.op == Op::rcp) return key.ftz ? &map1<Reciprocal64, double, double> : nullptr;
        if (key.op != Op::rsqrt) return nullptr;
        return key.ftz ? &map1<InverseRoot64, double, double>
                       : &map1<FullInverseRoot64, double, double>;
    }
    if (key.type != ptx::Type::f32) {
        if (key.op != Op::ex2 && key.op != Op::tanh) return nullptr;
        return for_half(key.type, [&]<class T, class Row>(Tag<T>, Tag<Row>) -> RowFunction {
            return key.op == Op::ex2 ? &exponentials<T, Row> : &map1<TanhOf16Bits<T>, Row, Row>;
        });
    }
    switch (key.op) {
    case Op::ex2: return unary<Exp2>(key.ftz);
    case Op::lg2: return unary<Log2>(key.ftz);
    case Op::sin: return unary<Wave<false>>(key.ftz);
    case Op::cos: return unary<Wave<true>>(key.ftz);
    case Op::tanh: return &map1<PreciseTanh, float, float>;
    case Op::rsqrt: return unary<InverseRoot>(key.ftz);
    case Op::sqrt: return unary<Root>(key.ftz);
    case Op::rcp: return unary<Reciprocal>(key.ftz);
    case Op::div: return key.full ? divide<true>(key.ftz) : divide<false>(key.ftz);
    default: return nullptr;
    }
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
