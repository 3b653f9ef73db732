// Generators and checks for the matmul record: B, chosen so that its product with the drawing is
// the drawing again with noise, and sums in double precision. In large products only a sample of
// elements is checked, since checking all would take hours.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compute/experiment/inputs/parallel.h"
#include "compute/experiment/inputs/test_card.h"
#include "compute/experiment/record/named.h"

namespace lanescope::labs::matmul {
namespace {

constexpr std::size_t max_products = std::size_t{1} << 28; // takes a second or two

// Ones on the diagonal plus noise, weak enough for its sums to stay below the drawing's contrast.
Data grain(const Scope& scope, const FillRequest& request)
{
    require_fit(request.extents.size() >= 2, "two extents");
    const auto columns = static_cast<std::size_t>(request.extents.at(0));
    const auto rows = static_cast<std::size_t>(request.extents.at(1));
    const double weak = 0.5 / std::sqrt(static_cast<double>(rows));
    const std::uint64_t stream = scramble(scramble(scope.seed()));
    std::vector<float> all(columns * rows);
    in_parallel(
        rows,
        [&](std::size_t row, std::size_t end) {
            for (; row < end; ++row)
                for (std::size_t column = 0; column < columns; ++column) {
                    const std::size_t i = row * columns + column;
                    const double noise = weak * (2 * scrambled_unit(stream + i) - 1);
                    all[i] = static_cast<float>(noise + (row == column ? 1 : 0));
                }
        },
        256);
    return all;
}

Check check(const Scope& scope, std::span<const std::byte> bytes, double tolerance)
{
    const std::size_t rows = scope.count("rows");
    const std::size_t columns = scope.count("size");
    const std::size_t depth = static_cast<std::size_t>(scope.whole("k", 1));
    // If the product is computed in bands, one per step, rows not computed yet are 0.
    const double filled = scope.number("steps") * scope.number("band");
    const Data a_data = scope.input("a");
    const Data b_data = scope.input("b");
    const auto holds = [](std::span<const std::byte> bytes_of, std::size_t numbers) {
        return bytes_of.size() / sizeof(float) >= numbers;
    };
    require_fit(holds(a_data.bytes(), fitting_count({rows, depth})) &&
                    holds(b_data.bytes(), fitting_count({depth, columns})) &&
                    holds(bytes, fitting_count({rows, columns})),
                "a of rows x k, b of k x size and a result of rows x size numbers");
    const auto* a = reinterpret_cast<const float*>(a_data.bytes().data());
    const auto* b = reinterpret_cast<const float*>(b_data.bytes().data());
    const auto* got = reinterpret_cast<const float*>(bytes.data());

    const std::size_t elements = rows * columns;
    const std::size_t checked = std::min(elements, std::max<std::size_t>(1, max_products / depth));
    const std::uint64_t stream = scramble(scope.seed());
    std::vector<double> errors(checked);
    const auto element = [&](std::size_t i) {
        return checked == elements ? i : scramble(stream + i) % elements;
    };
    in_parallel(checked, [&](std::size_t i, std::size_t end) {
        for (; i < end; ++i) {
            const std::size_t at = element(i);
            const std::size_t row = at / columns;
            double sum = 0;
            if (static_cast<double>(row) < filled)
                for (std::size_t k = 0; k < depth; ++k)
                    sum += static_cast<double>(a[row * depth + k]) * b[k * columns + at % columns];
            errors[i] = std::abs(got[at] - sum);
        }
    });

    Check result{.tolerance = tolerance, .correct = true};
    for (std::size_t i = 0; i < checked; ++i) {
        if (errors[i] <= result.max_error) continue;
        result.max_error = errors[i];
        if (errors[i] <= tolerance) continue; // false for NaN, which thus fails
        const std::size_t at = element(i);
        result.correct = false;
        result.message = fmt::format("column {} of row {} is {}, which is wrong by {}",
                                     at % columns, at / columns, got[at], errors[i]);
        if (std::isnan(errors[i])) break;
    }
    return result;
}

const Named<Fill> grain_fill{"matmul_grain", {grain}};
const Named<Reference> reference{"matmul", {.check = check}};

} // namespace
} // namespace lanescope::labs::matmul
