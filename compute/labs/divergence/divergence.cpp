// Generators and references for the divergence record: items with different amounts of work, and
// plain loops as references.
#include <numeric>

#include "compute/experiment/inputs/test_card.h"
#include "compute/experiment/record/named.h"
#include "compute/labs/divergence/tasks.h"

namespace lanescope::labs::divergence {
namespace {

constexpr int max_side = 32768; // its square fits in an int
constexpr int max_work = 1 << 20;
constexpr int max_rounds = 1 << 24; // per item

int side(const Scope& scope)
{
    const int size = scope.whole("size", 1, max_side);
    fitting_count({scope.count("size"), scope.count("size")});
    return size;
}

std::vector<int> rounds(const Scope& scope)
{
    const int size = side(scope);
    return rounds_of_items(size * size, scope.whole("work", 0, max_work), scope.seed());
}

Items sorted(const Scope& scope)
{
    const int size = side(scope);
    return longest_first({test_card(size, size, scope.seed()), rounds(scope)});
}

// Options per element: `rounds`, how many it needs, and `grows`, true if its value grows.
std::vector<double> branches(const Scope& scope)
{
    std::vector<double> values = scope.each("from");
    const std::vector<double> rounds = scope.each("rounds");
    const std::vector<double> grows = scope.each("grows");
    for (std::size_t i = 0; i < values.size(); ++i) {
        require_fit(rounds[i] >= 0 && rounds[i] <= max_rounds, "at most 2^24 rounds of an item");
        values[i] = worked(values[i], static_cast<int>(rounds[i]), grows[i] != 0);
    }
    return values;
}

std::vector<double> iterations(const Scope& scope)
{
    const int size = side(scope);
    const int limit = scope.whole("limit", 0);
    const auto number = [&](const char* name) { return static_cast<float>(scope.number(name)); };
    const Window window{number("center_x"), number("center_y"), number("pixel")};
    std::vector<double> want(static_cast<std::size_t>(size) * size);
    for (int row = 0; row < size; ++row)
        for (int column = 0; column < size; ++column)
            want[static_cast<std::size_t>(row) * size + column] =
                mandelbrot(window, size, size, column, row, limit);
    return want;
}

std::vector<double> matrix_product(const Scope& scope)
{
    const std::size_t elements = fitting_count({scope.count("matrix"), scope.count("matrix")});
    const auto a = scope.input_of<float>("a");
    const auto b = scope.input_of<float>("b");
    require_fit(a.size() >= elements && b.size() >= elements,
                "matrices of matrix x matrix numbers");
    return product(a, b, scope.whole("matrix"));
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
