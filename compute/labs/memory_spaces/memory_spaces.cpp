// Generators and references for the memory_spaces record: the table, the indices, and means in
// double precision.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "compute/experiment/inputs/drawings.h"
#include "compute/experiment/inputs/parallel.h"
#include "compute/experiment/inputs/test_card.h"
#include "compute/experiment/record/named.h"

namespace lanescope::labs::memory_spaces {
namespace {

constexpr int by_pixel = 0;
constexpr int random = 1;
constexpr int one_per_warp = 2; // the next ones: 2, 4, 8, 16 different indices per warp
constexpr std::uint64_t lanes = 32;

// A curve from 0 to 1 and back, so that there is no jump from the last entry to the first.
Data curve(const Scope& scope, const FillRequest&)
{
    std::vector<float> table(fitting_count({scope.count("entries")}));
    for (std::size_t i = 0; i < table.size(); ++i)
        table[i] =
            static_cast<float>(0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) /
                                                    static_cast<double>(table.size())));
    return table;
}

// Option: pattern, the parameter "index" as a number.
Data indices(const Scope& scope, const FillRequest& request)
{
    constexpr int max_entries = 256; // an index is a byte
    constexpr int last_pattern = 6;
    const int size = scope.whole("size", 1);
    const auto entries = static_cast<std::uint64_t>(scope.whole("entries", 1, max_entries));
    const auto pattern =
        static_cast<int>(request.whole_option("pattern", by_pixel, by_pixel, last_pattern));
    const std::size_t count = fitting_count({scope.count("size"), scope.count("size")});
    std::vector<std::uint8_t> all(count);
    if (pattern == by_pixel) {
        const std::vector<float> scene = drawn(drawing_named("balloon"), size, size, scope.seed());
        for (std::size_t i = 0; i < count; ++i)
            all[i] = static_cast<std::uint8_t>(
                std::min(static_cast<float>(entries - 1), scene[i] * static_cast<float>(entries)));
    } else {
        const std::uint64_t stream = scramble(scope.seed());
        constexpr std::uint64_t spacing = 5; // odd, so that 64 entries form a single cycle
        const std::uint64_t words =
            pattern == random ? 1 : std::uint64_t{1} << (pattern - one_per_warp);
        in_parallel(count, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                all[i] = static_cast<std::uint8_t>(
                    (scramble(stream + (pattern == random ? i : i / lanes)) + i % words * spacing) %
                    entries);
        });
    }
    return all;
}

std::vector<double> mean(const Scope& scope)
{
    const auto table = scope.input_of<float>("table");
    const auto index = scope.input_of<std::uint8_t>("index");
    const int lookups = scope.whole("lookups", 0, 1 << 20);
    require_fit(!table.empty(), "a table");
    std::vector<double> mean_from(table.size()); // mean of the lookups that start at each entry
    for (std::size_t entry = 0; entry < table.size(); ++entry) {
        double sum = 0;
        for (int k = 0; k < lookups; ++k)
            sum += static_cast<double>(table[(entry + static_cast<std::size_t>(k)) % table.size()]);
        mean_from[entry] = sum / lookups;
    }
    std::vector<double> means(index.size());
    in_parallel(index.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) means[i] = mean_from[index[i] % table.size()];
    });
    return means;
}

const Named<Fill> curve_fill{"memory_spaces_curve", {curve}};
const Named<Fill> index_fill{"memory_spaces_index", {indices}};
const Named<Reference> mean_reference{"memory_spaces_mean", {.result = mean}};

} // namespace
} // namespace lanescope::labs::memory_spaces
