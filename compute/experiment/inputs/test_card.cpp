// Draws the test card: an F made of three bars.
#include "compute/experiment/inputs/test_card.h"

#include "compute/experiment/inputs/parallel.h"

namespace lanescope::labs {
namespace {

bool in_letter(double u, double v)
{
    const auto within = [](double x, double low, double high) { return x >= low && x < high; };
    return (within(u, 0.24, 0.38) && within(v, 0.14, 0.86)) ||
           (within(u, 0.24, 0.78) && within(v, 0.72, 0.86)) ||
           (within(u, 0.24, 0.64) && within(v, 0.44, 0.57));
}

} // namespace

std::vector<float> test_card(int width, int height, std::uint64_t seed)
{
    std::vector<float> card(static_cast<std::size_t>(width) * height);
    const std::uint64_t stream = scramble(seed);
    in_parallel(
        height,
        [&](std::size_t first, std::size_t end) {
            for (std::size_t y = first; y < end; ++y)
                for (int x = 0; x < width; ++x) {
                    const std::size_t i = y * width + x;
                    const double u = (x + 0.5) / width;
                    const double v = (y + 0.5) / height;
                    const double ground = in_letter(u, v) ? 0.95 : 0.1 + 0.35 * u + 0.15 * v;
                    card[i] = static_cast<float>(ground + 0.05 * scrambled_unit(stream + i));
                }
        },
        256);
    return card;
}

} // namespace lanescope::labs
