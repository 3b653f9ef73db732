// Looking up what the labs registered, and the fills that any record may use.
#include "compute/labs/record/named.h"

#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "compute/labs/parallel.h"
#include "compute/labs/test_card.h"

namespace lanescope::labs {
namespace {

template <class T>
const T& find_named(std::string_view what, std::string_view name, std::string_view where)
{
    const auto& all = all_named<T>();
    if (const auto found = all.find(name); found != all.end()) return found->second;
    std::string known;
    for (const auto& [one, thing] : all) known += (known.empty() ? "" : ", ") + one;
    throw Error(ExitStatus::bad_usage,
                fmt::format("{}: there is no {} named '{}'.", where, what, name),
                fmt::format("There are: {}. In text alone: {{\"each\": …}}.", known));
}

std::int64_t product(const std::vector<std::int64_t>& extents)
{
    return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

std::uint64_t seed_of(const Scope& scope, const FillRequest& request)
{
    return scope.seed() + static_cast<std::uint64_t>(request.option("seed", 0));
}

// Options: columns and rows, else the first two extents; pitch from row to row; scale; seed, which
// is added to the run's.
Data make_test_card(const Scope& scope, const FillRequest& request)
{
    const auto columns =
        static_cast<std::int64_t>(request.option("columns", double(request.extents.at(0))));
    const auto rows = static_cast<std::int64_t>(
        request.option("rows", request.extents.size() > 1 ? double(request.extents[1]) : 1.0));
    const auto pitch = static_cast<std::int64_t>(request.option("pitch", double(columns)));
    const auto scale = static_cast<float>(request.option("scale", 1));
    std::vector<float> card =
        test_card(static_cast<int>(columns), static_cast<int>(rows), seed_of(scope, request));
    if (scale != 1)
        for (float& element : card) element *= scale;
    if (pitch == columns) return card;
    std::vector<float> padded(static_cast<std::size_t>(pitch) * rows);
    for (std::int64_t y = 0; y < rows; ++y)
        std::copy_n(card.begin() + y * columns, columns, padded.begin() + y * pitch);
    return padded;
}

// Numbers in [low, high), each from its index and the seed alone.
Data make_random(const Scope& scope, const FillRequest& request)
{
    const double low = request.option("low", 0);
    const double range = request.option("high", 1) - low;
    std::vector<float> numbers(product(request.extents));
    const std::uint64_t stream = scramble(seed_of(scope, request));
    in_parallel(
        numbers.size(),
        [&](std::size_t i, std::size_t end) {
            for (; i < end; ++i)
                numbers[i] = static_cast<float>(low + range * scrambled_unit(stream + i));
        },
        65536);
    return numbers;
}

Data make_permutation(const Scope& scope, const FillRequest& request)
{
    std::vector<int> order(product(request.extents));
    std::iota(order.begin(), order.end(), 0);
    const std::uint64_t stream = scramble(seed_of(scope, request));
    for (int i = static_cast<int>(order.size()) - 1; i > 0; --i)
        std::swap(order[i], order[scramble(stream + i) % (i + 1)]);
    return order;
}

const Named<Fill> test_card_fill{"test_card", {make_test_card}};
const Named<Fill> random_fill{"random", {make_random}};
const Named<Fill> permutation_fill{"permutation", {make_permutation}};

} // namespace

bool Scope::has(std::string_view name) const
{
    try {
        number(name);
        return true;
    } catch (const std::out_of_range&) {
        return false;
    }
}

const Fill& find_fill(std::string_view name, std::string_view where)
{
    return find_named<Fill>("fill", name, where);
}

const Reference& find_reference(std::string_view name, std::string_view where)
{
    return find_named<Reference>("reference", name, where);
}

const Computed& find_computed(std::string_view name, std::string_view where)
{
    return find_named<Computed>("computed number", name, where);
}

} // namespace lanescope::labs
