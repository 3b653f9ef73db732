// Inputs and references of the divergence lab, as plain loops.
#include "compute/labs/divergence/tasks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compute/experiment/inputs/test_card.h"

namespace lanescope::labs::divergence {
double worked(double value, int rounds, bool grows)
{
    constexpr double rate = 0.02F; // rounded as in the kernels
    for (int round = 0; round < rounds; ++round)
        value += grows ? rate * (1 - value) : -rate * value * value;
    return value;
}

std::vector<int> rounds_of_items(int count, int work, std::uint64_t seed)
{
    std::vector<int> rounds(count);
    const std::uint64_t stream = scramble(seed);
    for (int i = 0; i < count; ++i) {
        const double unit = scrambled_unit(stream + i);
        const double cube = unit * unit * unit;
        rounds[i] = 1 + static_cast<int>(4 * work * cube * cube);
    }
    return rounds;
}

Items longest_first(const Items& items)
{
    // Counting sort: many items, few distinct lengths.
    const int longest = items.rounds.empty() ? 0 : std::ranges::max(items.rounds);
    std::vector<std::size_t> next(longest + 2); // next position for items of length `longest` - i
    for (const int length : items.rounds) ++next[longest - length + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    Items sorted{std::vector<float>(items.values.size()), std::vector<int>(items.rounds.size())};
    for (std::size_t item = 0; item < items.rounds.size(); ++item) {
        const std::size_t place = next[longest - items.rounds[item]]++;
        sorted.values[place] = items.values[item];
        sorted.rounds[place] = items.rounds[item];
    }
    return sorted;
}

int mandelbrot(const Window& window, int width, int height, int column, int row, int limit)
{
    const float cx =
        std::fma(window.pixel, static_cast<float>(column) - 0.5F * static_cast<float>(width),
                 window.center_x);
    const float cy = std::fma(
        window.pixel, static_cast<float>(row) - 0.5F * static_cast<float>(height), window.center_y);
    float x = 0;
    float y = 0;
    for (int count = 0; count < limit; ++count) {
        const float xx = x * x;
        const float yy = y * y;
        if (xx + yy > 4.0F) return count;
        y = std::fma(2.0F * x, y, cy);
        x = (xx - yy) + cx;
    }
    return limit;
}

std::vector<double> product(std::span<const float> a, std::span<const float> b, int size)
{
    std::vector<double> c(static_cast<std::size_t>(size) * size);
    for (int row = 0; row < size; ++row)
        for (int k = 0; k < size; ++k)
            for (int column = 0; column < size; ++column)
                c[static_cast<std::size_t>(row) * size + column] +=
                    static_cast<double>(a[static_cast<std::size_t>(row) * size + k]) *
                    b[static_cast<std::size_t>(k) * size + column];
    return c;
}

} // namespace lanescope::labs::divergence
