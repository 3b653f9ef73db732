// Instructions that the manual bounds instead of defining: .approx and .full. They are computed to
// full precision; what the manual fixes (special values, flushing) is kept.
#include "compute/simt/operations/rows/halves.h"
#include "compute/simt/operations/rows/selectors.h"
#include "compute/simt/operations/rows/series.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

namespace {

struct Exp2 {
    static float of(float a) { return static_cast<float>(exp2_series(a)) + (a != a ? a : 0.0f); }
};
struct Log2 {
    static float of(float a)
    {
        const float positive = a > 0 && a < bits_as<float>(FloatTraits<float>::infinity) ? a : 1.0f;
        const float value = static_cast<float>(log2_series(positive));
        const float infinity = bits_as<float>(FloatTraits<float>::infinity);
        return a == 0            ? -infinity
               : a < 0 || a != a ? canonical_nan<float>()
               : a == infinity   ? infinity
                                 : value;
    }
};

// The hardware first makes turns of the angle, with a product in f32 that is cut off: large angles
// lose what it loses.
double turns(float a)
{
    const double product = static_cast<double>(a) * 0.15915493667125701904;
    return bits_as<double>(bits_as<u64>(product) & ~u64{0x1fffffff});
}
bool is_finite(float a)
{
    return magnitude(a) < bits_as<float>(FloatTraits<float>::infinity);
}

struct Sine {
    static float of(float a)
    {
        const double t = is_finite(a) ? turns(a) : 0.0;
        // The turns of huge angles are whole numbers.
        const double value = magnitude(t) < 1e9 ? sin_of_turns(t) : 0.0;
        return is_finite(a) ? static_cast<float>(value) : canonical_nan<float>();
    }
};
struct Cosine {
    static float of(float a)
    {
        const double t = is_finite(a) ? turns(a) : 0.0;
        const double value = magnitude(t) < 1e9 ? sin_of_turns(t + 0.25) : 1.0;
        return is_finite(a) ? static_cast<float>(value) : canonical_nan<float>();
    }
};
struct Tanh {
    static float of(float a) { return a != a ? a : static_cast<float>(tanh_series(a)); }
};
struct InverseRoot {
    static float of(float a)
    {
        return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(a)));
    }
};
struct Root {
    static float of(float a) { return __builtin_sqrtf(a); }
};
struct Reciprocal {
    static float of(float a) { return 1.0f / a; }
};
struct DivideFull {
    static float of(float a, float b) { return a / b; }
};
// The reciprocal of a divisor above 2^126 is flushed to zero.
struct DivideApproximately {
    static float of(float a, float b)
    {
        const bool huge = magnitude(b) > 0x1p126f && is_finite(b);
        return huge ? a * with_sign(0.0f, sign_of(b)) : a / b;
    }
};

template <class F, bool Ftz>
struct Approximate {
    template <class... Values>
    float operator()(Values... values) const
    {
        return finish<Ftz, false>(F::of(flush<Ftz>(values)...));
    }
};

template <class F>
RowFunction unary(bool ftz)
{
    return ftz ? &map1<Approximate<F, true>, float, float>
               : &map1<Approximate<F, false>, float, float>;
}
template <class F>
RowFunction binary(bool ftz)
{
    return ftz ? &map2<Approximate<F, true>, float, float>
               : &map2<Approximate<F, false>, float, float>;
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

template <class F, class T>
struct OnHalf {
    T operator()(T a) const { return narrow_to<T>(canonicalize_nan(F::of(widen(a)))); }
    Pair<T> operator()(Pair<T> a) const { return {(*this)(a.low), (*this)(a.high)}; }
};
template <class F>
RowFunction select_half_unary(const Key& key)
{
    return for_half(key.type, []<class T, class Row>(Tag<T>, Tag<Row>) -> RowFunction {
        return &map1<OnHalf<F, T>, Row, Row>;
    });
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
        if (key.op == Op::ex2) return select_half_unary<Exp2>(key);
        return key.op == Op::tanh ? select_half_unary<Tanh>(key) : nullptr;
    }
    switch (key.op) {
    case Op::ex2: return unary<Exp2>(key.ftz);
    case Op::lg2: return unary<Log2>(key.ftz);
    case Op::sin: return unary<Sine>(key.ftz);
    case Op::cos: return unary<Cosine>(key.ftz);
    case Op::tanh: return unary<Tanh>(key.ftz);
    case Op::rsqrt: return unary<InverseRoot>(key.ftz);
    case Op::sqrt: return unary<Root>(key.ftz);
    case Op::rcp: return unary<Reciprocal>(key.ftz);
    case Op::div:
        return key.full ? binary<DivideFull>(key.ftz) : binary<DivideApproximately>(key.ftz);
    default: return nullptr;
    }
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
