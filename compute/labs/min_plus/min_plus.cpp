// Generators and checks for the min_plus record: a city whose crossings form a grid, with
// a park without roads and a river with two bridges, and the shortest paths after a
// number of steps. The reference follows the roads from all crossings, or from a sample
// of a few hundred if there are more.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "compute/experiment/inputs/parallel.h"
#include "compute/experiment/inputs/test_card.h"
#include "compute/experiment/record/named.h"

namespace lanescope::labs::min_plus {
namespace {

constexpr int max_crossings = 1 << 20;
constexpr float nowhere = std::numeric_limits<float>::infinity();

struct Road {
    int from = 0;
    int to = 0;
    float minutes = 0; // 1 to 8, but 1 to 2 on every eighth street
};

// Crossings are numbered row by row, as on the city map.
class Grid {
public:
    explicit Grid(int crossings)
        : crossings_(crossings), across_(static_cast<int>(std::ceil(std::sqrt(crossings))))
    {
    }
    int crossings() const { return crossings_; }
    int across() const { return across_; }
    bool in_park(int crossing) const
    {
        const double u = share(crossing % across_);
        const double v = share(crossing / across_);
        return u > 0.12 && u < 0.45 && v > 0.55 && v < 0.85;
    }
    // True if the road from this crossing to its right neighbour crosses the river.
    bool crosses_river(int crossing) const
    {
        const int row = crossing / across_;
        const bool bridge = row == across_ / 5 || row == across_ * 4 / 5;
        return crossing % across_ == across_ * 5 / 8 && !bridge;
    }

private:
    double share(int place) const { return (place + 0.5) / across_; }

    int crossings_;
    int across_;
};

std::vector<Road> city(const Scope& scope)
{
    const Grid grid(scope.whole("size", 1, max_crossings));
    const double closed = scope.number("closed");
    const std::uint64_t stream = scramble(scope.seed());
    std::vector<Road> roads;
    const auto build = [&](int a, int b, int which, bool fast) {
        if (b >= grid.crossings() || grid.in_park(a) || grid.in_park(b)) return;
        const std::uint64_t number = stream + 4 * static_cast<std::uint64_t>(a) + which;
        if (scrambled_unit(number) < closed) return;
        const float minutes = 1 + static_cast<float>(scramble(number + 2) % (fast ? 2 : 8));
        roads.push_back({a, b, minutes});
        roads.push_back({b, a, minutes});
    };
    const int across = grid.across();
    for (int c = 0; c < grid.crossings(); ++c) {
        const bool last = (c + 1) % across == 0;
        if (!last && !grid.crosses_river(c)) build(c, c + 1, 0, c / across % 8 == 0);
        build(c, c + across, 1, c % across % 8 == 0);
    }
    return roads;
}

Data direct_ways(const Scope& scope, const FillRequest&)
{
    const std::size_t n = scope.count("size");
    std::vector<float> ways(fitting_count({n, n}), nowhere);
    for (std::size_t c = 0; c < n; ++c) ways[c * n + c] = 0;
    for (const Road& road : city(scope)) ways[road.from * n + road.to] = road.minutes;
    return ways;
}

// Shortest paths from one crossing that use at most `max_roads` roads.
std::vector<float> ways_from(std::size_t start, std::size_t n, const std::vector<Road>& roads,
                             double max_roads)
{
    std::vector<float> ways(n, nowhere);
    ways[start] = 0;
    for (double length = 0; length < max_roads; ++length) {
        std::vector<float> longer = ways;
        for (const Road& road : roads)
            longer[road.to] = std::min(longer[road.to], ways[road.from] + road.minutes);
        if (longer == ways) break;
        ways = std::move(longer);
    }
    return ways;
}

Check check(const Scope& scope, std::span<const std::byte> bytes, double)
{
    constexpr std::size_t max_rows = 300;
    const std::size_t n = scope.count("size");
    require_fit(bytes.size() / sizeof(float) >= fitting_count({n, n}),
                "a result of size x size numbers");
    const double max_roads =
        scope.number("growth") == 0 ? scope.number("steps") + 1 : std::exp2(scope.number("steps"));
    const std::vector<Road> roads = city(scope);
    const auto* got = reinterpret_cast<const float*>(bytes.data());
    const std::size_t rows = std::min(n, max_rows);
    std::vector<std::size_t> wrong(rows, n); // the first wrong column of each row
    std::vector<float> right(rows);
    in_parallel(rows, [&](std::size_t i, std::size_t end) {
        for (; i < end; ++i) {
            const std::size_t row = i * n / rows;
            const auto ways = ways_from(row, n, roads, max_roads);
            const auto [want, found] = std::mismatch(ways.begin(), ways.end(), got + row * n);
            wrong[i] = want - ways.begin();
            if (wrong[i] < n) right[i] = *want;
        }
    });
    for (std::size_t i = 0; i < rows; ++i)
        if (wrong[i] < n) {
            const std::size_t row = i * n / rows;
            const float is = got[row * n + wrong[i]];
            return {.max_error = std::abs(static_cast<double>(is) - right[i]),
                    .message = fmt::format("the path from {} to {} is {} instead of {}", row,
                                           wrong[i], is, right[i])};
        }
    return {.correct = true};
}

const Named<Fill> city_fill{"min_plus_city", {direct_ways}};
const Named<Reference> reference{"min_plus", {.check = check}};

} // namespace
} // namespace lanescope::labs::min_plus
