// The reference of the convolution lab: every pixel's sum in double precision.
#include <algorithm>

#include "compute/experiment/inputs/parallel.h"
#include "compute/experiment/record/named.h"

namespace lanescope::labs::convolution {
namespace {

// As in most libraries for pictures, the filter is not mirrored; pixels outside are those of the
// edge.
std::vector<double> filtered(const Scope& scope)
{
    const auto from = scope.input_of<float>("from");
    const auto weights = scope.input_of<float>("weights");
    const int width = scope.whole("size", 1);
    const int height = scope.whole("rows", 1);
    const int radius = scope.whole("radius", 0, 1000);
    const auto side = static_cast<std::size_t>(2 * radius + 1);
    require_fit(from.size() >= fitting_count({scope.count("size"), scope.count("rows")}) &&
                    weights.size() >= side * side,
                "size x rows pixels and (2 * radius + 1)^2 weights");
    std::vector<double> to(from.size());
    in_parallel(static_cast<std::size_t>(height), [&](std::size_t begin, std::size_t end) {
        for (int y = static_cast<int>(begin); y < static_cast<int>(end); ++y)
            for (int x = 0; x < width; ++x) {
                double sum = 0;
                std::size_t tap = 0;
                for (int dy = -radius; dy <= radius; ++dy) {
                    const float* row =
                        from.data() +
                        static_cast<std::size_t>(std::clamp(y + dy, 0, height - 1)) * width;
                    for (int dx = -radius; dx <= radius; ++dx)
                        sum += static_cast<double>(weights[tap++]) *
                               row[std::clamp(x + dx, 0, width - 1)];
                }
                to[static_cast<std::size_t>(y) * width + x] = sum;
            }
    });
    return to;
}

const Named<Reference> reference{"convolution", {.result = filtered}};

} // namespace
} // namespace lanescope::labs::convolution
