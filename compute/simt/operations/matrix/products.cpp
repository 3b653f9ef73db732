// All sums fit 64-bit fixed point; infinities and NaNs are handled separately.
#include "compute/simt/operations/matrix/products.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace lanescope::simt {

namespace {

struct Format {
    int exponent_bits;
    int fraction_bits;
    bool has_infinity = true; // otherwise only the largest number's code is a NaN

    constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    std::uint32_t infinity() const { return ((1u << exponent_bits) - 1u) << fraction_bits; }
    std::uint32_t nan() const { return (1u << (exponent_bits + fraction_bits)) - 1u; }
    std::uint32_t sign() const { return 1u << (exponent_bits + fraction_bits); }
};

constexpr Format format_of(MatrixElement element)
{
    switch (element) {
    case MatrixElement::f16: return {5, 10};
    case MatrixElement::bf16: return {8, 7};
    case MatrixElement::tf32: return {8, 10};
    case MatrixElement::e4m3: return {4, 3, false};
    case MatrixElement::e5m2: return {5, 2};
    default: return {8, 23};
    }
}

// The low 13 bits of a tf32 are ignored.
std::uint32_t packed(MatrixElement element, std::uint32_t bits)
{
    return element == MatrixElement::tf32 ? bits >> 13 : bits;
}

struct Number {
    std::int32_t significand = 0;
    std::int32_t exponent = 0;
    bool finite = true;
};

// Inlined for speed where the format is a constant.
inline Number decompose(const Format& format, std::uint32_t bits)
{
    const std::uint32_t fraction = bits & ((1u << format.fraction_bits) - 1u);
    const auto exponent =
        static_cast<int>(bits >> format.fraction_bits & ((1u << format.exponent_bits) - 1u));
    if (exponent == (1 << format.exponent_bits) - 1 &&
        (format.has_infinity || fraction == (1u << format.fraction_bits) - 1u))
        return {0, 0, false};
    const bool subnormal = exponent == 0;
    const auto size =
        static_cast<std::int32_t>(subnormal ? fraction : fraction | 1u << format.fraction_bits);
    // branchless, because signs are random.
    const std::int32_t sign = (bits & format.sign()) != 0 ? -1 : 0;
    return {(size ^ sign) - sign, std::max(exponent, 1) - format.bias(), true};
}

constexpr int no_exponent = -100000;

// Truncates a term with `fraction` fractional bits to the common unit of all terms, which is `kept`
// bits below the largest.
std::int64_t aligned(std::int64_t significand, int fraction, int below_largest, int kept)
{
    const std::int64_t size = std::abs(significand);
    const int shift = kept - fraction - below_largest;
    const std::int64_t cut = shift >= 0 ? size << shift : size >> std::min(-shift, 63);
    return significand < 0 ? -cut : cut;
}

// sum × 2^unit, truncated (f32) or rounded to nearest even (f16).
[[gnu::always_inline]] inline std::uint32_t pack_float(const Format& format, std::int64_t sum,
                                                       int unit, bool nearest)
{
    if (sum == 0) return 0;
    const std::uint32_t sign = sum < 0 ? format.sign() : 0u;
    const auto size = static_cast<std::uint64_t>(std::abs(sum));
    const int lowest = 1 - format.bias();
    const int exponent = std::max(static_cast<int>(std::bit_width(size)) - 1 + unit, lowest);
    const int drop = exponent - format.fraction_bits - unit;
    std::uint64_t digits = 0;
    if (drop <= 0) {
        digits = size << -drop;
    } else if (drop < 64) {
        digits = size >> drop;
        const std::uint64_t rest = size & ((std::uint64_t{1} << drop) - 1);
        const std::uint64_t half = std::uint64_t{1} << (drop - 1);
        if (nearest && (rest > half || (rest == half && (digits & 1) != 0))) ++digits;
    }
    if (digits == 0) return 0; // a sum that underflows becomes +0
    const bool normal = digits >> format.fraction_bits != 0;
    const std::uint64_t biased =
        normal ? static_cast<std::uint64_t>(exponent + format.bias() - 1) : std::uint64_t{0};
    const std::uint64_t bits = (biased << format.fraction_bits) + digits;
    return sign | static_cast<std::uint32_t>(std::min<std::uint64_t>(bits, format.infinity()));
}

// Same sum for finite bf16 or tf32 and f32. A product of two is exact in a double, as is scaling by
// a power of two; converting to an integer truncates.
template <int count>
std::uint32_t single_sum(const Factors& a, const Factors& b, int first, std::uint32_t c)
{
    constexpr Format single = format_of(MatrixElement::f32);
    const auto biased = static_cast<int>(c >> 23 & 0xff);
    std::array<double, count> products;
    int largest = c << 1 != 0 ? std::max(biased, 1) - single.bias() : no_exponent;
    for (int i = 0; i < count; ++i) {
        const auto k = static_cast<std::size_t>(first + i);
        products[i] = a.real[k] * b.real[k];
        largest = std::max(largest, products[i] != 0 ? a.exponent[k] + b.exponent[k] : no_exponent);
    }
    if (largest == no_exponent) return 0;
    const int unit = largest - kept_bits;
    const double scale = std::bit_cast<double>(static_cast<std::uint64_t>(1023 - unit) << 52);
    // A product is below 4 × 2^largest, so each truncated term fits in 32 bits; the sum may not.
    std::int64_t sum =
        static_cast<std::int32_t>(static_cast<double>(std::bit_cast<float>(c)) * scale);
    for (int i = 0; i < count; ++i) sum += static_cast<std::int32_t>(products[i] * scale);
    return pack_float(single, sum, unit, false);
}

enum class Kind : std::uint8_t { zero, number, infinity, nan };

Kind kind_of(const Format& format, std::uint32_t bits)
{
    const std::uint32_t size = bits & format.nan();
    if (!format.has_infinity)
        return size == format.nan() ? Kind::nan : size == 0 ? Kind::zero : Kind::number;
    if (size > format.infinity()) return Kind::nan;
    return size == 0 ? Kind::zero : size == format.infinity() ? Kind::infinity : Kind::number;
}

bool has_special(const Factors& factors, int first, int count, MatrixElement element)
{
    const Format format = format_of(element);
    for (int i = first; i < first + count; ++i)
        if (kind_of(format, packed(element, factors.bits[static_cast<std::size_t>(i)])) >=
            Kind::infinity)
            return true;
    return false;
}

// Sum with an infinite or NaN term: the infinity that all infinite terms share, otherwise a NaN.
std::uint32_t special_sum(const Factors& a, const Factors& b, int first, int count,
                          MatrixElement element, MatrixElement element_b, std::uint32_t c,
                          const Format& result)
{
    const Format format = format_of(element);
    const Format format_b = format_of(element_b);
    bool plus = false;
    bool minus = false;
    const Kind start = kind_of(result, c);
    if (start == Kind::nan) return result.nan();
    if (start == Kind::infinity) ((c & result.sign()) != 0 ? minus : plus) = true;
    for (int i = first; i < first + count; ++i) {
        const std::uint32_t x = packed(element, a.bits[static_cast<std::size_t>(i)]);
        const std::uint32_t y = packed(element_b, b.bits[static_cast<std::size_t>(i)]);
        const Kind p = kind_of(format, x);
        const Kind q = kind_of(format_b, y);
        if (p == Kind::nan || q == Kind::nan) return result.nan();
        if (p != Kind::infinity && q != Kind::infinity) continue;
        if (p == Kind::zero || q == Kind::zero) return result.nan();
        const bool negative = ((x & format.sign()) != 0) != ((y & format_b.sign()) != 0);
        (negative ? minus : plus) = true;
    }
    if (plus && minus) return result.nan();
    return minus ? result.infinity() | result.sign() : result.infinity();
}

// Sum of finite terms. `fraction`: fraction bits of a product; `kept`: as in aligned().
[[gnu::always_inline]] inline std::uint32_t finite_sum(const Factors& a, const Factors& b,
                                                       int first, int count, int fraction,
                                                       std::uint32_t c, const Format& accumulator,
                                                       int kept, const Format& result, bool nearest)
{
    const Number start = decompose(accumulator, c);
    std::array<std::int32_t, max_products> products;
    std::array<std::int32_t, max_products> exponents;
    int largest = start.significand != 0 ? start.exponent : no_exponent;
    for (int i = 0; i < count; ++i) {
        const auto k = static_cast<std::size_t>(first + i);
        products[i] = a.significand[k] * b.significand[k];
        exponents[i] = a.exponent[k] + b.exponent[k];
        largest = std::max(largest, products[i] != 0 ? exponents[i] : no_exponent);
    }
    if (largest == no_exponent) return 0;
    std::int64_t sum = 0; // zeros are skipped: their exponents may exceed `largest`
    if (start.significand != 0)
        sum = aligned(start.significand, accumulator.fraction_bits, largest - start.exponent, kept);
    for (int i = 0; i < count; ++i)
        if (products[i] != 0) sum += aligned(products[i], fraction, largest - exponents[i], kept);
    return pack_float(result, sum, largest - kept, nearest);
}

} // namespace

void Factors::set(int index, MatrixElement element, std::uint32_t value)
{
    const auto i = static_cast<std::size_t>(index);
    const auto number = [&] {
        switch (element) {
        case MatrixElement::f16: return decompose(format_of(MatrixElement::f16), value);
        case MatrixElement::bf16: return decompose(format_of(MatrixElement::bf16), value);
        case MatrixElement::tf32: return decompose(format_of(MatrixElement::tf32), value >> 13);
        case MatrixElement::e4m3: return decompose(format_of(MatrixElement::e4m3), value);
        case MatrixElement::e5m2: return decompose(format_of(MatrixElement::e5m2), value);
        default: return decompose(format_of(element), value);
        }
    }();
    significand[i] = number.significand;
    exponent[i] = number.exponent;
    bits[i] = value;
    if (element == MatrixElement::tf32 || element == MatrixElement::bf16)
        real[i] = static_cast<double>(
            std::bit_cast<float>(element == MatrixElement::tf32 ? value & ~0x1fffu : value << 16));
    finite = finite && number.finite;
}

std::uint32_t sum_of_products(const Factors& a, const Factors& b, int first, int count,
                              MatrixElement element, std::uint32_t c, MatrixElement accumulator)
{
    const bool single = element == MatrixElement::tf32 || element == MatrixElement::bf16;
    const bool finite = a.finite && b.finite;
    if (single && accumulator == MatrixElement::f32 && finite && (c >> 23 & 0xff) != 0xff) {
        if (count == 4) return single_sum<4>(a, b, first, c);
        if (count == 8) return single_sum<8>(a, b, first, c);
        if (count == 16) return single_sum<16>(a, b, first, c);
    }
    const Format result = format_of(accumulator);
    const bool starts_finite = decompose(result, c).finite;
    if (!starts_finite || (!finite && (has_special(a, first, count, element) ||
                                       has_special(b, first, count, element))))
        return special_sum(a, b, first, count, element, element, c, result);
    const int fraction = 2 * format_of(element).fraction_bits;
    return finite_sum(a, b, first, count, fraction, c, result, kept_bits, result,
                      accumulator == MatrixElement::f16);
}

std::uint32_t sum_of_fp8_products(const Factors& a, MatrixElement element_a, const Factors& b,
                                  MatrixElement element_b, int count, std::uint32_t c,
                                  MatrixElement accumulator)
{
    const Format result = format_of(accumulator);
    if (!a.finite || !b.finite || !decompose(result, c).finite)
        return special_sum(a, b, 0, count, element_a, element_b, c, result);
    const int fraction = format_of(element_a).fraction_bits + format_of(element_b).fraction_bits;
    if (accumulator == MatrixElement::f16)
        return finite_sum(a, b, 0, count, fraction, c, result, kept_bits_of_fp8, result, true);
    constexpr Format shorter{8, fraction_bits_of_fp8_sum};
    return finite_sum(a, b, 0, count, fraction, c, result, kept_bits_of_fp8, shorter, false)
           << (23 - fraction_bits_of_fp8_sum);
}

std::int32_t integer_value(MatrixElement element, std::uint32_t bits)
{
    switch (element) {
    case MatrixElement::s8: return static_cast<std::int8_t>(bits);
    case MatrixElement::s4: return static_cast<std::int32_t>(bits << 28) >> 28;
    default: return static_cast<std::int32_t>(bits);
    }
}

} // namespace lanescope::simt
