// Instructions that the manual bounds but doesn't define: .approx and .full. Bits match the
// special-function unit; 16-bit ex2 and tanh are its f32 results, truncated.
#include "compute/simt/operations/rows/floats/flushing.h"
#include "compute/simt/operations/rows/floats/special_functions.h"
#include "compute/simt/operations/rows/selectors.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

namespace {

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
void reciprocals_of_divisors(u32* units, const Word32* b)
{
    alignas(64) u32 divisors[warp_lanes];
    for (int i = 0; i < warp_lanes; ++i)
        divisors[i] = bits_as<u32>(D::divisor(bits_as<float>(b[i])));
    evaluate<Reciprocal>(units, divisors);
}

template <class D>
void quotient(const RowOperands& o, u32 active)
{
    if (active != full_mask) return keep_active<Word32>(&quotient<D>, o, active);
    const auto* a = words<float>(o.a);
    const auto* b = words<float>(o.b);
    auto* d = words<float>(o.d);
    alignas(64) u32 units[warp_lanes];
    reciprocals_of_divisors<D>(units, b);
    for (int i = 0; i < warp_lanes; ++i)
        d[i] = bits_as<u32>(
            D::result(bits_as<float>(a[i]), bits_as<float>(b[i]), bits_as<float>(units[i])));
}
template <bool Full>
RowFunction divide(bool ftz)
{
    return ftz ? &quotient<Divide<Full, true>> : &quotient<Divide<Full, false>>;
}

// d = a / b + c with one rounding: ptxas fuses the last multiplication of a quotient with a sum.
template <class D, Signs S, bool Ftz, bool Sat>
void quotient_and_sum(const RowOperands& o, u32 active)
{
    if (active != full_mask)
        return keep_active<Word32>(&quotient_and_sum<D, S, Ftz, Sat>, o, active);
    const auto* a = words<float>(o.a);
    const auto* b = words<float>(o.b);
    const auto* c = words<float>(o.c);
    auto* d = words<float>(o.d);
    alignas(64) u32 units[warp_lanes];
    reciprocals_of_divisors<D>(units, b);
    for (int i = 0; i < warp_lanes; ++i) {
        const float factor = D::numerator(bits_as<float>(a[i]), bits_as<float>(b[i]));
        const float signed_factor = S == Signs::product_negated ? -factor : factor;
        const float unit = flush<true>(bits_as<float>(units[i]));
        const float third = flush<Ftz>(bits_as<float>(c[i]));
        const float addend = S == Signs::addend_negated ? -third : third;
        const float sum = canonicalize_nan(fused(unit, signed_factor, addend));
        const double exact =
            add_to_odd(static_cast<double>(unit) * static_cast<double>(signed_factor),
                       static_cast<double>(addend));
        const bool was_tiny = Ftz && edge_of<Rounding::rn>(false).is_above(exact);
        d[i] = bits_as<u32>(saturate<Sat>(was_tiny ? with_sign(0.0f, sign_of(sum)) : sum));
    }
}
template <bool Full, Signs S>
RowFunction select_sum_of(const Key& key)
{
    return for_flag(key.ftz, [&]<class Ftz>(Ftz) {
        return for_flag(key.sat, []<class Sat>(Sat) -> RowFunction {
            return &quotient_and_sum<Divide<Full, Ftz::value>, S, Ftz::value, Sat::value>;
        });
    });
}
template <bool Full>
RowFunction select_sum(const Key& key)
{
    switch (key.signs) {
    case Signs::product_negated: return select_sum_of<Full, Signs::product_negated>(key);
    case Signs::addend_negated: return select_sum_of<Full, Signs::addend_negated>(key);
    default: return select_sum_of<Full, Signs::plain>(key);
    }
}

template <class F>
void upper_words(u32* results, const u32* operands)
{
    alignas(64) u32 singles[warp_lanes];
    alignas(64) u32 units[warp_lanes];
    for (int i = 0; i < warp_lanes; ++i) singles[i] = F::operand(operands[i]);
    evaluate<typename F::Unit>(units, singles);
    for (int i = 0; i < warp_lanes; ++i) results[i] = F::result(operands[i], units[i]);
}

// The operand's low word is ignored, the result's is zero.
template <class F>
void on_upper_words(const RowOperands& o, u32 active)
{
    if (active != full_mask) return keep_active<u64>(&on_upper_words<F>, o, active);
    const auto* a = words<double>(o.a);
    auto* d = words<double>(o.d);
    alignas(64) u32 operands[warp_lanes];
    alignas(64) u32 results[warp_lanes];
    for (int i = 0; i < warp_lanes; ++i) operands[i] = static_cast<u32>(a[i] >> 32);
    upper_words<F>(results, operands);
    for (int i = 0; i < warp_lanes; ++i) d[i] = static_cast<u64>(results[i]) << 32;
}

// rsqrt.approx.f64 without flushing is not a GPU instruction: ptxas emits one refinement step on
// the upper word's result.
void refined_inverse_roots(const RowOperands& o, u32 active)
{
    if (active != full_mask) return keep_active<u64>(&refined_inverse_roots, o, active);
    const auto* from = words<double>(o.a);
    auto* d = words<double>(o.d);
    alignas(64) double scaled[warp_lanes];
    alignas(64) u32 operands[warp_lanes];
    alignas(64) u32 estimates[warp_lanes];
    for (int i = 0; i < warp_lanes; ++i) {
        const double a = bits_as<double>(from[i]);
        scaled[i] = a < 0x1p-1022 ? a * 0x1p54 : a;
        operands[i] = static_cast<u32>(bits_as<u64>(scaled[i]) >> 32);
    }
    upper_words<UpperInverseRoot>(estimates, operands);
    for (int i = 0; i < warp_lanes; ++i) {
        const double a = bits_as<double>(from[i]);
        const double y = bits_as<double>(static_cast<u64>(estimates[i]) << 32);
        const double rest = fused(scaled[i], -(y * y), 1.0);
        const double near = fused(fused(rest, 0.375, 0.5), y * rest, y);
        const double positive = a < 0x1p-1022 ? near * 0x1p27 : near;
        const double finite = a < 0 ? bits_as<double>(u64{0xfff8000000000000}) : positive;
        const double number = a == __builtin_inf() ? 0.0 : finite;
        const double ordered = a == 0 ? __builtin_copysign(__builtin_inf(), a) : number;
        d[i] = bits_as<u64>(a == a ? ordered : quieten(a));
    }
}

// Converts an f32 result of the special-function unit to 16 bits, as the hardware does.
template <class T>
T cut_to(float a)
{
    const u16 nan = HalfTraits<T>::nan;
    const u16 cut = narrow_double<T, Rounding::rz>(static_cast<double>(a)).bits;
    return {a == a ? cut : nan};
}

// ex2: bf16 flushes subnormals, f16 overflows to infinity.
struct ExponentialOf16Bits {
    static void run(Bfloat* results, const Bfloat* operands)
    {
        alignas(64) u32 singles[warp_lanes];
        alignas(64) u32 powers[warp_lanes];
        for (int i = 0; i < warp_lanes; ++i)
            singles[i] = bits_as<u32>(flush<true>(widen(operands[i])));
        evaluate<Exp2>(powers, singles);
        for (int i = 0; i < warp_lanes; ++i)
            results[i] = cut_to<Bfloat>(flush<true>(bits_as<float>(powers[i])));
    }
    static void run(Half* results, const Half* operands)
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
};

struct TanhOf16Bits {
    template <class T>
    static void run(T* results, const T* operands)
    {
        alignas(64) u32 singles[warp_lanes];
        alignas(64) u32 curve[warp_lanes];
        for (int i = 0; i < warp_lanes; ++i) singles[i] = bits_as<u32>(widen(operands[i]));
        evaluate<HyperbolicTangent>(curve, singles);
        for (int i = 0; i < warp_lanes; ++i) results[i] = cut_to<T>(bits_as<float>(curve[i]));
    }
};

// One or two values per lane.
template <class F, class T, class Row>
void on_16_bits(const RowOperands& o, u32 active)
{
    if (active != full_mask) return keep_active<Word32>(&on_16_bits<F, T, Row>, o, active);
    const auto* a = words<Row>(o.a);
    auto* d = words<Row>(o.d);
    alignas(64) T operands[warp_lanes];
    alignas(64) T results[warp_lanes];
    for (int i = 0; i < warp_lanes; ++i) operands[i] = Coding<T>::decode(a[i] & 0xffff);
    F::run(results, operands);
    if constexpr (sizeof(Row) == sizeof(T)) {
        for (int i = 0; i < warp_lanes; ++i) d[i] = Coding<T>::encode(results[i]);
    } else {
        alignas(64) T upper[warp_lanes];
        for (int i = 0; i < warp_lanes; ++i) operands[i] = Coding<T>::decode(a[i] >> 16);
        F::run(upper, operands);
        for (int i = 0; i < warp_lanes; ++i) d[i] = Coding<Row>::encode({results[i], upper[i]});
    }
}

} // namespace

RowFunction select_approximate(const Key& key)
{
    if (key.type == ptx::Type::f64) {
        if (key.op == Op::rcp) return key.ftz ? &on_upper_words<UpperReciprocal> : nullptr;
        if (key.op != Op::rsqrt) return nullptr;
        return key.ftz ? &on_upper_words<UpperInverseRoot> : &refined_inverse_roots;
    }
    if (key.type != ptx::Type::f32) {
        if (key.op != Op::ex2 && key.op != Op::tanh) return nullptr;
        return for_half(key.type, [&]<class T, class Row>(Tag<T>, Tag<Row>) -> RowFunction {
            return key.op == Op::ex2 ? &on_16_bits<ExponentialOf16Bits, T, Row>
                                     : &on_16_bits<TanhOf16Bits, T, Row>;
        });
    }
    switch (key.op) {
    case Op::ex2: return unary<Exp2>(key.ftz);
    case Op::lg2: return unary<Log2>(key.ftz);
    case Op::sin: return unary<Wave<false>>(key.ftz);
    case Op::cos: return unary<Wave<true>>(key.ftz);
    case Op::tanh: return unary<HyperbolicTangent>(false);
    case Op::rsqrt: return unary<InverseRoot>(key.ftz);
    case Op::sqrt: return unary<Root>(key.ftz);
    case Op::rcp: return unary<Reciprocal>(key.ftz);
    case Op::div: return key.full ? divide<true>(key.ftz) : divide<false>(key.ftz);
    case Op::fma: return key.full ? select_sum<true>(key) : select_sum<false>(key);
    default: return nullptr;
    }
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
