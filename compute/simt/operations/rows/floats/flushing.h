// Semantics of .ftz. The hardware rounds to full precision first, as if exponents were unbounded,
// and flushes results below the smallest normal number. IEEE 754 rounding, at a subnormal's
// precision, may already have raised such a value to the smallest normal number: only for that
// result must the operands be examined.
#pragma once

#include "compute/simt/operations/rows/floats/halves.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

// Lower bound of the values that round to the smallest normal f32 at full precision.
struct Edge {
    double at = 0;
    bool bound_is_below = false; // the bound itself is below

    bool is_above(double value) const
    {
        const double size = magnitude(value);
        return bound_is_below ? size <= at : size < at;
    }
    // Compares the edge with a / b without dividing; the product is exact.
    bool is_above_quotient(float a, float b) const
    {
        const double size = magnitude(static_cast<double>(a));
        const double product = at * magnitude(static_cast<double>(b));
        return bound_is_below ? size <= product : size < product;
    }
};

template <Rounding Mode>
constexpr Edge edge_of(bool negative)
{
    const bool away = (Mode == Rounding::rp && !negative) || (Mode == Rounding::rm && negative);
    if (Mode == Rounding::rn) return {0x1p-126 - 0x1p-151, false}; // a tie rounds to even
    if (away) return {0x1p-126 - 0x1p-150, true};
    return {0x1p-126, false};
}

// Executes `row`, then flushes tiny results, which Function::was_tiny detects.
template <class Function, RowFunction row, int Sources, class Source = float>
void flush_tiny(const RowOperands& o, u32 active)
{
    alignas(64) u32 results[warp_lanes];
    RowOperands beside = o;
    beside.d = results;
    row(beside, full_mask);
    constexpr u32 smallest = FloatTraits<float>::smallest_normal;
    u32 at_edge = 0;
    for (int i = 0; i < warp_lanes; ++i)
        at_edge |= (results[i] & 0x7fffffffu) == smallest ? 1u : 0u;
    if (at_edge != 0) [[unlikely]] {
        const auto value = [](const void* source, int i) {
            return Coding<Source>::decode(words<Source>(source)[i]);
        };
        for (int i = 0; i < warp_lanes; ++i) {
            if ((results[i] & 0x7fffffffu) != smallest) continue;
            const float result = bits_as<float>(results[i]);
            bool tiny = false;
            if constexpr (Sources == 1)
                tiny = Function::was_tiny(result, value(o.a, i));
            else if constexpr (Sources == 2)
                tiny = Function::was_tiny(result, value(o.a, i), value(o.b, i));
            else
                tiny = Function::was_tiny(result, value(o.a, i), value(o.b, i), value(o.c, i));
            if (tiny) results[i] &= 0x80000000u;
        }
    }
    blend(words<u32>(o.d), results, active);
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
