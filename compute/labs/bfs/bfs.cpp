// The graph of the BFS lab: every pixel of a picture is a vertex, and its edges lead to pixels
// around it. The number of edges differs from vertex to vertex.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "compute/experiment/inputs/test_card.h"
#include "compute/experiment/record/named.h"

namespace lanescope::labs::bfs {
namespace {

constexpr int equal = 0; // values of the parameter "degrees"
constexpr int few_hubs = 2;

// Vertex i has the edges starts[i] … starts[i + 1] - 1, which lead to `neighbours`.
struct Graph {
    std::vector<std::int32_t> starts, neighbours;

    std::size_t vertices() const { return starts.size() - 1; }
};

// Numbers of edges from the vertex to every other one; -1 where no path leads.
using Levels = std::vector<std::int32_t>;

// At least 1. Skewed degrees are small for most vertices, and up to nine times the mean for the
// others.
double wanted_degree(int degrees, double mean, std::uint64_t vertex, std::uint64_t stream)
{
    constexpr std::uint64_t period = 64; // one vertex in `period` is a hub
    if (degrees == equal) return mean;
    if (degrees == few_hubs)
        return std::max(1.0, mean / 2) + (vertex % period == 21 ? period / 2 * mean : 0);
    constexpr int power = 8; // its mean over [0, 1) is 1/9
    return 1 + (power + 1) * (mean - 1) * std::pow(scrambled_unit(stream + vertex), power);
}

// A random pixel of the square around the vertex that holds about as many pixels as it has edges.
std::int32_t neighbour(std::int64_t vertex, std::int64_t size, std::int64_t degree,
                       std::uint64_t random)
{
    const auto reach =
        std::max<std::int64_t>(1, std::llround((std::sqrt(static_cast<double>(degree)) - 1) / 2));
    const auto side = static_cast<std::uint64_t>(2 * reach + 1);
    const auto dx = static_cast<std::int64_t>(random % side) - reach;
    const auto dy = static_cast<std::int64_t>((random >> 32) % side) - reach;
    const std::int64_t x = std::clamp<std::int64_t>(vertex % size + dx, 0, size - 1);
    const std::int64_t y = std::clamp<std::int64_t>(vertex / size + dy, 0, size - 1);
    return static_cast<std::int32_t>(y * size + x);
}

Graph make_graph(const Scope& scope)
{
    const std::size_t vertices = fitting_count({scope.count("vertices")});
    const int size = scope.whole("size", 1);
    const int degrees = scope.whole("degrees", equal, few_hubs);
    const int mean = scope.whole("mean", 1);
    const std::size_t source = scope.count("source");
    constexpr double source_degree = 32; // at least, so that the search does not end at once
    const std::uint64_t stream = scramble(scope.seed());
    require_fit(static_cast<double>(vertices) * mean * 1.5 < 0x1p31, "fewer than 2^31 edges");
    Graph graph{std::vector<std::int32_t>(vertices + 1), {}};
    for (std::size_t vertex = 0; vertex < vertices; ++vertex)
        graph.starts[vertex + 1] =
            graph.starts[vertex] +
            static_cast<std::int32_t>(std::max(vertex == source ? source_degree : 1.0,
                                               wanted_degree(degrees, mean, vertex, stream)));
    graph.neighbours.resize(fitting_count({static_cast<std::size_t>(graph.starts.back())}));
    for (std::size_t vertex = 0; vertex < vertices; ++vertex)
        for (std::int64_t edge = graph.starts[vertex]; edge < graph.starts[vertex + 1]; ++edge)
            graph.neighbours[static_cast<std::size_t>(edge)] =
                neighbour(static_cast<std::int64_t>(vertex), size,
                          graph.starts[vertex + 1] - graph.starts[vertex],
                          scramble(~stream + static_cast<std::uint64_t>(edge)));
    return graph;
}

const Graph& graph(const Scope& scope)
{
    return scope.kept<Graph>("bfs_graph", [&] { return make_graph(scope); });
}

const Levels& levels(const Scope& scope)
{
    return scope.kept<Levels>("bfs_levels", [&] {
        const Graph& of = graph(scope);
        Levels all(of.vertices(), -1);
        const std::size_t source = scope.count("source");
        require_fit(source < all.size(), "a vertex as the source");
        std::vector<std::int32_t> queue{static_cast<std::int32_t>(source)};
        all[source] = 0;
        for (std::size_t i = 0; i < queue.size(); ++i) {
            const auto vertex = static_cast<std::size_t>(queue[i]);
            for (std::int32_t edge = of.starts[vertex]; edge < of.starts[vertex + 1]; ++edge) {
                const std::int32_t to = of.neighbours[static_cast<std::size_t>(edge)];
                std::int32_t& level = all[static_cast<std::size_t>(to)];
                if (level >= 0) continue;
                level = all[vertex] + 1;
                queue.push_back(to);
            }
        }
        return all;
    });
}

// Levels up to the number of launches, as the kernels leave them.
std::vector<double> found_levels(const Scope& scope)
{
    const int launches = scope.whole("launches", 0);
    std::vector<double> found;
    for (const std::int32_t level : levels(scope)) found.push_back(level > launches ? -1 : level);
    return found;
}

const Named<Fill> starts_fill{"bfs_starts", {[](const Scope& scope, const FillRequest&) -> Data {
                                  return graph(scope).starts;
                              }}};
const Named<Fill> neighbours_fill{
    "bfs_neighbours",
    {[](const Scope& scope, const FillRequest&) -> Data { return graph(scope).neighbours; }}};
const Named<Computed> edges{"bfs_edges", {[](const Scope& scope) {
                                return static_cast<double>(graph(scope).neighbours.size());
                            }}};
const Named<Computed> last_level{"bfs_last_level", {[](const Scope& scope) {
                                     return static_cast<double>(std::ranges::max(levels(scope)));
                                 }}};
const Named<Reference> reference{"bfs", {.result = found_levels}};

} // namespace
} // namespace lanescope::labs::bfs
