// Generators and references for divergence's record: work of different length, and plain loops as
// the reference.
#include <numeric>

#include "compute/labs/divergence/tasks.h"
#include "compute/labs/record/named.h"
#include "compute/labs/test_card.h"

namespace lanescope::labs::divergence {
namespace {

std::vector<int> rounds(const Scope& scope)
{
    return rounds_of_items(scope.whole("size") * scope.whole("size"), scope.whole("work"),
                           scope.seed());
}

Items sorted(const Scope& scope)
{
    const int size = scope.whole("size");
    return longest_first({test_card(size, size, scope.seed()), rounds(scope)});
}

// Options: `rounds` of element i, and whether it `grows`.
std::vector<double> branches(const Scope& scope)
{
    std::vector<double> values = scope.each("from");
    const std::vector<double> rounds = scope.each("rounds");
    const std::vector<double> grows = scope.each("grows");
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = worked(values[i], static_cast<int>(rounds[i]), grows[i] != 0);
    return values;
}

std::vector<double> iterations(const Scope& scope)
{
    const int size = scope.whole("size");
    const auto number = [&](const char* name) { return static_cast<float>(scope.number(name)); };
    const Window window{number("center_x"), number("center_y"), number("pixel")};
    std::vector<double> want(static_cast<std::size_t>(size) * size);
    for (int row = 0; row < size; ++row)
        for (int column = 0; column < size; ++column)
            want[static_cast<std::size_t>(row) * size + column] =
                mandelbrot(window, size, size, column, row, scope.whole("limit"));
    return want;
}

std::vector<double> matrix_product(const Scope& scope)
{
    return product(scope.input_of<float>("a"), scope.input_of<float>("b"), scope.whole("matrix"));
}

const Named<Fill> rounds_fill{
    "divergence_rounds",
    {[](const Scope& scope, const FillRequest&) -> Data { return rounds(scope); }}};
const Named<Fill> sorted_values{
    "divergence_sorted_values",
    {[](const Scope& scope, const FillRequest&) -> Data { return sorted(scope).values; }}};
const Named<Fill> sorted_rounds{
    "divergence_sorted_rounds",
    {[](const Scope& scope, const FillRequest&) -> Data { return sorted(scope).rounds; }}};
const Named<Computed> total_rounds{"divergence_total_rounds", {[](const Scope& scope) {
                                       const auto all = rounds(scope);
                                       return std::accumulate(all.begin(), all.end(), 0.0);
                                   }}};
const Named<Reference> branches_reference{"divergence_branches", {.result = branches}};
const Named<Reference> mandelbrot_reference{"divergence_mandelbrot", {.result = iterations}};
const Named<Reference> product_reference{"divergence_product", {.result = matrix_product}};

} // namespace
} // namespace lanescope::labs::divergence
