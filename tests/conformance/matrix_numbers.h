// Numbers for matrix products, of ten kinds that reveal how sums are formed; and text that the
// kernels of these cases share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tests/conformance/case.h"

namespace lanescope::conformance {

constexpr std::uint32_t kinds_of_numbers = 10;

struct Format {
    int exponent_bits = 0; // 0 for integers
    int fraction_bits = 0;
    int bits() const
    {
        if (exponent_bits == 0 || exponent_bits + fraction_bits == 7) return 8;
        return fraction_bits == 23 ? 32 : fraction_bits == 52 ? 64 : 16;
    }
};
constexpr Format f16{5, 10}, bf16{8, 7}, f32{8, 23}, f64{11, 52}, e4m3{4, 3}, e5m2{5, 2}, integer{};

constexpr std::uint64_t usual_seed = 43;

// Bytes of `count` × `times` numbers: a tenth of `count` of each kind in turn.
// Returns the first `wanted` of them.
Bytes numbers(Format format, std::size_t count, bool accumulator, bool is_s32 = false,
              std::uint32_t times = 1, std::uint64_t seed = usual_seed,
              std::size_t wanted = ~std::size_t{0});

// "{%a0, %a1}".
std::string register_list(char name, int count);
// Loads or stores `count` consecutive registers of this thread: PTX that uses %p and %i.
std::string transfer(std::string_view verb, std::string_view parameter, char name, int count,
                     int bytes);

} // namespace lanescope::conformance
