// Sums of products as tensor cores form them. An H200 adds all products of an instruction and the
// accumulator at once: each is cut off (not rounded) 25 bits below the largest of their exponents,
// the sum of these is exact, and it is cut off to f32 or rounded to nearest to f16. Products are
// not normalised before: the exponent of a product is the sum of its factors' exponents. Recordings
// of 128,000 sums for each kind of element are met bit for bit. Sums of f64 are chains of fma.
#pragma once

#include <array>
#include <cstdint>

#include "compute/simt/operations/matrix/fragment.h"

namespace lanescope::simt {

constexpr int max_products = 16; // of one sum of floating-point numbers

// A row of the first or a column of the second matrix, taken apart. What set() has not been called
// for is unset: an instruction has many of them.
struct Factors {
    std::array<std::int32_t, max_products> significand; // with its sign; 0 for what is not finite
    std::array<std::int32_t, max_products> exponent;    // of the unit of the leading digit
    std::array<double, max_products> real;              // its value, of bf16 and tf32 only
    std::array<std::uint32_t, max_products> bits;
    bool finite = true;

    // Floating-point elements other than f64.
    void set(int index, MatrixElement element, std::uint32_t bits);
};

// c + Σ a b of f16, bf16 or tf32, over `count` factors from `first` on; `accumulator` says what c
// and the result are: f32 or f16.
std::uint32_t sum_of_products(const Factors& a, const Factors& b, int first, int count,
                              MatrixElement element, std::uint32_t c, MatrixElement accumulator);

// The one value of an integer element of up to 8 bits.
std::int32_t integer_value(MatrixElement element, std::uint32_t bits);

} // namespace lanescope::simt
