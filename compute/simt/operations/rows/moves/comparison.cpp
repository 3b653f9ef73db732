// Comparisons (setp, set) and selection by a predicate or a sign (selp, slct).
#include "compute/simt/operations/rows/floats/halves.h"
#include "compute/simt/operations/rows/integers/integers.h"
#include "compute/simt/operations/rows/selectors.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

namespace {

template <Compare C, class T>
bool holds(T a, T b)
{
    switch (C) {
    case Compare::eq: return a == b;
    case Compare::ne: return a < b || a > b;
    case Compare::lt: return a < b;
    case Compare::le: return a <= b;
    case Compare::gt: return a > b;
    case Compare::ge: return a >= b;
    case Compare::equ: return !(a < b || a > b);
    case Compare::neu: return !(a == b);
    case Compare::ltu: return !(a >= b);
    case Compare::leu: return !(a > b);
    case Compare::gtu: return !(a <= b);
    case Compare::geu: return !(a < b);
    case Compare::num: return a == a && b == b;
    case Compare::nan: return a != a || b != b;
    }
    return false;
}

// Lanes in which the comparison of two rows holds.
template <class T, Compare C, bool Ftz>
u32 compare_rows(const void* left, const void* right)
{
    const auto* a = words<T>(left);
    const auto* b = words<T>(right);
    return mask_of([=](int i) {
        if constexpr (Ftz)
            return holds<C>(flush<true>(Coding<T>::decode(a[i])),
                            flush<true>(Coding<T>::decode(b[i])));
        else
            return holds<C>(Coding<T>::decode(a[i]), Coding<T>::decode(b[i]));
    });
}

// Same, as one out-of-line copy per comparison, since it has many callers.
template <Compare C>
[[gnu::noinline]] u32 compare_floats(const void* left, const void* right)
{
    return compare_rows<float, C, false>(left, right);
}

template <Boolean B>
u32 combine(u32 compared, const void* with)
{
    if (B == Boolean::none) return compared;
    const u32 other = *static_cast<const Word32*>(with);
    return B == Boolean::bit_and  ? compared & other
           : B == Boolean::bit_or ? compared | other
                                  : compared ^ other;
}

// p, and the complementary comparison in q.
template <class T, Compare C, bool Ftz, Boolean B>
[[gnu::noinline]] void set_predicates(const RowOperands& o, u32 active)
{
    const u32 compared = compare_rows<T, C, Ftz>(o.a, o.b);
    const u32 p = combine<B>(compared, o.c);
    const u32 q = combine<B>(~compared, o.c);
    if (o.d != nullptr) store_predicate(o.d, p, active);
    if (o.more->d2 != nullptr) store_predicate(o.more->d2, q, active);
}

template <class T, bool Ftz>
struct Widened {
    alignas(64) u32 low[warp_lanes];
    alignas(64) u32 high[warp_lanes];
    [[gnu::noinline]] explicit Widened(const void* row)
    {
        const auto* a = words<T>(row);
        for (int i = 0; i < warp_lanes; ++i)
            low[i] = bits_as<u32>(widen(flush_half<Ftz>(T{static_cast<u16>(a[i])})));
        for (int i = 0; i < warp_lanes; ++i)
            high[i] = bits_as<u32>(widen(flush_half<Ftz>(T{static_cast<u16>(a[i] >> 16)})));
    }
};

// Halves are compared as f32; for packed operands p is the low half and q the high one.
template <class T, bool Ftz, bool Packed, Compare C, Boolean B>
[[gnu::noinline]] void set_half_predicates(const RowOperands& o, u32 active)
{
    const Widened<T, Ftz> a(o.a);
    const Widened<T, Ftz> b(o.b);
    const u32 low = compare_floats<C>(a.low, b.low);
    const u32 second = Packed && o.more->d2 != nullptr ? compare_floats<C>(a.high, b.high) : ~low;
    // c may be the same predicate as p or q, so read it before storing either.
    const u32 p = combine<B>(low, o.c);
    const u32 q = combine<B>(second, o.c);
    if (o.d != nullptr) store_predicate(o.d, p, active);
    if (o.more->d2 != nullptr) store_predicate(o.more->d2, q, active);
}

// Value of true in a register of this type: all ones, or 1.0.
template <class D>
constexpr u32 truth = ~0u;
template <>
constexpr u32 truth<u16> = 0xffffu;
template <>
constexpr u32 truth<s16> = 0xffffu;
template <>
constexpr u32 truth<float> = 0x3f800000u;
template <>
constexpr u32 truth<Half> = HalfTraits<Half>::one;
template <>
constexpr u32 truth<Bfloat> = HalfTraits<Bfloat>::one;

[[gnu::noinline]] void write_truths(void* d, u32 active, u32 first, u32 second, u32 low, u32 high)
{
    for_lanes_in<u32>(d, active, [=](int i) {
        return ((first & lane_bits.bit[i]) != 0 ? low : 0u) |
               ((second & lane_bits.bit[i]) != 0 ? high : 0u);
    });
}

template <RowFunction Setp, class D, bool Packed>
void set_register(const RowOperands& o, u32 active)
{
    u32 first = 0;
    u32 second = 0;
    RowOperands compared = o;
    compared.d = &first;
    const MoreOperands high{.d2 = Packed ? &second : nullptr};
    compared.more = &high;
    Setp(compared, full_mask);
    write_truths(o.d, active, first, second, truth<D>, Packed ? truth<D> << 16 : 0u);
}

// Destination forms of a comparison of type T: a predicate or a register. Packed comparisons fill
// both halves of a register.
template <RowFunction Setp, class T, bool Packed>
RowFunction setp_or_set(const Key& key)
{
    using ptx::Type;
    if (key.op == Op::setp) return Setp;
    const bool integer = key.type == Type::u32 || key.type == Type::s32;
    if constexpr (Packed) {
        if (integer) return &set_register<Setp, u16, true>;
        return key.type == key.source ? &set_register<Setp, T, true> : nullptr;
    } else {
        if (integer) return &set_register<Setp, u32, false>;
        if constexpr (sizeof(T) == 2) {
            if (key.type == Type::u16 || key.type == Type::s16)
                return &set_register<Setp, u16, false>;
            if (key.type == key.source) return &set_register<Setp, T, false>;
        }
        return key.type == Type::f32 ? &set_register<Setp, float, false> : nullptr;
    }
}

// Calls `make` with the comparison and the Boolean operator as template arguments.
template <Compare C, Boolean B>
struct CompareTag {
    static constexpr Compare compare = C;
    static constexpr Boolean boolean = B;
};
template <Compare C, class Make>
RowFunction for_boolean(Boolean boolean, Make make)
{
    switch (boolean) {
    case Boolean::none: return make(CompareTag<C, Boolean::none>{});
    case Boolean::bit_and: return make(CompareTag<C, Boolean::bit_and>{});
    case Boolean::bit_or: return make(CompareTag<C, Boolean::bit_or>{});
    case Boolean::bit_xor: return make(CompareTag<C, Boolean::bit_xor>{});
    }
    return nullptr;
}
template <class Make>
RowFunction for_ordered(const Key& key, Make make)
{
    switch (key.compare) {
    case Compare::eq: return for_boolean<Compare::eq>(key.boolean, make);
    case Compare::ne: return for_boolean<Compare::ne>(key.boolean, make);
    case Compare::lt: return for_boolean<Compare::lt>(key.boolean, make);
    case Compare::le: return for_boolean<Compare::le>(key.boolean, make);
    case Compare::gt: return for_boolean<Compare::gt>(key.boolean, make);
    case Compare::ge: return for_boolean<Compare::ge>(key.boolean, make);
    default: return nullptr;
    }
}
template <class Make>
RowFunction for_compare(const Key& key, Make make)
{
    switch (key.compare) {
    case Compare::equ: return for_boolean<Compare::equ>(key.boolean, make);
    case Compare::neu: return for_boolean<Compare::neu>(key.boolean, make);
    case Compare::ltu: return for_boolean<Compare::ltu>(key.boolean, make);
    case Compare::leu: return for_boolean<Compare::leu>(key.boolean, make);
    case Compare::gtu: return for_boolean<Compare::gtu>(key.boolean, make);
    case Compare::geu: return for_boolean<Compare::geu>(key.boolean, make);
    case Compare::num: return for_boolean<Compare::num>(key.boolean, make);
    case Compare::nan: return for_boolean<Compare::nan>(key.boolean, make);
    default: return for_ordered(key, make);
    }
}

template <class T, bool Ftz>
RowFunction select_float_comparison(const Key& key)
{
    return for_compare(key, [&]<class Tag>(Tag) {
        return setp_or_set<&set_predicates<T, Tag::compare, Ftz, Tag::boolean>, T, false>(key);
    });
}
template <class T, bool Ftz, bool Packed>
RowFunction select_half_comparison(const Key& key)
{
    return for_compare(key, [&]<class Tag>(Tag) {
        return setp_or_set<&set_half_predicates<T, Ftz, Packed, Tag::compare, Tag::boolean>, T,
                           Packed>(key);
    });
}

RowFunction select_comparing(const Key& key)
{
    using ptx::Type;
    switch (key.source) {
    case Type::f32:
        return key.ftz ? select_float_comparison<float, true>(key)
                       : select_float_comparison<float, false>(key);
    case Type::f64: return select_float_comparison<double, false>(key);
    case Type::f16:
        return key.ftz ? select_half_comparison<Half, true, false>(key)
                       : select_half_comparison<Half, false, false>(key);
    case Type::f16x2:
        return key.ftz ? select_half_comparison<Half, true, true>(key)
                       : select_half_comparison<Half, false, true>(key);
    case Type::bf16: return select_half_comparison<Bfloat, false, false>(key);
    case Type::bf16x2: return select_half_comparison<Bfloat, false, true>(key);
    default:
        return for_integer(key.source, [&]<class T>(Tag<T>) {
            return for_ordered(key, [&]<class Tag>(Tag) {
                return setp_or_set<&set_predicates<T, Tag::compare, false, Tag::boolean>, T, false>(
                    key);
            });
        });
    }
}

template <class T>
void choose_by_predicate(const RowOperands& o, u32 active)
{
    const auto* a = words<T>(o.a);
    const auto* b = words<T>(o.b);
    const u32 chosen = *static_cast<const Word32*>(o.c);
    for_lanes_in<T>(o.d, active,
                    [=](int i) -> T { return (chosen & lane_bits.bit[i]) != 0 ? a[i] : b[i]; });
}

template <class T>
struct ChooseByInteger {
    T operator()(T a, T b, s32 c) const { return c >= 0 ? a : b; }
};
template <class T, bool Ftz>
struct ChooseByFloat {
    T operator()(T a, T b, float c) const { return flush<Ftz>(c) >= 0 ? a : b; }
};
template <class T>
RowFunction select_by_sign(const Key& key)
{
    if (key.source == ptx::Type::s32) return &map3<ChooseByInteger<T>, T, T, T, s32>;
    if (key.source != ptx::Type::f32) return nullptr;
    return key.ftz ? &map3<ChooseByFloat<T, true>, T, T, T, float>
                   : &map3<ChooseByFloat<T, false>, T, T, T, float>;
}

} // namespace

RowFunction select_comparison(const Key& key)
{
    const bool wide = key.type == ptx::Type::b64 || key.type == ptx::Type::u64 ||
                      key.type == ptx::Type::s64 || key.type == ptx::Type::f64;
    switch (key.op) {
    case Op::setp:
    case Op::set: return select_comparing(key);
    case Op::selp: return wide ? &choose_by_predicate<u64> : &choose_by_predicate<u32>;
    case Op::slct: return wide ? select_by_sign<u64>(key) : select_by_sign<u32>(key);
    default: return nullptr;
    }
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
