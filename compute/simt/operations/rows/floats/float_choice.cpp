// f32 and f64 operations without rounding: min and max, signs, classification.
#include "compute/simt/operations/rows/floats/floats.h"
#include "compute/simt/operations/rows/selectors.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

namespace {

template <class T, bool Max, bool Ftz, bool Nan, bool Xorsign>
struct Extreme {
    T operator()(T a, T b) const
    {
        a = flush<Ftz>(a);
        b = flush<Ftz>(b);
        if constexpr (!Xorsign) return extreme<Max, Nan>(a, b);
        const T value = extreme<Max, Nan>(magnitude(a), magnitude(b));
        const auto sign = sign_of(a) ^ sign_of(b);
        return value == value ? with_sign(value, sign) : value;
    }
};
// The extreme of three values, from left to right.
template <bool Max, bool Ftz, bool Nan, bool Abs>
struct ExtremeOfThree {
    float operator()(float a, float b, float c) const
    {
        return extreme<Max, Nan>(extreme<Max, Nan>(prepared(a), prepared(b)), prepared(c));
    }
    static float prepared(float a)
    {
        const float flushed = flush<Ftz>(a);
        return Abs ? magnitude(flushed) : flushed;
    }
};
// A NaN keeps its sign.
template <class T, bool Ftz>
struct Absolute {
    T operator()(T a) const
    {
        const T flushed = flush<Ftz>(a);
        return a == a ? magnitude(flushed) : canonicalize_nan(flushed);
    }
};
template <class T, bool Ftz>
struct Negate {
    T operator()(T a) const
    {
        const T flushed = flush<Ftz>(a);
        const T negated = with_sign(flushed, sign_of(flushed) ^ FloatTraits<T>::sign);
        return a == a ? negated : canonicalize_nan(flushed);
    }
};
template <class T>
struct CopySign {
    T operator()(T a, T b) const { return with_sign(b, sign_of(a)); }
};

template <class T, Test Kind>
bool passes_test(T a)
{
    using Traits = FloatTraits<T>;
    const BitsOf<T> bits = bits_as<BitsOf<T>>(a) & ~Traits::sign;
    switch (Kind) {
    case Test::finite: return bits < Traits::infinity;
    case Test::infinite: return bits == Traits::infinity;
    case Test::number: return bits <= Traits::infinity;
    case Test::notanumber: return bits > Traits::infinity;
    // Zeros count as normal.
    case Test::normal:
        return bits == 0 || (bits >= Traits::smallest_normal && bits < Traits::infinity);
    case Test::subnormal: return bits != 0 && bits < Traits::smallest_normal;
    }
    return false;
}
template <class T, Test Kind>
void test_kind(const RowOperands& o, u32 active)
{
    const auto* a = words<T>(o.a);
    store_predicate(
        o.d, mask_of([=](int i) { return passes_test<T, Kind>(Coding<T>::decode(a[i])); }), active);
}

template <class T>
RowFunction select_test(Test test)
{
    switch (test) {
    case Test::finite: return &test_kind<T, Test::finite>;
    case Test::infinite: return &test_kind<T, Test::infinite>;
    case Test::number: return &test_kind<T, Test::number>;
    case Test::notanumber: return &test_kind<T, Test::notanumber>;
    case Test::normal: return &test_kind<T, Test::normal>;
    case Test::subnormal: return &test_kind<T, Test::subnormal>;
    }
    return nullptr;
}

template <bool Max>
RowFunction select_extreme_of_three(const Key& key)
{
    if (key.xorsign || key.relu) return nullptr;
    return for_flag(key.ftz, [&]<class Ftz>(Ftz) {
        return for_flag(key.nan, [&]<class Nan>(Nan) {
            return for_flag(key.absolute, [&]<class Abs>(Abs) -> RowFunction {
                return &map3<ExtremeOfThree<Max, Ftz::value, Nan::value, Abs::value>, float, float>;
            });
        });
    });
}

template <class T, bool Max>
RowFunction select_extreme(const Key& key)
{
    if (key.three) return select_extreme_of_three<Max>(key);
    if (key.absolute != key.xorsign) return nullptr;
    return for_flag(key.ftz, [&]<class Ftz>(Ftz) {
        return for_flag(key.nan, [&]<class Nan>(Nan) {
            return for_flag(key.xorsign, [&]<class Xorsign>(Xorsign) -> RowFunction {
                return &map2<Extreme<T, Max, Ftz::value, Nan::value, Xorsign::value>, T, T>;
            });
        });
    });
}

} // namespace

RowFunction select_float_choice(const Key& key)
{
    return for_float(key.type, [&]<class T>(Tag<T>) -> RowFunction {
        switch (key.op) {
        case Op::min: return select_extreme<T, false>(key);
        case Op::max: return select_extreme<T, true>(key);
        case Op::abs:
            return key.ftz ? &map1<Absolute<T, true>, T, T> : &map1<Absolute<T, false>, T, T>;
        case Op::neg: return key.ftz ? &map1<Negate<T, true>, T, T> : &map1<Negate<T, false>, T, T>;
        case Op::copysign: return &map2<CopySign<T>, T, T>;
        case Op::testp: return select_test<T>(key.test);
        default: return nullptr;
        }
    });
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
