// Initial state of the plate: shapes whose edges show how heat spreads, placed by the seed.
#include "compute/labs/heat/reference.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace lanescope::labs::heat {
namespace {

// A disc, or a ring if the inner radius is nonzero. In plate widths.
struct Ring {
    double x = 0;
    double y = 0;
    double inner = 0;
    double outer = 0;
    float temperature = 0;
};

// Uses the generator's raw bits, because the standard distributions differ between libraries.
double uniform(std::mt19937_64& random, double low, double high)
{
    return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
}

std::vector<Ring> rings(double aspect, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    std::vector<Ring> rings;
    for (int i = 0; i < 16; ++i) {
        Ring ring;
        ring.outer = uniform(random, 0.03, 0.13);
        ring.inner = i % 2 == 0 ? 0 : 0.7 * ring.outer;
        ring.x = uniform(random, 0.08, 0.92);
        ring.y = aspect * uniform(random, 0.2, 0.92);
        ring.temperature = i % 5 == 4 ? coldest : static_cast<float>(uniform(random, 65, hottest));
        rings.push_back(ring);
    }
    return rings;
}

} // namespace

std::vector<float> start(int width, int height, std::uint64_t seed)
{
    std::vector<float> cells(static_cast<std::size_t>(width) * height, ambient);
    const auto fill = [&](int x0, int x1, int y, float temperature) {
        const auto row = cells.begin() + static_cast<std::ptrdiff_t>(y) * width;
        x0 = std::clamp(x0, 0, width);
        std::fill(row + x0, row + std::clamp(x1, x0, width), temperature);
    };

    // A comb of bars, from thick to thin: the thin ones fade first.
    const int bars_low = height * 12 / 100;
    const int bars_high = height * 20 / 100;
    for (int y = bars_low; y < bars_high; ++y) {
        double x = 0.06;
        for (double thickness = 0.05; x < 0.9; thickness *= 0.85) {
            fill(static_cast<int>(x * width), static_cast<int>((x + thickness) * width), y,
                 hottest);
            x += 2 * thickness + 0.004;
        }
    }

    for (const Ring& ring : rings(static_cast<double>(height) / width, seed)) {
        const auto half_chord = [](double radius, double dy) {
            return std::sqrt(std::max(0.0, radius * radius - dy * dy));
        };
        for (int y = 0; y < height; ++y) {
            const double dy = (y + 0.5) / width - ring.y;
            const double outer = half_chord(ring.outer, dy);
            const double inner = half_chord(ring.inner, dy);
            if (outer == 0) continue;
            fill(static_cast<int>((ring.x - outer) * width),
                 static_cast<int>((ring.x - inner) * width), y, ring.temperature);
            fill(static_cast<int>((ring.x + inner) * width),
                 static_cast<int>((ring.x + outer) * width), y, ring.temperature);
        }
    }

    const int edge = std::max(1, height / 64);
    for (int y = 0; y < edge; ++y) {
        fill(0, width, y, 90);
        fill(0, width, height - 1 - y, coldest);
    }
    return cells;
}

} // namespace lanescope::labs::heat
