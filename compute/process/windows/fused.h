// Fused multiply-add in integers: a * b + c with one rounding, in the processor's rounding mode.
// The C library of MinGW rounds twice and is wrong in up to a quarter of all cases.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace lanescope {

__extension__ using Wide = unsigned __int128;

// mantissa * 2^exponent; a nonzero mantissa has bit 125 set.
struct WideNumber {
    Wide mantissa = 0;
    int exponent = 0;
    bool is_negative = false;
};

inline int leading_zeros(Wide bits)
{
    const auto high = static_cast<std::uint64_t>(bits >> 64);
    return high != 0 ? std::countl_zero(high)
                     : 64 + std::countl_zero(static_cast<std::uint64_t>(bits));
}

// Shifts to the right. The last bit is set if any of those lost was.
inline Wide shifted(Wide bits, int places)
{
    if (places == 0) return bits;
    if (places > 127) return bits != 0;
    return bits >> places | ((bits << (128 - places)) != 0);
}

inline WideNumber normalised(Wide mantissa, int exponent, bool is_negative)
{
    if (mantissa == 0) return {0, exponent, is_negative};
    const int places = leading_zeros(mantissa) - 2;
    if (places < 0) return {shifted(mantissa, -places), exponent - places, is_negative};
    return {mantissa << places, exponent - places, is_negative};
}

// A finite number as an integer times a power of two.
inline std::uint64_t integer_of(double number, int& exponent)
{
    const auto bits = std::bit_cast<std::uint64_t>(number);
    constexpr std::uint64_t implicit = std::uint64_t{1} << 52;
    const int biased = static_cast<int>(bits >> 52 & 0x7ff);
    exponent = (biased == 0 ? 1 : biased) - 1075;
    return (bits & (implicit - 1)) | (biased == 0 ? 0 : implicit);
}

// Neither is zero. Bits lost are too far below the sum to matter for more than its last one.
inline WideNumber sum_of(WideNumber a, WideNumber b)
{
    if (a.exponent < b.exponent) std::swap(a, b);
    b.mantissa = shifted(b.mantissa, a.exponent - b.exponent);
    if (a.is_negative == b.is_negative)
        return normalised(a.mantissa + b.mantissa, a.exponent, a.is_negative);
    if (a.mantissa < b.mantissa)
        return normalised(b.mantissa - a.mantissa, a.exponent, b.is_negative);
    return normalised(a.mantissa - b.mantissa, a.exponent, a.is_negative);
}

inline double power_of_two(int exponent)
{
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// Rounds to T. Conversions and sums of T are the processor's, and so in its rounding mode.
template <class T>
T rounded(const WideNumber& exact)
{
    using Limits = std::numeric_limits<T>;
    const auto bits = static_cast<std::int64_t>(shifted(exact.mantissa, 63)); // bit 62 is set
    const int exponent = exact.exponent + 63;
    const T sign = exact.is_negative ? T(-1) : T(1);
    if (exponent + 62 >= Limits::min_exponent - 1) {
        const T units = static_cast<T>(exact.is_negative ? -bits : bits);
        // Two exact steps: the power may be larger than any number.
        const T first = units * static_cast<T>(power_of_two(-62));
        const int power = exponent + 62;
        const int max = Limits::max_exponent - 1;
        if (power <= max) return first * static_cast<T>(power_of_two(power));
        return first * static_cast<T>(power_of_two(max)) *
               static_cast<T>(power_of_two(power - max < max ? power - max : max));
    }
    // Subnormal: a number of steps, which a sum with the smallest number of step 1 rounds.
    const int lost = Limits::min_exponent - Limits::digits - exponent;
    constexpr int fraction_bits = Limits::digits - 4;
    const Wide lowest = lost > 64 ? 1 : static_cast<Wide>(bits); // below half a step: any will do
    const int places = lost > 64 ? 64 : lost;
    const auto steps = static_cast<std::int64_t>(lowest >> places);
    const auto fraction = static_cast<std::int64_t>(
        shifted((lowest & ((Wide{1} << places) - 1)) << fraction_bits, places));
    const T one_step = std::numeric_limits<T>::denorm_min();
    const T whole = sign * static_cast<T>(std::int64_t{1} << (Limits::digits - 1));
    T sum = whole + sign * static_cast<T>(steps);
    sum += sign * static_cast<T>(fraction) * static_cast<T>(power_of_two(-fraction_bits));
    return std::copysign((sum - whole) * one_step, sign);
}

// T is float or double.
template <class T>
T fused_in_integers(T a, T b, T c)
{
    if (a == 0 || b == 0 || !std::isfinite(a) || !std::isfinite(b)) return a * b + c;
    if (!std::isfinite(c)) return c + c; // a * b may overflow
    int of_a = 0;
    int of_b = 0;
    int of_c = 0;
    const std::uint64_t first = integer_of(a, of_a);
    const std::uint64_t second = integer_of(b, of_b);
    const std::uint64_t third = integer_of(c, of_c);
    const WideNumber product = normalised(static_cast<Wide>(first) * second, of_a + of_b,
                                          std::signbit(a) != std::signbit(b));
    if (third == 0) return rounded<T>(product);
    const WideNumber sum = sum_of(product, normalised(third, of_c, std::signbit(c)));
    // The sign of a difference of equal numbers depends on the rounding mode.
    if (sum.mantissa == 0) return c - c;
    return rounded<T>(sum);
}

} // namespace lanescope
