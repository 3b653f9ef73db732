// The matrix of the SpMV lab in its formats. Each row averages some neighbouring pixels, so that
// the product with a picture is a picture again. The number of pixels differs from row to row.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "compute/experiment/inputs/parallel.h"
#include "compute/experiment/inputs/test_card.h"
#include "compute/experiment/record/named.h"

namespace lanescope::labs::spmv {
namespace {

constexpr int equal = 0; // values of the parameter "lengths"
constexpr int sorted = 2;
constexpr int few_long = 3;

// Row i has the entries starts[i] … starts[i + 1] - 1, in consecutive columns from first(i) on.
struct Matrix {
    std::vector<std::int32_t> starts;

    std::int64_t rows() const { return static_cast<std::int64_t>(starts.size()) - 1; }
    std::int64_t length(std::int64_t row) const { return starts[row + 1] - starts[row]; }
    // The row's pixels surround its own, except at the picture's edges.
    std::int64_t first_column(std::int64_t row) const
    {
        return std::clamp<std::int64_t>(row - length(row) / 2, 0, rows() - length(row));
    }
    float value(std::int64_t row) const { return 1.0F / static_cast<float>(length(row)); }
};

// At least 1. Scattered lengths are of the order of the mean for most rows, and up to nine
// times the mean for the others.
double wanted_length(int lengths, double mean, std::int64_t row, std::uint64_t stream)
{
    constexpr int period = 64; // one row in `period` is long
    if (lengths == equal) return mean;
    if (lengths == few_long) return mean / 2 + (row % period == 21 ? period / 2 * mean : 0);
    constexpr int power = 8; // its mean over [0, 1) is 1/9
    const double unit = scrambled_unit(stream + static_cast<std::uint64_t>(row));
    return 1 + (power + 1) * (mean - 1) * std::pow(unit, power);
}

Matrix make_matrix(const Scope& scope)
{
    const std::size_t rows = fitting_count({scope.count("rows")});
    const int lengths = scope.whole("lengths", equal, few_long);
    const int mean = scope.whole("mean", 1);
    const std::uint64_t stream = scramble(scope.seed());
    std::vector<std::int32_t> each(rows);
    for (std::size_t row = 0; row < rows; ++row)
        each[row] = static_cast<std::int32_t>(
            std::clamp(wanted_length(lengths, mean, static_cast<std::int64_t>(row), stream), 1.0,
                       static_cast<double>(rows)));
    if (lengths == sorted) std::ranges::sort(each, std::greater{});
    require_fit(std::accumulate(each.begin(), each.end(), std::int64_t{0}) <
                    (std::int64_t{1} << 31),
                "fewer than 2^31 entries");
    Matrix matrix{std::vector<std::int32_t>(rows + 1)};
    std::partial_sum(each.begin(), each.end(), matrix.starts.begin() + 1);
    return matrix;
}

const Matrix& matrix(const Scope& scope)
{
    return scope.kept<Matrix>("spmv_matrix", [&] { return make_matrix(scope); });
}

// Calls entry(row, i, column) for all entries.
template <class Entry>
void for_each_entry(const Matrix& of, Entry&& entry)
{
    in_parallel(static_cast<std::size_t>(of.rows()), [&](std::size_t begin, std::size_t end) {
        for (auto row = static_cast<std::int64_t>(begin); row < static_cast<std::int64_t>(end);
             ++row)
            for (std::int64_t k = 0; k < of.length(row); ++k)
                entry(row, of.starts[row] + k, of.first_column(row) + k);
    });
}

std::size_t entries(const Matrix& of)
{
    return static_cast<std::size_t>(of.starts.back());
}

std::int64_t longest(const Matrix& of)
{
    std::int64_t length = 0;
    for (std::int64_t row = 0; row < of.rows(); ++row) length = std::max(length, of.length(row));
    return length;
}

Data entry_rows(const Scope& scope, const FillRequest&)
{
    const Matrix& of = matrix(scope);
    std::vector<std::int32_t> all(entries(of));
    for_each_entry(of, [&](std::int64_t row, std::int64_t i, std::int64_t) {
        all[i] = static_cast<std::int32_t>(row);
    });
    return all;
}

// The row of each tile's first entry, then the last row.
Data first_rows(const Scope& scope, const FillRequest& request)
{
    const Matrix& of = matrix(scope);
    const std::size_t tiles = request.count() - 1;
    const std::size_t tile = scope.count("per_tile");
    require_fit(tiles * tile >= entries(of), "tiles for all entries");
    std::vector<std::int32_t> all(tiles + 1, static_cast<std::int32_t>(of.rows() - 1));
    for (std::size_t i = 0, row = 0; i < tiles; ++i) {
        while (row + 1 < static_cast<std::size_t>(of.rows()) &&
               of.starts[row + 1] <= static_cast<std::int64_t>(i * tile))
            ++row;
        all[i] = static_cast<std::int32_t>(row);
    }
    return all;
}

Data entry_columns(const Scope& scope, const FillRequest&)
{
    const Matrix& of = matrix(scope);
    std::vector<std::int32_t> all(entries(of));
    for_each_entry(of, [&](std::int64_t, std::int64_t i, std::int64_t column) {
        all[i] = static_cast<std::int32_t>(column);
    });
    return all;
}

Data entry_values(const Scope& scope, const FillRequest&)
{
    const Matrix& of = matrix(scope);
    std::vector<float> all(entries(of));
    for_each_entry(of,
                   [&](std::int64_t row, std::int64_t i, std::int64_t) { all[i] = of.value(row); });
    return all;
}

// Entry k of a row is at k * rows + row; the padding is 0 in column 0.
Data padded_columns(const Scope& scope, const FillRequest&)
{
    const Matrix& of = matrix(scope);
    std::vector<std::int32_t> all(
        fitting_count({scope.count("rows"), static_cast<std::size_t>(longest(of))}));
    for_each_entry(of, [&](std::int64_t row, std::int64_t i, std::int64_t column) {
        all[(i - of.starts[row]) * of.rows() + row] = static_cast<std::int32_t>(column);
    });
    return all;
}

Data padded_values(const Scope& scope, const FillRequest&)
{
    const Matrix& of = matrix(scope);
    std::vector<float> all(
        fitting_count({scope.count("rows"), static_cast<std::size_t>(longest(of))}));
    for_each_entry(of, [&](std::int64_t row, std::int64_t i, std::int64_t) {
        all[(i - of.starts[row]) * of.rows() + row] = of.value(row);
    });
    return all;
}

std::vector<double> product(const Scope& scope)
{
    const Matrix& of = matrix(scope);
    const auto x = scope.input_of<float>("x");
    require_fit(x.size() == static_cast<std::size_t>(of.rows()), "as many numbers in x as rows");
    std::vector<double> y(x.size());
    for_each_entry(of, [&](std::int64_t row, std::int64_t, std::int64_t column) {
        y[row] += static_cast<double>(of.value(row)) * x[column];
    });
    return y;
}

const Named<Fill> starts_fill{"spmv_starts", {[](const Scope& scope, const FillRequest&) -> Data {
                                  return matrix(scope).starts;
                              }}};
const Named<Fill> first_rows_fill{"spmv_first_rows", {first_rows}};
const Named<Fill> rows_fill{"spmv_rows", {entry_rows}};
const Named<Fill> columns_fill{"spmv_columns", {entry_columns}};
const Named<Fill> values_fill{"spmv_values", {entry_values}};
const Named<Fill> padded_columns_fill{"spmv_padded_columns", {padded_columns}};
const Named<Fill> padded_values_fill{"spmv_padded_values", {padded_values}};
const Named<Computed> entries_computed{"spmv_entries", {[](const Scope& scope) {
                                           return static_cast<double>(entries(matrix(scope)));
                                       }}};
const Named<Computed> longest_row{"spmv_longest", {[](const Scope& scope) {
                                      return static_cast<double>(longest(matrix(scope)));
                                  }}};
const Named<Reference> reference{"spmv", {.result = product}};

} // namespace
} // namespace lanescope::labs::spmv
