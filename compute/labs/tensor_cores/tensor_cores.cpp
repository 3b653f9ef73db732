// Generators and the check of the record tensor_cores: A and B rounded to the chosen format, the
// product before any rounding, and sums of the rounded numbers in double precision.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compute/experiment/inputs/drawings.h"
#include "compute/experiment/inputs/parallel.h"
#include "compute/experiment/inputs/test_card.h"
#include "compute/experiment/record/named.h"

namespace lanescope::labs::tensor_cores {
namespace {

constexpr std::size_t max_products = std::size_t{1} << 28; // takes a second or two

// A floating-point format. Numbers are at most 2 here, so that no format overflows.
struct Format {
    std::size_t bytes;
    int exponent_bits;
    int mantissa_bits;

    int min_exponent() const { return 2 - (1 << (exponent_bits - 1)); }
};
constexpr Format formats[] = {{2, 8, 7}, {2, 5, 10}, {4, 8, 10}, {1, 4, 3}}; // bf16 f16 tf32 e4m3

const Format& format_of(const Scope& scope)
{
    return formats[scope.whole("format", 0, static_cast<int>(std::size(formats)) - 1)];
}

// The nearest number of the format, as its bits; ties go to even. tf32 has the bits of a float
// whose last 13 are 0.
std::uint32_t encoded(const Format& format, float number)
{
    const float size = std::abs(number);
    const int exponent =
        size == 0 ? format.min_exponent() : std::max(std::ilogb(size), format.min_exponent());
    const auto units = static_cast<std::uint32_t>(
        std::nearbyint(std::ldexp(size, format.mantissa_bits - exponent)));
    // The leading 1 of a normal number is not stored: the sum carries it into the exponent field.
    const auto field = static_cast<std::uint32_t>(exponent - format.min_exponent());
    const std::uint32_t bits = (field << format.mantissa_bits) + units;
    const std::uint32_t sign = std::signbit(number) ? 1 : 0;
    const int all_bits = 1 + format.exponent_bits + format.mantissa_bits;
    return (sign << (all_bits - 1) | bits) << (static_cast<int>(8 * format.bytes) - all_bits);
}

float decoded(const Format& format, std::uint32_t bits)
{
    const int all_bits = 1 + format.exponent_bits + format.mantissa_bits;
    bits >>= static_cast<int>(8 * format.bytes) - all_bits;
    const std::uint32_t mantissa = bits & ((1u << format.mantissa_bits) - 1);
    const std::uint32_t field = bits >> format.mantissa_bits & ((1u << format.exponent_bits) - 1);
    const std::uint32_t units = field == 0 ? mantissa : mantissa + (1u << format.mantissa_bits);
    const int exponent = static_cast<int>(std::max(field, 1u)) - 1 + format.min_exponent();
    const float size = std::ldexp(static_cast<float>(units), exponent - format.mantissa_bits);
    return (bits >> (all_bits - 1) & 1) != 0 ? -size : size;
}

// A, rows x k: a drawing.
std::vector<float> numbers_of_a(const Scope& scope)
{
    return drawn(drawing_named("lighthouse"), scope.whole("k", 1), scope.whole("rows", 1),
                 scope.seed());
}

// B by columns, columns x k: ones where the column is k, and noise whose sums stay weaker than the
// drawing, so that C is the drawing again.
float number_of_b(std::uint64_t stream, float weak, std::size_t column, std::size_t k,
                  std::size_t depth)
{
    const auto noise = static_cast<float>(2 * scrambled_unit(stream + column * depth + k) - 1);
    return (column == k ? 1.0F : 0.0F) + weak * noise;
}

std::vector<float> numbers_of_b(const Scope& scope)
{
    const std::size_t columns = scope.count("columns"), depth = scope.count("k");
    const auto weak = static_cast<float>(0.1 / std::sqrt(static_cast<double>(depth)));
    const std::uint64_t stream = scramble(scramble(scope.seed()));
    std::vector<float> all(fitting_count({columns, depth}));
    in_parallel(
        columns,
        [&](std::size_t column, std::size_t end) {
            for (; column < end; ++column)
                for (std::size_t k = 0; k < depth; ++k)
                    all[column * depth + k] = number_of_b(stream, weak, column, k, depth);
        },
        16);
    return all;
}

Data encoded(const Scope& scope, const std::vector<float>& numbers)
{
    const Format& format = format_of(scope);
    std::vector<std::uint8_t> bytes(numbers.size() * format.bytes);
    in_parallel(numbers.size(), [&](std::size_t i, std::size_t end) {
        for (; i < end; ++i) {
            const std::uint32_t bits = encoded(format, numbers[i]);
            for (std::size_t byte = 0; byte < format.bytes; ++byte)
                bytes[i * format.bytes + byte] = static_cast<std::uint8_t>(bits >> 8 * byte);
        }
    });
    return bytes;
}

std::vector<float> decoded(const Format& format, std::span<const std::byte> bytes)
{
    std::vector<float> numbers(bytes.size() / format.bytes);
    in_parallel(numbers.size(), [&](std::size_t i, std::size_t end) {
        for (; i < end; ++i) {
            std::uint32_t bits = 0;
            for (std::size_t byte = 0; byte < format.bytes; ++byte)
                bits |= std::to_integer<std::uint32_t>(bytes[i * format.bytes + byte]) << 8 * byte;
            numbers[i] = decoded(format, bits);
        }
    });
    return numbers;
}

// One element of the product in double precision.
double element(std::span<const float> a, std::span<const float> b, std::size_t row,
               std::size_t column, std::size_t depth)
{
    double sum = 0;
    for (std::size_t k = 0; k < depth; ++k)
        sum += static_cast<double>(a[row * depth + k]) * b[column * depth + k];
    return sum;
}

// The first rows of the product of the numbers before they were rounded.
Data exact(const Scope& scope, const FillRequest& request)
{
    require_fit(request.extents.size() >= 2, "two extents");
    const std::size_t columns = scope.count("columns"), depth = scope.count("k");
    const auto rows = static_cast<std::size_t>(request.extents[1]);
    require_fit(static_cast<std::size_t>(request.extents[0]) == columns &&
                    rows <= scope.count("rows"),
                "extents of columns x at most rows");
    const std::vector<float> a = numbers_of_a(scope), b = numbers_of_b(scope);
    std::vector<float> all(fitting_count({rows, columns}));
    in_parallel(
        rows,
        [&](std::size_t row, std::size_t end) {
            for (; row < end; ++row)
                for (std::size_t column = 0; column < columns; ++column)
                    all[row * columns + column] =
                        static_cast<float>(element(a, b, row, column, depth));
        },
        1);
    return all;
}

// In large products only a sample of the elements is checked, since checking all would take hours.
Check check(const Scope& scope, std::span<const std::byte> bytes, double tolerance)
{
    const std::size_t rows = scope.count("rows"), columns = scope.count("columns");
    const std::size_t depth = static_cast<std::size_t>(scope.whole("k", 1));
    const Data a_data = scope.input("a"), b_data = scope.input("b");
    const std::vector<float> a = decoded(format_of(scope), a_data.bytes());
    const std::vector<float> b = decoded(format_of(scope), b_data.bytes());
    const std::size_t elements = fitting_count({rows, columns});
    require_fit(a.size() >= fitting_count({rows, depth}) &&
                    b.size() >= fitting_count({columns, depth}) &&
                    bytes.size() / sizeof(float) >= elements,
                "a of k x rows, b of k x columns and a result of columns x rows numbers");
    const auto* got = reinterpret_cast<const float*>(bytes.data());

    const std::size_t checked = std::min(elements, std::max<std::size_t>(1, max_products / depth));
    const std::uint64_t stream = scramble(scope.seed());
    const auto place = [&](std::size_t i) {
        return checked == elements ? i : scramble(stream + i) % elements;
    };
    std::vector<double> errors(checked);
    in_parallel(
        checked,
        [&](std::size_t i, std::size_t end) {
            for (; i < end; ++i) {
                const std::size_t at = place(i);
                errors[i] = std::abs(got[at] - element(a, b, at / columns, at % columns, depth));
            }
        },
        256);

    Check result{.tolerance = tolerance, .correct = true};
    for (std::size_t i = 0; i < checked; ++i) {
        if (errors[i] <= result.max_error) continue;
        result.max_error = errors[i];
        if (errors[i] <= tolerance) continue; // false for NaN, which thus fails
        result.correct = false;
        result.message =
            fmt::format("column {} of row {} is {}, which is wrong by {}", place(i) % columns,
                        place(i) / columns, got[place(i)], errors[i]);
        if (std::isnan(errors[i])) break;
    }
    return result;
}

const Named<Fill> fill_a{"tensor_cores_a", {[](const Scope& scope, const FillRequest&) {
                             return encoded(scope, numbers_of_a(scope));
                         }}};
const Named<Fill> fill_b{"tensor_cores_b", {[](const Scope& scope, const FillRequest&) {
                             return encoded(scope, numbers_of_b(scope));
                         }}};
const Named<Fill> fill_exact{"tensor_cores_exact", {exact}};
const Named<Reference> reference{"tensor_cores", {.check = check}};

} // namespace
} // namespace lanescope::labs::tensor_cores
