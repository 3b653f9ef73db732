// Transcendental functions of f32 values, computed in f64 by short series: far closer than the
// manual's bounds, the same on every processor (no library, no fused operations) and free of
// branches.
#pragma once

#include "compute/simt/operations/rows/floats.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

// Adding and subtracting it rounds a double of less than 2^51 to the nearest integer.
constexpr double to_integer = 6755399441055744.0; // 1.5 * 2^52

// 2^x for finite x or infinities; beyond +-1000 it is as good as infinity or zero for f32.
inline double exp2_series(double x)
{
    x = x < 1000.0 ? x : 1000.0;
    x = x > -1000.0 ? x : -1000.0;
    const double shifted = x + to_integer;
    const double y = (x - (shifted - to_integer)) * 0.69314718055994530942;
    double sum = 1.0 / 39916800;
    sum = sum * y + 1.0 / 3628800;
    sum = sum * y + 1.0 / 362880;
    sum = sum * y + 1.0 / 40320;
    sum = sum * y + 1.0 / 5040;
    sum = sum * y + 1.0 / 720;
    sum = sum * y + 1.0 / 120;
    sum = sum * y + 1.0 / 24;
    sum = sum * y + 1.0 / 6;
    sum = sum * y + 0.5;
    sum = sum * y + 1.0;
    sum = sum * y + 1.0;
    // The low bits of `shifted` hold the integer.
    const u64 power = (bits_as<u64>(shifted) + 1023) << 52;
    return sum * bits_as<double>(power);
}

// log2 of a positive normal double: of the mantissa between sqrt(1/2) and sqrt(2) by the series of
// atanh.
inline double log2_series(double x)
{
    const u64 bits = bits_as<u64>(x);
    const u64 above_root = bits + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
    const u64 exponent = above_root >> 52;
    const double m = bits_as<double>(bits - ((exponent - 1023) << 52));
    // The exponent becomes a double by its bits: exact, and in every instruction set.
    const double e =
        bits_as<double>(exponent | 0x4330000000000000u) - (4503599627370496.0 + 1023.0);
    const double s = (m - 1.0) / (m + 1.0);
    const double t = s * s;
    double sum = 1.0 / 17;
    sum = sum * t + 1.0 / 15;
    sum = sum * t + 1.0 / 13;
    sum = sum * t + 1.0 / 11;
    sum = sum * t + 1.0 / 9;
    sum = sum * t + 1.0 / 7;
    sum = sum * t + 1.0 / 5;
    sum = sum * t + 1.0 / 3;
    sum = sum * t + 1.0;
    return e + sum * s * 2.88539008177792681472; // 2 / ln 2
}

// sin(2 pi t) for |t| < 2^50.
inline double sin_of_turns(double t)
{
    const double r = t - ((t + to_integer) - to_integer); // -0.5 … 0.5
    const double folded = r > 0.25 ? 0.5 - r : r < -0.25 ? -0.5 - r : r;
    const double x = folded * 6.28318530717958647693;
    const double y = x * x;
    double sum = -1.0 / 1307674368000;
    sum = sum * y + 1.0 / 6227020800;
    sum = sum * y - 1.0 / 39916800;
    sum = sum * y + 1.0 / 362880;
    sum = sum * y - 1.0 / 5040;
    sum = sum * y + 1.0 / 120;
    sum = sum * y - 1.0 / 6;
    return x * (1.0 + y * sum); // keeps the sign of a zero
}

inline double tanh_series(double x)
{
    const double e = exp2_series(x * 2.88539008177792681472); // e^(2x)
    const double value = 1.0 - 2.0 / (e + 1.0);
    return (x < 0 ? -x : x) < 1e-4 ? x : value;
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
