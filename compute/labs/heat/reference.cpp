// The heat equation as in the textbook: forward in time, centred in space.
#include "compute/labs/heat/reference.h"

#include <algorithm>

#include "compute/experiment/inputs/parallel.h"

namespace lanescope::labs::heat {
namespace {

constexpr std::size_t min_rows = 256; // per core: fewer rows do not pay for a thread

} // namespace

void advance(Plate& plate, double k, bool insulated)
{
    const std::vector<double> now = plate.cells;
    const int width = plate.width;
    const int height = plate.height;
    const auto at = [&](int x, int y) {
        x = std::clamp(x, 0, width - 1);
        y = std::clamp(y, 0, height - 1);
        return now[static_cast<std::size_t>(y) * width + x];
    };
    in_parallel(
        static_cast<std::size_t>(height),
        [&](std::size_t begin, std::size_t end) {
            for (int y = static_cast<int>(begin); y < static_cast<int>(end); ++y)
                for (int x = 0; x < width; ++x) {
                    const bool rim = x == 0 || x == width - 1 || y == 0 || y == height - 1;
                    if (rim && !insulated) continue;
                    plate.cells[static_cast<std::size_t>(y) * width + x] =
                        at(x, y) + k * (at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1) -
                                        4 * at(x, y));
                }
        },
        min_rows);
}

void stain(Plate& plate, const Stain& stain)
{
    for (int y = 0; y < plate.height; ++y)
        for (int x = 0; x < plate.width; ++x) {
            const double dx = (x + 0.5 - stain.x) / stain.radius;
            const double dy = (y + 0.5 - stain.y) / stain.radius;
            const double strength = std::max(0.0, 1 - (dx * dx + dy * dy));
            double& cell = plate.cells[static_cast<std::size_t>(y) * plate.width + x];
            cell += strength * (stain.temperature - cell);
        }
}

} // namespace lanescope::labs::heat
