// Generator and reference for the rod record: its initial state, and its evolution. At either end
// of the rod, a ghost cell holds the temperature of that end.
#include <algorithm>
#include <cmath>

#include "compute/experiment/inputs/parallel.h"
#include "compute/experiment/inputs/test_card.h"
#include "compute/experiment/record/named.h"

namespace lanescope::labs::rod {
namespace {

constexpr double ambient = 15;

// Two hot sections, a ripple and a few spikes on cold metal.
Data start(const Scope& scope, const FillRequest&)
{
    const int cells = scope.whole("size", 1, std::numeric_limits<int>::max() - 2);
    fitting_count({scope.count("size")});
    const std::uint64_t stream = scramble(scope.seed());
    std::vector<float> rod(cells + 2);
    in_parallel(
        cells,
        [&](std::size_t i, std::size_t end) {
            for (; i < end; ++i) {
                const double u = (i + 0.5) / cells;
                double temperature = ambient;
                if (u > 0.08 && u < 0.22) temperature = 95;
                if (u > 0.32 && u < 0.36) temperature = 80;
                if (u > 0.45 && u < 0.75) temperature = 45 + 35 * std::sin(60 * u);
                if (u > 0.82 && u < 0.95 && static_cast<int>(u * 250) % 3 == 0) temperature = 90;
                rod[i + 1] = static_cast<float>(temperature + 4 * scrambled_unit(stream + i));
            }
        },
        65536);
    rod.front() = static_cast<float>(scope.number("left"));
    rod.back() = static_cast<float>(scope.number("right"));
    return rod;
}

void advance(std::vector<double>& rod, const Scope& scope)
{
    const double k = scope.number("k");
    require_fit(rod.size() >= 2, "a state of size + 2 cells");
    double before = rod.front(); // the left neighbour's old value
    for (std::size_t i = 1; i + 1 < rod.size(); ++i) {
        const double here = rod[i];
        rod[i] = here + k * (before - 2 * here + rod[i + 1]);
        before = here;
    }
}

// A stroke pulls cells towards a temperature, fully at its centre, not at all at its radius.
void paint(std::vector<double>& rod, const Scope& scope)
{
    const double start = scope.number("start"); // first cell of the stroke, possibly outside
    const double center = scope.number("center");
    const double radius = scope.number("radius");
    const double temperature = scope.number("temperature");
    for (std::size_t i = 0; i + 2 < rod.size(); ++i) {
        const double offset = static_cast<double>(i) - start;
        const double distance = (offset + 0.5 - center) / radius;
        rod[i + 1] += std::max(0.0, 1 - distance * distance) * (temperature - rod[i + 1]);
    }
}

const Named<Fill> start_fill{"rod_start", {start}};
const Named<Reference> reference{"rod", {.advance = advance, .paint = paint}};

} // namespace
} // namespace lanescope::labs::rod
