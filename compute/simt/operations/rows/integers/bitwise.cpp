// Logic and shifts on registers and predicates.
#include "compute/simt/operations/rows/integers/integers.h"
#include "compute/simt/operations/rows/selectors.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

namespace {

struct And {
    template <class T>
    T operator()(T a, T b) const
    {
        return a & b;
    }
};
struct Or {
    template <class T>
    T operator()(T a, T b) const
    {
        return a | b;
    }
};
struct Xor {
    template <class T>
    T operator()(T a, T b) const
    {
        return a ^ b;
    }
};
struct Not {
    template <class T>
    T operator()(T a) const
    {
        return static_cast<T>(~a);
    }
};
struct IsZero {
    template <class T>
    T operator()(T a) const
    {
        return a == 0 ? 1 : 0;
    }
};

// Shift amounts are 32-bit and clamped to the width.
template <class T>
struct ShiftLeft {
    T operator()(T a, u32 amount) const
    {
        constexpr u32 last = bit_width_of<T> - 1;
        const T shifted = static_cast<T>(a << (amount & last));
        return amount > last ? T(0) : shifted;
    }
};
template <class T>
struct ShiftRight {
    T operator()(T a, u32 amount) const
    {
        constexpr u32 last = bit_width_of<T> - 1;
        if constexpr (is_signed_integer<T>) return static_cast<T>(a >> smaller(amount, last));
        const T shifted = static_cast<T>(a >> (amount & last));
        return amount > last ? T(0) : shifted;
    }
};

// A 32-bit window into the 64 bits high:low.
template <bool Left, bool Clamp>
struct FunnelShift {
    u32 operator()(u32 low, u32 high, u32 amount) const
    {
        const u32 n = Clamp ? smaller(amount, 32u) : amount & 31;
        const u64 both = u64{high} << 32 | low;
        return static_cast<u32>(Left ? both >> (32 - n) : both >> n);
    }
};

// Bit i of the table is the result for the three input bits i = 4a + 2b + c.
u32 look_up(u32 a, u32 b, u32 c, u32 table)
{
    u32 result = 0;
    for (u32 i = 0; i < 8; ++i) {
        const u32 chosen = 0u - (table >> i & 1);
        result |=
            chosen & ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
    }
    return result;
}
struct LookUp {
    u32 operator()(u32 a, u32 b, u32 c, u32 table) const { return look_up(a, b, c, table); }
};

template <class F>
void on_predicates(const RowOperands& o, u32 active)
{
    const u32 a = *static_cast<const Word32*>(o.a);
    const u32 b = *static_cast<const Word32*>(o.b);
    store_predicate(o.d, F{}(a, b), active);
}
template <class F>
void on_predicate(const RowOperands& o, u32 active)
{
    store_predicate(o.d, F{}(u32{*static_cast<const Word32*>(o.a)}), active);
}

template <class F>
RowFunction select_binary(ptx::Type type)
{
    if (type == ptx::Type::pred) return &on_predicates<F>;
    return for_bits(type, []<class T>(Tag<T>) -> RowFunction { return &map2<F, T, T>; });
}

RowFunction select_funnel(Part part)
{
    switch (part) {
    case Part::left_clamp: return &map3<FunnelShift<true, true>, u32, u32>;
    case Part::left_wrap: return &map3<FunnelShift<true, false>, u32, u32>;
    case Part::right_clamp: return &map3<FunnelShift<false, true>, u32, u32>;
    case Part::right_wrap: return &map3<FunnelShift<false, false>, u32, u32>;
    default: return nullptr;
    }
}

} // namespace

RowFunction select_bitwise(const Key& key)
{
    switch (key.op) {
    case Op::bit_and: return select_binary<And>(key.type);
    case Op::bit_or: return select_binary<Or>(key.type);
    case Op::bit_xor: return select_binary<Xor>(key.type);
    case Op::bit_not:
        if (key.type == ptx::Type::pred) return &on_predicate<Not>;
        return for_bits(key.type, []<class T>(Tag<T>) -> RowFunction { return &map1<Not, T, T>; });
    case Op::cnot:
        return for_bits(key.type,
                        []<class T>(Tag<T>) -> RowFunction { return &map1<IsZero, T, T>; });
    case Op::shl:
        return for_bits(key.type, []<class T>(Tag<T>) -> RowFunction {
            return &map2<ShiftLeft<T>, T, T, u32>;
        });
    case Op::shr:
        return for_integer(key.type, []<class T>(Tag<T>) -> RowFunction {
            return &map2<ShiftRight<T>, T, T, u32>;
        });
    case Op::shf: return select_funnel(key.part);
    case Op::lop3: return &map4<LookUp, u32, u32>;
    default: return nullptr;
    }
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
