// Extended-precision arithmetic: sums, differences and products that read and write the warp's
// carry bits.
#include "compute/simt/operations/rows/integers/integers.h"
#include "compute/simt/operations/rows/selectors.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

namespace {

template <class T>
struct Sum {
    T value;
    bool carry;
};

// a + b + carry, or a + ~b + carry. A set carry of a difference means that nothing was borrowed, as
// in hardware (the manual calls it a borrow; only code that mixes sums and differences can tell).
template <bool Subtract, class T>
Sum<T> add_with_carry(T a, T b, bool carry)
{
    const T rhs = Subtract ? static_cast<T>(~b) : b;
    const T first = a + rhs;
    const T second = first + static_cast<T>(carry);
    return {second, first < a || second < first};
}

template <class T, bool CarryIn, bool CarryOut, class Lane>
void run_with_carry(const RowOperands& o, u32 active, Lane lane)
{
    const u32 in = CarryIn ? *o.more->carry : 0;
    alignas(64) WordOf<T> values[warp_lanes];
    u32 out = 0;
    for (int i = 0; i < warp_lanes; ++i) {
        const Sum<T> sum = lane(i, (in & lane_bits.bit[i]) != 0);
        values[i] = Coding<T>::encode(sum.value);
        out |= sum.carry ? lane_bits.bit[i] : 0u;
    }
    blend(words<T>(o.d), values, active);
    if (CarryOut) *o.more->carry = (*o.more->carry & ~active) | (out & active);
}

template <class T, bool Subtract, bool CarryIn, bool CarryOut>
void sum(const RowOperands& o, u32 active)
{
    const auto* a = words<T>(o.a);
    const auto* b = words<T>(o.b);
    run_with_carry<T, CarryIn, CarryOut>(o, active, [=](int i, bool carry) {
        return add_with_carry<Subtract>(Coding<T>::decode(a[i]), Coding<T>::decode(b[i]),
                                        CarryIn ? carry : Subtract);
    });
}

// T's signedness only matters for the high half of the product.
template <class T, bool High, bool CarryIn, bool CarryOut>
void product_sum(const RowOperands& o, u32 active)
{
    using Unsigned = UnsignedOf<T>;
    const auto* a = words<T>(o.a);
    const auto* b = words<T>(o.b);
    const auto* c = words<T>(o.c);
    run_with_carry<Unsigned, CarryIn, CarryOut>(o, active, [=](int i, bool carry) {
        const T x = Coding<T>::decode(a[i]);
        const T y = Coding<T>::decode(b[i]);
        const auto part =
            static_cast<Unsigned>(High ? high_product(x, y) : wrapping_multiply(x, y));
        return add_with_carry<false>(part, Coding<Unsigned>::decode(c[i]), carry);
    });
}

template <bool CarryIn, bool CarryOut>
RowFunction select_of(const Key& key)
{
    return for_integer(key.type, [&]<class T>(Tag<T>) -> RowFunction {
        if constexpr (sizeof(T) < 4) {
            return nullptr;
        } else {
            using Unsigned = UnsignedOf<T>;
            switch (key.op) {
            case Op::add: return &sum<Unsigned, false, CarryIn, CarryOut>;
            case Op::sub: return &sum<Unsigned, true, CarryIn, CarryOut>;
            case Op::mad:
                return key.part == Part::hi ? &product_sum<T, true, CarryIn, CarryOut>
                                            : &product_sum<Unsigned, false, CarryIn, CarryOut>;
            default: return nullptr;
            }
        }
    });
}

} // namespace

RowFunction select_carry(const Key& key)
{
    if (key.carry_in)
        return key.carry_out ? select_of<true, true>(key) : select_of<true, false>(key);
    return select_of<false, true>(key);
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
