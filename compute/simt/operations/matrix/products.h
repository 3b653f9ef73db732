// Sums of products as computed by tensor cores. An H200 adds all products of an instruction and the
// accumulator at once: each term is truncated (not rounded) 25 bits below the largest exponent, the
// terms are summed exactly, and the sum is truncated to f32 or rounded to nearest f16. Products are
// not normalised first: a product's exponent is the sum of its factors' exponents. Matches 128,000
// recorded sums per element type bit for bit. f64 sums are chains of fma. wgmma on FP8 keeps fewer
// bits, also of an f32 result.
#pragma once

#include <array>
#include <cstdint>

#include "compute/simt/operations/matrix/layout/fragment.h"

namespace lanescope::simt {

constexpr int max_products = 32; // per floating-point sum

// Bits kept below the leading bit of the largest term of a sum.
constexpr int kept_bits = 25;        // f16, bf16 and tf32
constexpr int kept_bits_of_fp8 = 13; // FP8 by wgmma
// Fraction bits of an f32 sum of FP8 products; the remaining ones are zero.
constexpr int fraction_bits_of_fp8_sum = 13;

// A row of the first matrix or a column of the second, unpacked. Elements are uninitialised until
// set(), to save time: an instruction has many of them.
struct Factors {
    std::array<std::int32_t, max_products> significand; // signed; 0 if not finite
    std::array<std::int32_t, max_products> exponent;    // exponent of the leading bit's position
    std::array<double, max_products> real;              // value; bf16 and tf32 only
    std::array<std::uint32_t, max_products> bits;
    bool finite = true;

    // Supports all floating-point elements except f64.
    void set(int index, MatrixElement element, std::uint32_t bits);
};

// c + Σ a·b for f16, bf16 or tf32, over `count` factors starting at `first`; `accumulator` is the
// type of c and of the result: f32 or f16.
std::uint32_t sum_of_products(const Factors& a, const Factors& b, int first, int count,
                              MatrixElement element, std::uint32_t c, MatrixElement accumulator);

// Same for FP8 elements as wgmma sums them; `accumulator` is f32 or f16.
std::uint32_t sum_of_fp8_products(const Factors& a, MatrixElement element_a, const Factors& b,
                                  MatrixElement element_b, int count, std::uint32_t c,
                                  MatrixElement accumulator);

// Value of an integer element of up to 8 bits.
std::int32_t integer_value(MatrixElement element, std::uint32_t bits);

} // namespace lanescope::simt
