// Inputs and reference of the attention lab. A token is a strip of 64 pixels in a row of a noisy
// picture. Similar strips have similar keys, so attention averages each strip with those that
// resemble it, which removes noise.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "compute/experiment/inputs/drawings.h"
#include "compute/experiment/inputs/parallel.h"
#include "compute/experiment/inputs/test_card.h"
#include "compute/experiment/record/named.h"

namespace lanescope::labs::attention {
namespace {

constexpr std::size_t depth = 64;    // numbers per token and head
constexpr std::size_t compared = 60; // pixels of a strip, from its third on, that form its key
constexpr ElementType half{Element::f16, 2};

// Noise of a normal distribution, from two uniform numbers.
double noise(std::uint64_t stream, std::size_t i)
{
    const double radius = std::sqrt(-2 * std::log(1 - scrambled_unit(stream + 2 * i)));
    return radius * std::cos(6.283185307179586 * scrambled_unit(stream + 2 * i + 1));
}

// The noisy pictures of all heads, token after token. All heads draw the same with other noise.
std::vector<float> make_strips(const Scope& scope)
{
    const std::size_t tokens = scope.count("tokens");
    const std::size_t heads = scope.count("heads");
    const int strips = scope.whole("strips", 1); // tokens per row of the picture
    const auto rows = static_cast<int>((tokens + strips - 1) / strips);
    fitting_count({tokens, heads, depth});
    const std::vector<float> clean =
        drawn(drawing_named("lighthouse"), static_cast<int>(depth) * strips, rows, scope.seed());
    const double deviation = scope.number("noise");
    const std::uint64_t stream = scramble(scramble(scope.seed()));
    std::vector<float> all(heads * tokens * depth);
    in_parallel(heads * tokens, [&](std::size_t i, std::size_t end) {
        for (i *= depth, end *= depth; i < end; ++i)
            all[i] = static_cast<float>(clean[i % (tokens * depth)] + deviation * noise(stream, i));
    });
    return all;
}

const std::vector<float>& strips(const Scope& scope)
{
    return scope.kept<std::vector<float>>("attention_strips", [&] { return make_strips(scope); });
}

// A strip as numbers: 60 pixels and its place. The product of a query (numbers, 1) and a key
// (numbers, -half_square) is minus half the squared distance of two strips, apart from a term that
// is the same for all keys. `root` makes up for the division of scores by the root of the depth.
struct Features {
    std::array<double, compared + 2> numbers{};
    double half_square = 0;
};

// `column` and `line` are the strip's place in the picture.
Features features(const float* pixels, std::size_t column, std::size_t line)
{
    const double root = std::sqrt(std::sqrt(static_cast<double>(depth)));
    Features found;
    for (std::size_t i = 0; i < compared; ++i) found.numbers[i] = root * (pixels[i + 2] - 0.5);
    found.numbers[compared] = root * 0.5 * static_cast<double>(column);
    found.numbers[compared + 1] = root * 0.02 * static_cast<double>(line);
    for (const double number : found.numbers) found.half_square += number * number / 2;
    return found;
}

// Calls number(features, i) for all 64 numbers of every token of every head.
template <class Number>
Data each_token(const Scope& scope, const FillRequest& request, Number&& number)
{
    const std::size_t rows = scope.count("tokens") * scope.count("heads");
    require_fit(request.count() == fitting_count({rows, depth}), "64 numbers per token and head");
    std::vector<float> all(rows * depth);
    const float* pixels = strips(scope).data();
    const std::size_t tokens = scope.count("tokens");
    const auto per_line = static_cast<std::size_t>(scope.whole("strips", 1));
    in_parallel(rows, [&](std::size_t row, std::size_t end) {
        for (; row < end; ++row) {
            const std::size_t token = row % tokens;
            const Features found =
                features(pixels + row * depth, token % per_line, token / per_line);
            for (std::size_t i = 0; i < depth; ++i)
                all[row * depth + i] = static_cast<float>(number(found, i));
        }
    });
    return as_elements(request.type, std::move(all));
}

Data queries(const Scope& scope, const FillRequest& request)
{
    const double temperature = scope.number("temperature");
    return each_token(scope, request, [&](const Features& found, std::size_t i) {
        if (i < found.numbers.size()) return found.numbers[i] / temperature;
        return i == found.numbers.size() ? 1 / temperature : 0;
    });
}

Data keys(const Scope& scope, const FillRequest& request)
{
    return each_token(scope, request, [](const Features& found, std::size_t i) {
        if (i < found.numbers.size()) return found.numbers[i];
        return i == found.numbers.size() ? -found.half_square : 0;
    });
}

Data values(const Scope& scope, const FillRequest& request)
{
    require_fit(request.count() == strips(scope).size(), "64 numbers per token and head");
    return as_elements(request.type, strips(scope));
}

std::vector<double> halves(const Scope& scope, std::string_view buffer, std::size_t count)
{
    const Data data = scope.input(buffer);
    require_fit(data.bytes().size() >= count * half.bytes,
                "queries, keys and values of 64 halves per token and head");
    std::vector<double> numbers(count);
    in_parallel(count, [&](std::size_t i, std::size_t end) {
        for (; i < end; ++i) numbers[i] = element_at(half, data.bytes(), i);
    });
    return numbers;
}

// One row of the result: the mean of `tokens` values, weighted by the softmax of the scores.
std::array<double, depth> attend(const double* query, const double* keys, const double* values,
                                 std::size_t tokens)
{
    std::vector<double> weights(tokens);
    for (std::size_t key = 0; key < tokens; ++key)
        weights[key] = std::inner_product(query, query + depth, keys + key * depth, 0.0) /
                       std::sqrt(static_cast<double>(depth));
    const double max = *std::ranges::max_element(weights);
    double sum = 0;
    for (double& weight : weights) sum += weight = std::exp(weight - max);
    std::array<double, depth> row{};
    for (std::size_t key = 0; key < tokens; ++key)
        for (std::size_t i = 0; i < depth; ++i)
            row[i] += weights[key] / sum * values[key * depth + i];
    return row;
}

// Checks all rows, or in long sequences as many random ones as take a second or two.
Check check(const Scope& scope, std::span<const std::byte> bytes, double tolerance)
{
    constexpr std::size_t max_products = std::size_t{1} << 28;
    const std::size_t tokens = scope.count("tokens");
    const std::size_t rows = fitting_count({tokens, scope.count("heads")});
    const bool causal = scope.number("causal") != 0;
    require_fit(bytes.size() >= rows * depth * sizeof(float), "64 floats per token and head");
    const std::vector<double> q = halves(scope, "queries", rows * depth);
    const std::vector<double> k = halves(scope, "keys", rows * depth);
    const std::vector<double> v = halves(scope, "values", rows * depth);
    const auto* got = reinterpret_cast<const float*>(bytes.data());

    const std::size_t checked =
        std::min(rows, std::max<std::size_t>(1, max_products / (2 * depth * tokens)));
    const std::uint64_t stream = scramble(scope.seed());
    const auto checked_row = [&](std::size_t i) {
        return checked == rows ? i : scramble(stream + i) % rows;
    };
    std::vector<std::array<double, depth>> right(checked);
    in_parallel(checked, [&](std::size_t i, std::size_t end) {
        for (; i < end; ++i) {
            const std::size_t row = checked_row(i);
            const std::size_t head = row / tokens * tokens * depth;
            right[i] = attend(q.data() + row * depth, k.data() + head, v.data() + head,
                              causal ? row % tokens + 1 : tokens);
        }
    });

    Check result{.tolerance = tolerance, .correct = true};
    for (std::size_t i = 0; i < checked * depth; ++i) {
        const std::size_t at = checked_row(i / depth) * depth + i % depth;
        const double want = right[i / depth][i % depth];
        const double error = std::abs(got[at] - want);
        if (error <= result.max_error) continue;
        result.max_error = error;
        if (error <= tolerance) continue; // false for NaN, which thus fails
        result.correct = false;
        result.message = fmt::format("Number {} of token {} is {}, the reference says {}.",
                                     i % depth, at / depth, got[at], want);
        if (std::isnan(error)) break;
    }
    return result;
}

const Named<Fill> queries_fill{"attention_queries", {queries}};
const Named<Fill> keys_fill{"attention_keys", {keys}};
const Named<Fill> values_fill{"attention_values", {values}};
const Named<Reference> reference{"attention", {.check = check}};

} // namespace
} // namespace lanescope::labs::attention
