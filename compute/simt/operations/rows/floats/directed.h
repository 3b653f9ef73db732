// Directed rounding of f32 on processors that only round to nearest, such as WebAssembly: results
// are computed in f64, exactly or at least on the correct side of every f32. On these processors
// the f64 rounding modes are refused.
#pragma once

#include "compute/simt/operations/rows/floats/halves.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

#ifdef __wasm__
constexpr bool has_rounding_modes = false;
#else
constexpr bool has_rounding_modes = true;
#endif

inline float next_float(float value, bool up)
{
    const u32 bits = bits_as<u32>(value);
    if (value == 0) return bits_as<float>(up ? 1u : 0x80000001u);
    const bool away = up == (sign_of(value) == 0);
    return bits_as<float>(away ? bits + 1 : bits - 1);
}

[[gnu::noinline]] inline float directed(double result, Rounding mode)
{
    const float nearest = static_cast<float>(result);
    const bool above = static_cast<double>(nearest) > result;
    const bool below = static_cast<double>(nearest) < result;
    const bool to_zero = mode == Rounding::rz;
    if (above && (mode == Rounding::rm || (to_zero && nearest > 0)))
        return next_float(nearest, false);
    if (below && (mode == Rounding::rp || (to_zero && nearest < 0)))
        return next_float(nearest, true);
    return nearest;
}

// A zero sum is negative when rounding down, unless neither term is negative.
inline double wide_sum(Rounding mode, double a, double b)
{
    const double sum = add_to_odd(a, b);
    return sum == 0 && mode == Rounding::rm ? with_sign(sum, sign_of(a) | sign_of(b)) : sum;
}

// The exact integer, or its value rounded to odd.
inline double wide_integer(s32 a)
{
    return a;
}
inline double wide_integer(u32 a)
{
    return a;
}
inline double wide_integer(s64 a)
{
    return add_to_odd(static_cast<double>(a >> 32) * 0x1p32,
                      static_cast<double>(static_cast<u32>(a)));
}
inline double wide_integer(u64 a)
{
    return add_to_odd(static_cast<double>(static_cast<u32>(a >> 32)) * 0x1p32,
                      static_cast<double>(static_cast<u32>(a)));
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
