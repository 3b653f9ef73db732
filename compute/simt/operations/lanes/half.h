// Single f16 values: exact widening to f32, and rounding to nearest even. NaNs become a single f16
// NaN, as on the GPU.
#pragma once

#include <bit>
#include <cstdint>

namespace lanescope::simt {

// Multiplying by 2^112 corrects the exponent and normalises subnormals.
inline float widen_half(std::uint16_t half)
{
    const float scaled = std::bit_cast<float>((std::uint32_t{half} & 0x7fff) << 13) * 0x1p112f;
    const std::uint32_t special = (half & 0x7c00) == 0x7c00 ? 0x7f800000u : 0u;
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(scaled) | special) |
                                (std::uint32_t{half} & 0x8000) << 16);
}

inline std::uint16_t round_to_half(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    const std::uint32_t sign = bits >> 16 & 0x8000u;
    if (magnitude > 0x7f800000u) return 0x7fff;
    if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u); // 65520
    if (magnitude < 0x38800000u) { // below 2^-14: adding 0.5 rounds to multiples of 2^-24
        const float sum = std::bit_cast<float>(magnitude) + 0.5f;
        return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(sum) - 0x3f000000u));
    }
    const std::uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u);
    return static_cast<std::uint16_t>(sign | (rounded - 0x38000000u) >> 13);
}

// Exact conversion of FP8 to f16: e5m2 is the upper byte; e4m3 has a different bias and no
// infinity.
inline std::uint16_t widen_e5m2(std::uint32_t octet)
{
    return (octet & 0x7f) > 0x7c ? std::uint16_t{0x7fff} : static_cast<std::uint16_t>(octet << 8);
}

inline std::uint16_t widen_e4m3(std::uint32_t octet)
{
    const std::uint32_t size = octet & 0x7f;
    if (size == 0x7f) return 0x7fff;
    const std::uint32_t bits = size < 8 ? round_to_half(static_cast<float>(size) * 0x1p-9f)
                                        : (size << 7) + (std::uint32_t{15 - 7} << 10);
    return static_cast<std::uint16_t>(bits | (octet & 0x80) << 8);
}

} // namespace lanescope::simt
