// Conway's Game of Life on the CPU, as the reference.
#include <cstddef>
#include <utility>
#include <vector>

#include "compute/experiment/inputs/parallel.h"
#include "compute/experiment/record/named.h"

namespace lanescope::labs::graph_launches {
namespace {

// The edges of the square meet.
std::vector<double> next_generation(const std::vector<double>& cells, std::size_t size)
{
    std::vector<double> next(cells.size());
    in_parallel(size, [&](std::size_t begin, std::size_t end) {
        for (std::size_t y = begin; y < end; ++y)
            for (std::size_t x = 0; x < size; ++x) {
                double neighbours = -cells[y * size + x];
                for (const std::size_t row : {(y + size - 1) % size, y, (y + 1) % size})
                    for (const std::size_t column : {(x + size - 1) % size, x, (x + 1) % size})
                        neighbours += cells[row * size + column];
                const bool lives = neighbours == 3 || (neighbours == 2 && cells[y * size + x] != 0);
                next[y * size + x] = lives ? 1 : 0;
            }
    });
    return next;
}

void advance(std::vector<double>& cells, const Scope& scope)
{
    const std::size_t size = scope.count("size");
    require_fit(cells.size() == fitting_count({size, size}), "size × size cells");
    const int generations = scope.whole("generations", 0);
    for (int i = 0; i < generations; ++i) cells = next_generation(cells, size);
}

const Named<Reference> reference{"graph_launches_life", {.advance = advance}};

} // namespace
} // namespace lanescope::labs::graph_launches
