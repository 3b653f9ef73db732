// The reference of the circles lab: one circle after the other over the whole picture, with the
// same roundings as the kernels, so that results must agree in every bit.
#include <algorithm>
#include <cmath>
#include <span>

#include "compute/experiment/record/named.h"

namespace lanescope::labs::circles {
namespace {

constexpr std::size_t numbers_per_circle = 8; // x, y, radius, opacity, red, green, blue, unused
constexpr std::size_t numbers_per_pixel = 4;  // red, green, blue, unused

struct Canvas {
    std::span<float> pixels;
    int width = 0;
    int height = 0;
};

void blend(std::span<float> pixel, std::span<const float> circle)
{
    for (std::size_t channel = 0; channel < 3; ++channel)
        pixel[channel] = std::fma(circle[3], circle[4 + channel] - pixel[channel], pixel[channel]);
}

// Rows and columns outside the circle are skipped, with a margin of a pixel for roundings.
void draw(const Canvas& canvas, std::span<const float> circle)
{
    const float radius = circle[2];
    const auto first = [&](float centre) {
        return static_cast<int>(std::max(0.0F, std::floor(centre - radius) - 1));
    };
    const auto end = [&](float centre, int size) {
        return static_cast<int>(std::min(static_cast<float>(size), centre + radius + 2));
    };
    const float square = radius * radius;
    for (int y = first(circle[1]); y < end(circle[1], canvas.height); ++y)
        for (int x = first(circle[0]); x < end(circle[0], canvas.width); ++x) {
            const float dx = static_cast<float>(x) + 0.5F - circle[0];
            const float dy = static_cast<float>(y) + 0.5F - circle[1];
            if (std::fma(dx, dx, dy * dy) > square) continue;
            const std::size_t place = static_cast<std::size_t>(y) * canvas.width + x;
            blend(canvas.pixels.subspan(numbers_per_pixel * place, numbers_per_pixel), circle);
        }
}

std::vector<double> drawn(const Scope& scope)
{
    const auto circles = scope.input_of<float>("circles");
    const std::size_t count = scope.count("count");
    require_fit(circles.size() >= fitting_count({numbers_per_circle, count}),
                "8 numbers for each of count circles");
    std::vector<float> pixels(
        fitting_count({numbers_per_pixel, scope.count("size"), scope.count("rows")}));
    const Canvas canvas{pixels, scope.whole("size", 1), scope.whole("rows", 1)};
    for (std::size_t i = 0; i < count; ++i)
        draw(canvas, std::span(circles).subspan(numbers_per_circle * i, numbers_per_circle));
    return {pixels.begin(), pixels.end()};
}

const Named<Reference> reference{"circles", {.result = drawn}};

} // namespace
} // namespace lanescope::labs::circles
