// The divergence lab's computations as plain loops: inputs and references.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lanescope::labs::divergence {

// Result of `rounds` iterations, which move the value towards 1 if `grows`, otherwise towards 0.
double worked(double value, int rounds, bool grows);

// Number of rounds per item: few for most, up to four times `work` for some.
std::vector<int> rounds_of_items(int count, int work, std::uint64_t seed);
// Items with different amounts of work: item i starts from values[i] and needs rounds[i] rounds.
struct Items {
    std::vector<float> values;
    std::vector<int> rounds;
};
// Items with the most rounds first, so that short ones fill the gaps at the end.
Items longest_first(const Items& items);

// Section of the complex plane shown in the picture: its centre, and the distance between pixels.
struct Window {
    float center_x = 0;
    float center_y = 0;
    float pixel = 0;
};

// Iterations until the pixel escapes, in single precision like the kernel: at the set's edge the
// count depends on every bit.
int mandelbrot(const Window& window, int width, int height, int column, int row, int limit);

// size × size matrices.
std::vector<double> product(std::span<const float> a, std::span<const float> b, int size);

} // namespace lanescope::labs::divergence
