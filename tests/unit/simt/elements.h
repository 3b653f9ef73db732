// Types of matrix elements, and their bits, for references in double precision.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace lanescope::simt {

struct Element {
    const char* name;
    int bits;
    int exponent_bits; // 0: integer
    int fraction_bits;
};
constexpr Element f16{"f16", 16, 5, 10}, bf16{"bf16", 16, 8, 7}, tf32{"tf32", 32, 8, 23},
    f32{"f32", 32, 8, 23}, e4m3{"e4m3", 8, 4, 3}, e5m2{"e5m2", 8, 5, 2}, s8{"s8", 8, 0, 0},
    u8{"u8", 8, 0, 0}, s4{"s4", 4, 0, 0}, u4{"u4", 4, 0, 0}, b1{"b1", 1, 0, 0},
    s32{"s32", 32, 0, 0};

// Bits of a small integer; exact in every type.
inline std::uint32_t encoded(const Element& element, int value)
{
    const auto cut = [&](std::uint32_t bits) {
        return element.bits == 32 ? bits : bits & ((1u << element.bits) - 1u);
    };
    if (element.exponent_bits == 0) return cut(static_cast<std::uint32_t>(value));
    if (value == 0) return 0;
    const int size = std::abs(value);
    const int exponent = static_cast<int>(std::log2(size));
    const int bias = (1 << (element.exponent_bits - 1)) - 1;
    const auto fraction =
        static_cast<std::uint32_t>(std::lround(std::ldexp(size, element.fraction_bits - exponent)) -
                                   (std::int64_t{1} << element.fraction_bits));
    return static_cast<std::uint32_t>(value < 0)
               << (element.exponent_bits + element.fraction_bits) |
           static_cast<std::uint32_t>(exponent + bias) << element.fraction_bits | fraction;
}

inline double decoded(const Element& element, std::uint32_t bits)
{
    if (element.exponent_bits == 0) return static_cast<std::int32_t>(bits);
    const std::uint32_t top = (1u << element.exponent_bits) - 1u;
    const auto exponent = static_cast<int>(bits >> element.fraction_bits & top);
    const std::uint32_t fraction = bits & ((1u << element.fraction_bits) - 1u);
    const int bias = static_cast<int>(top / 2);
    const double size = exponent == 0 ? std::ldexp(fraction, 1 - bias - element.fraction_bits)
                                      : std::ldexp(fraction + (1u << element.fraction_bits),
                                                   exponent - bias - element.fraction_bits);
    return (bits >> (element.exponent_bits + element.fraction_bits) & 1u) != 0 ? -size : size;
}

} // namespace lanescope::simt
