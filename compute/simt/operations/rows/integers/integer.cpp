// Integer arithmetic: sums, products, quotients, min and max.
#include "compute/simt/operations/lanes/zero_divisors.h"
#include "compute/simt/operations/rows/integers/integers.h"
#include "compute/simt/operations/rows/selectors.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

namespace {

template <class T>
struct Add {
    T operator()(T a, T b) const { return wrapping_add(a, b); }
};
template <class T>
struct Subtract {
    T operator()(T a, T b) const { return wrapping_subtract(a, b); }
};
template <class T>
struct MultiplyLow {
    T operator()(T a, T b) const { return wrapping_multiply(a, b); }
};
template <class T>
struct MultiplyHigh {
    T operator()(T a, T b) const { return high_product(a, b); }
};
template <class T>
struct MultiplyWide {
    WideOf<T> operator()(T a, T b) const
    {
        return static_cast<WideOf<T>>(a) * static_cast<WideOf<T>>(b);
    }
};
template <class T>
struct MadLow {
    T operator()(T a, T b, T c) const { return wrapping_add(wrapping_multiply(a, b), c); }
};
template <class T>
struct MadHigh {
    T operator()(T a, T b, T c) const { return wrapping_add(high_product(a, b), c); }
};
template <class T>
struct MadWide {
    WideOf<T> operator()(T a, T b, WideOf<T> c) const
    {
        return wrapping_add(MultiplyWide<T>{}(a, b), c);
    }
};
struct AddSaturated {
    s32 operator()(s32 a, s32 b) const { return clamp_to<s32>(s64{a} + b); }
};
struct SubtractSaturated {
    s32 operator()(s32 a, s32 b) const { return clamp_to<s32>(s64{a} - b); }
};
struct MadHighSaturated {
    s32 operator()(s32 a, s32 b, s32 c) const { return clamp_to<s32>(s64{high_product(a, b)} + c); }
};

// The low 24 bits, extended according to the operand's signedness.
u64 low_24(u32 a)
{
    return a & 0xffffffu;
}
s64 low_24(s32 a)
{
    return static_cast<s32>(static_cast<u32>(a) << 8) >> 8;
}

template <class T>
struct Multiply24Low {
    T operator()(T a, T b) const { return static_cast<T>(low_24(a) * low_24(b)); }
};
template <class T>
struct Multiply24High {
    T operator()(T a, T b) const { return static_cast<T>((low_24(a) * low_24(b)) >> 16); }
};
template <class T>
struct Mad24Low {
    T operator()(T a, T b, T c) const { return wrapping_add(Multiply24Low<T>{}(a, b), c); }
};
template <class T>
struct Mad24High {
    T operator()(T a, T b, T c) const { return wrapping_add(Multiply24High<T>{}(a, b), c); }
};
struct Mad24HighSaturated {
    s32 operator()(s32 a, s32 b, s32 c) const
    {
        return clamp_to<s32>(s64{Multiply24High<s32>{}(a, b)} + c);
    }
};

// Division by zero yields all ones, as in the code ptxas generates. The divisor is replaced first,
// so that the host never traps; the minimum divided by -1 wraps around.
template <class T>
T safe_divisor(T a, T b)
{
    const bool overflows = is_signed_integer<T> && a == lowest_of<T>() && b == T(-1);
    return b == 0 || overflows ? T(1) : b;
}

// Signed 32-bit division via f64, where that is vectorised. A non-integral quotient is at least 1/b
// away from the next integer, and its error is below 2^-21/b, so truncation is exact.
template <class T>
T quotient(T a, T b)
{
#ifdef __AVX2__
    if constexpr (std::is_same_v<T, s32>)
        return static_cast<s32>(static_cast<double>(a) / static_cast<double>(b));
#endif
    return static_cast<T>(a / b);
}
template <class T>
struct Divide {
    T operator()(T a, T b) const
    {
        const T whole = quotient(a, safe_divisor(a, b));
        return b == 0 ? T(-1) : whole;
    }
};
template <class T>
struct Remainder {
    T operator()(T a, T b) const
    {
        const T divisor = safe_divisor(a, b);
        const T whole = wrapping_multiply(quotient(a, divisor), divisor);
        return b == 0 ? T(-1) : wrapping_subtract(a, whole);
    }
};

// Returns true if all lanes divide 32-bit numbers below 2^31 by the same divisor, so that every
// quotient is a host signed integer.
template <class T>
bool share_divisor(const WordOf<T>* a, const WordOf<T>* b)
{
    u32 differences = 0, bits = 0;
    for (int lane = 0; lane < warp_lanes; ++lane) {
        differences |= static_cast<u32>(b[lane] ^ b[0]);
        bits |= static_cast<u32>(a[lane] | b[lane]);
    }
    const bool fits = is_signed_integer<T> ? b[0] != WordOf<T>(-1) : bits >> 31 == 0;
    return differences == 0 && fits && b[0] != 0;
}

// In most warps all lanes have the same divisor. (a ± ½)/b is at least 1/2b away from every
// integer, and its error is below 2^-20/b, so truncating it gives the quotient.
template <class T, bool remainder>
void divide(const RowOperands& o, u32 active)
{
    using F = std::conditional_t<remainder, Remainder<T>, Divide<T>>;
    if (active != full_mask) return keep_active<WordOf<T>>(&divide<T, remainder>, o, active);
    const auto* a = words<T>(o.a);
    const auto* b = words<T>(o.b);
    if (!share_divisor<T>(a, b)) return map2<F, T, T>(o, active);
    const auto divisor = static_cast<s32>(b[0]);
    const double by = 1.0 / divisor;
    for_all_lanes<T, NoScope>(words<T>(o.d), [=](int i) -> T {
        const auto number = static_cast<s32>(a[i]);
        const double half = number < 0 ? -0.5 : 0.5;
        const auto whole = static_cast<s32>((number + half) * by);
        return static_cast<T>(remainder ? number - whole * divisor : whole);
    });
}

// Notes the lanes that divide by zero, then divides.
template <class T, RowFunction divide_rows>
void divide_and_mark_zeros(const RowOperands& o, u32 active)
{
    const auto* b = words<T>(o.b);
    u32 zeros = 0;
    for (int lane = 0; lane < warp_lanes; ++lane)
        zeros |= static_cast<u32>(static_cast<T>(b[lane]) == 0) << lane;
    if ((zeros & active) != 0) note_zero_divisors(o, zeros & active);
    divide_rows(o, active);
}

template <class T>
RowFunction select_division(bool remainder)
{
    if constexpr (sizeof(T) == 4)
        return remainder ? &divide_and_mark_zeros<T, &divide<T, true>>
                         : &divide_and_mark_zeros<T, &divide<T, false>>;
    return remainder ? &divide_and_mark_zeros<T, &map2<Remainder<T>, T, T>>
                     : &divide_and_mark_zeros<T, &map2<Divide<T>, T, T>>;
}

template <class T>
struct Min {
    T operator()(T a, T b) const { return smaller(a, b); }
};
template <class T>
struct Max {
    T operator()(T a, T b) const { return larger(a, b); }
};
template <template <class> class F>
struct Rectified {
    s32 operator()(s32 a, s32 b) const { return larger(F<s32>{}(a, b), 0); }
};
template <class T>
struct Absolute {
    T operator()(T a) const { return a < 0 ? wrapping_negate(a) : a; }
};
template <class T>
struct Negate {
    T operator()(T a) const { return wrapping_negate(a); }
};
template <class T>
struct SumOfDifference {
    T operator()(T a, T b, T c) const
    {
        return wrapping_add(c, a < b ? wrapping_subtract(b, a) : wrapping_subtract(a, b));
    }
};

// Both halves of a word.
template <class T, class F, bool Relu>
struct OnHalves {
    Pair<T> operator()(Pair<T> a, Pair<T> b) const
    {
        return {one(a.low, b.low), one(a.high, b.high)};
    }

private:
    static T one(T a, T b)
    {
        const T value = F{}(a, b);
        return Relu ? larger(value, T(0)) : value;
    }
};

template <class T>
RowFunction select_on_halves(const Key& key)
{
    const auto halves = [&]<class F>(Tag<F>) -> RowFunction {
        return key.relu ? &map2<OnHalves<T, F, true>, Pair<T>, Pair<T>>
                        : &map2<OnHalves<T, F, false>, Pair<T>, Pair<T>>;
    };
    switch (key.op) {
    case Op::add: return halves(Tag<Add<T>>{});
    case Op::min: return halves(Tag<Min<T>>{});
    case Op::max: return halves(Tag<Max<T>>{});
    default: return nullptr;
    }
}

template <class T>
RowFunction select_product(const Key& key)
{
    const bool mad = key.op == Op::mad;
    switch (key.part) {
    case Part::lo: return mad ? &map3<MadLow<T>, T, T> : &map2<MultiplyLow<T>, T, T>;
    case Part::hi: return mad ? &map3<MadHigh<T>, T, T> : &map2<MultiplyHigh<T>, T, T>;
    case Part::wide:
        if constexpr (sizeof(T) < 8)
            return mad ? &map3<MadWide<T>, WideOf<T>, T, T, WideOf<T>>
                       : &map2<MultiplyWide<T>, WideOf<T>, T>;
        return nullptr;
    default: return nullptr;
    }
}

template <class T>
RowFunction select_24(const Key& key)
{
    const bool mad = key.op == Op::mad24;
    if (key.part == Part::hi)
        return mad ? &map3<Mad24High<T>, T, T> : &map2<Multiply24High<T>, T, T>;
    return mad ? &map3<Mad24Low<T>, T, T> : &map2<Multiply24Low<T>, T, T>;
}

template <class T>
RowFunction select_of(const Key& key)
{
    switch (key.op) {
    case Op::add: return &map2<Add<T>, T, T>;
    case Op::sub: return &map2<Subtract<T>, T, T>;
    case Op::mul:
    case Op::mad: return select_product<T>(key);
    case Op::div:
    case Op::rem: return select_division<T>(key.op == Op::rem);
    case Op::min: return &map2<Min<T>, T, T>;
    case Op::max: return &map2<Max<T>, T, T>;
    case Op::sad: return &map3<SumOfDifference<T>, T, T>;
    case Op::neg: return &map1<Negate<T>, T, T>;
    case Op::abs:
        if constexpr (is_signed_integer<T>) return &map1<Absolute<T>, T, T>;
        return nullptr;
    case Op::mul24:
    case Op::mad24:
        if constexpr (sizeof(T) == 4) return select_24<T>(key);
        return nullptr;
    default: return nullptr;
    }
}

RowFunction select_saturated(const Key& key)
{
    if (key.type != ptx::Type::s32) return nullptr;
    switch (key.op) {
    case Op::add: return &map2<AddSaturated, s32, s32>;
    case Op::sub: return &map2<SubtractSaturated, s32, s32>;
    case Op::mad: return key.part == Part::hi ? &map3<MadHighSaturated, s32, s32> : nullptr;
    case Op::mad24: return key.part == Part::hi ? &map3<Mad24HighSaturated, s32, s32> : nullptr;
    default: return nullptr;
    }
}

} // namespace

RowFunction select_integer(const Key& key)
{
    if (key.packed)
        return key.type == ptx::Type::s16 ? select_on_halves<s16>(key) : select_on_halves<u16>(key);
    if (key.sat) return select_saturated(key);
    if (key.relu && key.op == Op::min) return &map2<Rectified<Min>, s32, s32>;
    if (key.relu && key.op == Op::max) return &map2<Rectified<Max>, s32, s32>;
    return for_integer(key.type, [&]<class T>(Tag<T>) { return select_of<T>(key); });
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
