// f32 and f64 arithmetic defined by IEEE 754: sums, products, quotients and roots in four rounding
// modes.
#include "compute/simt/native/webassembly/fused_row.h"
#include "compute/simt/operations/rows/floats/directed.h"
#include "compute/simt/operations/rows/floats/flushing.h"
#include "compute/simt/operations/rows/selectors.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

namespace {

// The hardware adds and multiplies with one fused unit, a * b + c, and checks for NaN in the order
// b, c, a; the second operand is c for sums and b for products.
struct Add {
    template <class T>
    static T of(T a, T b)
    {
        return canonicalize_nan_of(a + b, b, a);
    }
    static double wide(Rounding mode, double a, double b) { return wide_sum(mode, a, b); }
};
struct Subtract {
    template <class T>
    static T of(T a, T b)
    {
        return canonicalize_nan_of(a - b, b, a);
    }
    static double wide(Rounding mode, double a, double b) { return wide_sum(mode, a, -b); }
};
struct Multiply {
    template <class T>
    static T of(T a, T b)
    {
        return canonicalize_nan_of(a * b, b, a);
    }
    static double wide(Rounding, double a, double b) { return a * b; }
    static bool below(float a, float b, Edge edge)
    {
        return edge.is_above(static_cast<double>(a) * b);
    }
};
struct Divide {
    template <class T>
    static T of(T a, T b)
    {
        return canonicalize_nan_of(a / b, a, b);
    }
    static double wide(Rounding, double a, double b) { return a / b; }
    static bool below(float a, float b, Edge edge) { return edge.is_above_quotient(a, b); }
};
template <Signs S, bool ByTwoRoundings = false>
struct Fused {
    using Quick = Fused<S, true>;
    template <class T>
    static T of(T a, T b, T c)
    {
        if constexpr (S == Signs::product_negated) a = -a;
        if constexpr (S == Signs::addend_negated) c = -c;
        if constexpr (ByTwoRoundings)
            return canonicalize_nan_of(fused_by_two_roundings(a, b, c), b, c, a);
        else
            return canonicalize_nan_of(fused(a, b, c), b, c, a);
    }
    static u64 is_uncertain(float a, float b, float c)
    {
        return rounding_is_in_doubt(S == Signs::product_negated ? -a : a, b,
                                    S == Signs::addend_negated ? -c : c);
    }
    static double wide(Rounding mode, double a, double b, double c)
    {
        return wide_sum(mode, a * b, c); // modes other than nearest only occur with plain signs
    }
    // The edge has few significant digits, so a sum rounded to odd is on the same side of it as the
    // exact sum.
    static bool below(float a, float b, float c, Edge edge)
    {
        if constexpr (S == Signs::product_negated) a = -a;
        if constexpr (S == Signs::addend_negated) c = -c;
        return edge.is_above(add_to_odd(static_cast<double>(a) * b, static_cast<double>(c)));
    }
};
struct Reciprocal {
    template <class T>
    static T of(T a)
    {
        return canonicalize_nan_of(T(1) / a, a);
    }
    static double wide(Rounding, double a) { return 1 / a; }
    static bool below(float a, Edge edge) { return edge.is_above_quotient(1.0f, a); }
};
struct Root {
    static float of(float a) { return canonicalize_nan(__builtin_sqrtf(a)); }
    static double of(double a) { return canonicalize_nan_of(__builtin_sqrt(a), a); }
    static double wide(Rounding, double a) { return __builtin_sqrt(a); }
};

// An operation that flushes its inputs and finalises its result, in the
// host rounding mode of its scope.
template <class F, class T, Rounding Mode, bool Ftz, bool Sat>
struct Rounded {
    using Scope = RoundingScope<Mode>;
    template <class... Values>
    T operator()(Values... values) const
    {
        return saturate<Sat>(flush<Ftz>(rounded(flush<Ftz>(values)...)));
    }
    template <class... Values>
    static T rounded(Values... values)
    {
        if constexpr (has_rounding_modes || Mode == Rounding::rn)
            return F::of(values...);
        else
            return canonicalize_nan(directed(F::wide(Mode, static_cast<double>(values)...), Mode));
    }
    template <class... Values>
    static u64 is_uncertain(Values... values)
    {
        return F::is_uncertain(flush<Ftz>(values)...);
    }
    // For a result equal to the smallest normal number: true if the result was smaller before
    // rounding. Never true for sums, which are exact there, or for roots.
    template <class... Values>
    static bool was_tiny(T result, Values... values)
    {
        if constexpr (requires { F::below(values..., Edge{}); })
            return F::below(flush<Ftz>(values)..., edge_of<Mode>(sign_of(result) != 0));
        return false;
    }
};

template <class Function, class T, int Sources>
constexpr RowFunction row_of()
{
    if constexpr (Sources == 1)
        return &map1<Function, T, T>;
    else if constexpr (Sources == 2)
        return &map2<Function, T, T>;
    else
        return &map3<Function, T, T>;
}

// Computes all lanes with `Quick`; if any lane is in doubt, recomputes the row with `exact`.
template <class Quick, RowFunction exact>
void row_unless_uncertain(const RowOperands& o, u32 active)
{
    alignas(64) u32 results[warp_lanes];
    const auto* const a = words<float>(o.a);
    const auto* const b = words<float>(o.b);
    const auto* const c = words<float>(o.c);
    u64 doubt = 0;
    for (int i = 0; i < warp_lanes; ++i) {
        const float x = bits_as<float>(a[i]), y = bits_as<float>(b[i]), z = bits_as<float>(c[i]);
        results[i] = bits_as<u32>(Quick{}(x, y, z));
        doubt |= Quick::is_uncertain(x, y, z);
    }
    if (doubt >> 63 != 0) [[unlikely]]
        return exact(o, active);
    if (active != full_mask) return blend(words<float>(o.d), results, active);
    __builtin_memcpy(words<float>(o.d), results, sizeof results);
}

template <class F, class T, int Sources, bool Ftz, bool Sat, Rounding Mode>
constexpr RowFunction plain_row()
{
    constexpr RowFunction row = row_of<Rounded<F, T, Mode, Ftz, Sat>, T, Sources>();
    if constexpr (!has_fused_instruction && Mode == Rounding::rn && sizeof(T) == 4 && Sources == 3)
        return &row_unless_uncertain<Rounded<typename F::Quick, T, Mode, Ftz, Sat>, row>;
    else
        return row;
}

template <class F, class T, int Sources, bool Ftz, bool Sat, Rounding Mode>
constexpr RowFunction row_of_rounding()
{
    using Function = Rounded<F, T, Mode, Ftz, Sat>;
    constexpr RowFunction row = plain_row<F, T, Sources, Ftz, Sat, Mode>();
    if constexpr (Ftz)
        return &flush_tiny<Function, row, Sources>;
    else
        return row;
}

template <class F, class T, int Sources, bool Ftz, bool Sat>
RowFunction select_rounding(Rounding rounding)
{
    return for_rounding(rounding, []<Rounding Mode>(RoundingTag<Mode>) -> RowFunction {
        if constexpr (has_rounding_modes || Mode == Rounding::rn || sizeof(T) == 4)
            return row_of_rounding<F, T, Sources, Ftz, Sat, Mode>();
        else
            return nullptr;
    });
}

template <class F, int Sources, bool CanSaturate>
RowFunction select_of(const Key& key)
{
    if (key.type == ptx::Type::f64)
        return key.ftz || key.sat ? nullptr
                                  : select_rounding<F, double, Sources, false, false>(key.rounding);
    if (key.sat) {
        if constexpr (CanSaturate)
            return key.ftz ? select_rounding<F, float, Sources, true, true>(key.rounding)
                           : select_rounding<F, float, Sources, false, true>(key.rounding);
        return nullptr;
    }
    return key.ftz ? select_rounding<F, float, Sources, true, false>(key.rounding)
                   : select_rounding<F, float, Sources, false, false>(key.rounding);
}

// f32x2: an f32 operation on the low and on the high words of the lanes.
template <RowFunction row, int Sources>
void both_words(const RowOperands& o, u32 active)
{
    if (active != full_mask) return keep_active<u64>(&both_words<row, Sources>, o, active);
    const void* const from[3] = {o.a, o.b, o.c};
    alignas(64) u32 sources[2][Sources][warp_lanes];
    alignas(64) u32 results[2][warp_lanes];
    for (int k = 0; k < Sources; ++k) {
        const auto* pairs = words<u64>(from[k]);
        for (int i = 0; i < warp_lanes; ++i) {
            sources[0][k][i] = static_cast<u32>(pairs[i]);
            sources[1][k][i] = static_cast<u32>(pairs[i] >> 32);
        }
    }
    for (int half = 0; half < 2; ++half) {
        RowOperands part = o;
        part.d = results[half];
        part.a = sources[half][0];
        part.b = sources[half][1];
        part.c = Sources > 2 ? sources[half][Sources - 1] : nullptr;
        row(part, full_mask);
    }
    auto* d = words<u64>(o.d);
    for (int i = 0; i < warp_lanes; ++i) d[i] = u64{results[1][i]} << 32 | results[0][i];
}
template <class F, int Sources, bool Ftz>
RowFunction select_words_of(const Key& key)
{
    return for_rounding(key.rounding, []<Rounding Mode>(RoundingTag<Mode>) -> RowFunction {
        constexpr RowFunction row = row_of_rounding<F, float, Sources, Ftz, false, Mode>();
        return &both_words<row, Sources>;
    });
}
template <class F, int Sources>
RowFunction select_words(const Key& key)
{
    return key.ftz ? select_words_of<F, Sources, true>(key)
                   : select_words_of<F, Sources, false>(key);
}
template <Signs S>
RowFunction select_fused_words(const Key& key)
{
    constexpr Rounding rn = Rounding::rn;
    if constexpr (S == Signs::plain) return select_words<Fused<S>, 3>(key);
    return key.ftz ? &both_words<row_of_rounding<Fused<S>, float, 3, true, false, rn>(), 3>
                   : &both_words<row_of_rounding<Fused<S>, float, 3, false, false, rn>(), 3>;
}
RowFunction select_f32x2(const Key& key)
{
    if (key.sat || key.relu || key.oob) return nullptr;
    switch (key.op) {
    case Op::add: return select_words<Add, 2>(key);
    case Op::sub: return select_words<Subtract, 2>(key);
    case Op::mul: return select_words<Multiply, 2>(key);
    case Op::fma: break;
    default: return nullptr;
    }
    switch (key.signs) {
    case Signs::product_negated: return select_fused_words<Signs::product_negated>(key);
    case Signs::addend_negated: return select_fused_words<Signs::addend_negated>(key);
    default: return select_fused_words<Signs::plain>(key);
    }
}

// add.f32.f16 and others: the first `Halves` sources are f16 or bf16, which f32 holds exactly.
template <class H, int Halves, RowFunction row>
void widen_first(const RowOperands& o, u32 active)
{
    const void* const from[2] = {o.a, o.b};
    alignas(64) u32 sources[Halves][warp_lanes];
    for (int k = 0; k < Halves; ++k) {
        const auto* halves = words<H>(from[k]);
        for (int i = 0; i < warp_lanes; ++i)
            sources[k][i] = bits_as<u32>(widen(Coding<H>::decode(halves[i])));
    }
    RowOperands wide = o;
    wide.a = sources[0];
    if constexpr (Halves == 2) wide.b = sources[1];
    row(wide, active);
}
template <class F, int Sources, class H, bool Sat>
RowFunction select_mixed_of(const Key& key)
{
    return for_rounding(key.rounding, []<Rounding Mode>(RoundingTag<Mode>) -> RowFunction {
        constexpr RowFunction row = row_of_rounding<F, float, Sources, false, Sat, Mode>();
        return &widen_first<H, Sources - 1, row>;
    });
}
template <class F, int Sources>
RowFunction select_mixed(const Key& key)
{
    if (key.ftz || key.relu || key.oob) return nullptr;
    if (key.source == ptx::Type::f16)
        return key.sat ? select_mixed_of<F, Sources, Half, true>(key)
                       : select_mixed_of<F, Sources, Half, false>(key);
    if (key.source == ptx::Type::bf16)
        return key.sat ? select_mixed_of<F, Sources, Bfloat, true>(key)
                       : select_mixed_of<F, Sources, Bfloat, false>(key);
    return nullptr;
}
RowFunction select_mixed_precision(const Key& key)
{
    switch (key.op) {
    case Op::add: return select_mixed<Add, 2>(key);
    case Op::sub: return select_mixed<Subtract, 2>(key);
    case Op::fma: return select_mixed<Fused<Signs::plain>, 3>(key);
    default: return nullptr;
    }
}

// Negated forms, which only fuse_products creates: round to nearest.
template <class F>
RowFunction select_negated(const Key& key)
{
    if (key.type == ptx::Type::f64)
        return row_of_rounding<F, double, 3, false, false, Rounding::rn>();
    if (key.sat)
        return key.ftz ? row_of_rounding<F, float, 3, true, true, Rounding::rn>()
                       : row_of_rounding<F, float, 3, false, true, Rounding::rn>();
    return key.ftz ? row_of_rounding<F, float, 3, true, false, Rounding::rn>()
                   : row_of_rounding<F, float, 3, false, false, Rounding::rn>();
}

RowFunction select_exactly_fused(const Key& key)
{
    switch (key.signs) {
    case Signs::product_negated: return select_negated<Fused<Signs::product_negated>>(key);
    case Signs::addend_negated: return select_negated<Fused<Signs::addend_negated>>(key);
    default: return select_of<Fused<Signs::plain>, 3, true>(key);
    }
}

RowFunction select_fused(const Key& key)
{
    const RowFunction exact = select_exactly_fused(key);
#ifdef __wasm__
    const bool to_nearest = key.rounding == Rounding::none || key.rounding == Rounding::rn;
    if (exact != nullptr && key.type == ptx::Type::f32 && to_nearest && !key.ftz && !key.sat)
        return fused_row(key.signs, exact);
#endif
    return exact;
}

} // namespace

RowFunction select_float(const Key& key)
{
    if (key.type == ptx::Type::f32x2) return select_f32x2(key);
    if (key.source != key.type) return select_mixed_precision(key);
    if (key.relu || key.oob) return nullptr;
    switch (key.op) {
    case Op::add: return select_of<Add, 2, true>(key);
    case Op::sub: return select_of<Subtract, 2, true>(key);
    case Op::mul: return select_of<Multiply, 2, true>(key);
    case Op::fma:
    case Op::mad: return select_fused(key);
    case Op::div: return select_of<Divide, 2, false>(key);
    case Op::rcp: return select_of<Reciprocal, 1, false>(key);
    case Op::sqrt: return select_of<Root, 1, false>(key);
    default: return nullptr;
    }
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
