// What the divergence lab computes, in plain loops: inputs and oracles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lanescope::labs::divergence {

// `rounds` rounds towards 1 or towards 0.
double worked(double value, int rounds, bool grows);

// How many rounds each item needs: most few, some up to four times `work`.
std::vector<int> rounds_of_items(int count, int work, std::uint64_t seed);
// Work of different length: item i starts from values[i] and needs rounds[i].
struct Items {
    std::vector<float> values;
    std::vector<int> rounds;
};
// Those that need the most rounds first: whoever begins with them has the short ones to fill up
// with.
Items longest_first(const Items& items);

// The piece of the complex plane that a picture shows: its centre, and the distance of two pixels.
struct Window {
    float center_x = 0;
    float center_y = 0;
    float pixel = 0;
};

// Iterations before the pixel escapes, in the kernel's own single precision: at the set's edge the
// count depends on every bit.
int mandelbrot(const Window& window, int width, int height, int column, int row, int limit);

// size × size matrices.
std::vector<double> product(std::span<const float> a, std::span<const float> b, int size);

} // namespace lanescope::labs::divergence
