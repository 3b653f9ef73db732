// The rod in plain loops, and how it starts.
#include "compute/labs/rod/line.h"

#include <algorithm>
#include <cmath>

#include "compute/labs/parallel.h"
#include "compute/labs/test_card.h"

namespace lanescope::labs::rod {

std::vector<float> start(int cells, std::uint64_t seed)
{
    const std::uint64_t stream = scramble(seed);
    std::vector<float> rod(cells);
    in_parallel(
        rod.size(),
        [&](std::size_t i, std::size_t end) {
            for (; i < end; ++i) {
                const double u = (i + 0.5) / cells;
                double temperature = ambient;
                if (u > 0.08 && u < 0.22) temperature = 95;
                if (u > 0.32 && u < 0.36) temperature = 80;
                if (u > 0.45 && u < 0.75) temperature = 45 + 35 * std::sin(60 * u);
                if (u > 0.82 && u < 0.95 && static_cast<int>(u * 250) % 3 == 0) temperature = 90;
                rod[i] = static_cast<float>(temperature + 4 * scrambled_unit(stream + i));
            }
        },
        65536);
    return rod;
}

void advance(std::vector<double>& rod, double k, double left, double right)
{
    double before = left; // the left neighbour, as it was
    for (std::size_t i = 0; i < rod.size(); ++i) {
        const double here = rod[i];
        const double after = i + 1 < rod.size() ? rod[i + 1] : right;
        rod[i] = here + k * (before - 2 * here + after);
        before = here;
    }
}

void stain(std::vector<double>& rod, const Stain& stain)
{
    for (std::size_t i = 0; i < rod.size(); ++i) {
        const double offset = static_cast<double>(i) - stain.first;
        const double distance = (offset + 0.5 - stain.center) / stain.radius;
        rod[i] += std::max(0.0, 1 - distance * distance) * (stain.temperature - rod[i]);
    }
}

} // namespace lanescope::labs::rod
