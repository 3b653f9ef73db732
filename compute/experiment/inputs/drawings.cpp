// Discs, boxes and triangles on a background; shapes in front are tested first.
#include "compute/experiment/inputs/drawings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "compute/experiment/inputs/parallel.h"
#include "compute/experiment/inputs/test_card.h"

namespace lanescope::labs {
namespace {

struct Place {
    double u;
    double v;

    bool in_disc(double x, double y, double radius) const
    {
        return std::hypot(u - x, v - y) < radius;
    }
    bool in_ellipse(double x, double y, double across, double up) const
    {
        return std::hypot((u - x) / across, (v - y) / up) < 1;
    }
    bool in_box(double left, double right, double low, double high) const
    {
        return u >= left && u < right && v >= low && v < high;
    }
    // Corners in any order.
    bool in_triangle(double ax, double ay, double bx, double by, double cx, double cy) const
    {
        const auto side = [&](double px, double py, double qx, double qy) {
            return (qx - px) * (v - py) - (qy - py) * (u - px);
        };
        const double a = side(ax, ay, bx, by);
        const double b = side(bx, by, cx, cy);
        const double c = side(cx, cy, ax, ay);
        return (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0);
    }
};

double cat(double u, double v)
{
    const Place at{u, v};
    if (at.in_disc(0.38, 0.52, 0.035) || at.in_disc(0.62, 0.52, 0.035)) return 0.05; // pupils
    if (at.in_ellipse(0.38, 0.52, 0.085, 0.06) || at.in_ellipse(0.62, 0.52, 0.085, 0.06))
        return 0.95;
    if (at.in_triangle(0.455, 0.42, 0.545, 0.42, 0.5, 0.365)) return 0.2; // nose
    for (const double side : {-1.0, 1.0})
        for (const double tilt : {-0.25, 0.0, 0.25}) {
            const double along = side * (u - 0.5);
            const double off = v - 0.36 - tilt * (along - 0.1);
            if (along > 0.12 && along < 0.46 && std::abs(off) < 0.008) return 0.95; // whiskers
        }
    if (at.in_ellipse(0.5, 0.34, 0.14, 0.09)) return 0.8; // muzzle
    if (at.in_triangle(0.22, 0.62, 0.42, 0.7, 0.24, 0.86) ||
        at.in_triangle(0.78, 0.62, 0.58, 0.7, 0.76, 0.86))
        return 0.45;
    if (at.in_triangle(0.16, 0.5, 0.48, 0.72, 0.2, 0.95) ||
        at.in_triangle(0.84, 0.5, 0.52, 0.72, 0.8, 0.95))
        return 0.65; // ears
    if (at.in_ellipse(0.5, 0.45, 0.36, 0.32)) return 0.65;
    return 0.1 + 0.15 * v;
}

double lighthouse(double u, double v)
{
    const Place at{u, v};
    const double half = 0.11 - 0.06 * (v - 0.15);                        // half width of the tower
    if (at.in_box(0.28, 0.42, 0.79, 0.87)) return 0.98;                  // lamp
    if (at.in_triangle(0.26, 0.87, 0.44, 0.87, 0.35, 0.95)) return 0.15; // roof
    if (at.in_box(0.26, 0.44, 0.76, 0.79)) return 0.2;                   // gallery
    if (v > 0.15 && v < 0.76 && std::abs(u - 0.35) < half)
        return static_cast<int>((v - 0.15) / 0.122) % 2 == 0 ? 0.9 : 0.35;
    if (at.in_ellipse(0.35, 0.1, 0.3, 0.1)) return 0.12;                      // rock
    if (v < 0.2) return 0.25 + 0.08 * std::sin(60 * v + 8 * std::sin(9 * u)); // sea
    // The lighthouse's beam.
    if (u > 0.42 && std::abs(v - 0.83) < 0.05 + 0.25 * (u - 0.42)) return 0.75;
    return 0.3 + 0.15 * (1 - v);
}

double sailing_boat(double u, double v)
{
    const Place at{u, v};
    if (at.in_box(0.485, 0.505, 0.3, 0.92)) return 0.1;                 // mast
    if (at.in_triangle(0.52, 0.36, 0.82, 0.36, 0.52, 0.9)) return 0.95; // sails
    if (at.in_triangle(0.47, 0.36, 0.25, 0.36, 0.47, 0.8)) return 0.8;
    if (v > 0.2 && v < 0.32 && u > 0.2 + 0.9 * (0.32 - v) && u < 0.86 - 0.9 * (0.32 - v))
        return 0.15; // hull
    if (v < 0.24 + 0.02 * std::sin(30 * u)) return 0.35 + 0.07 * std::sin(50 * v + 10 * u);
    if (at.in_disc(0.14, 0.82, 0.09)) return 1;
    return 0.45 + 0.2 * v;
}

double rocket(double u, double v)
{
    const Place at{u, v};
    if (at.in_disc(0.5, 0.64, 0.055)) return 0.15; // window
    if (at.in_disc(0.5, 0.64, 0.075)) return 0.6;
    if (v > 0.3 && v < 0.95) {
        const double half = v < 0.7 ? 0.13 : 0.13 * std::sqrt(std::max(0.0, (0.95 - v) / 0.25));
        if (std::abs(u - 0.5) < half) return v > 0.8 ? 0.45 : 0.92;
    }
    if (at.in_triangle(0.37, 0.5, 0.37, 0.28, 0.24, 0.22) ||
        at.in_triangle(0.63, 0.5, 0.63, 0.28, 0.76, 0.22))
        return 0.5;                                                  // fins
    if (at.in_triangle(0.42, 0.3, 0.58, 0.3, 0.5, 0.05)) return 0.8; // flame
    constexpr std::array<std::array<double, 2>, 7> stars{
        {{0.12, 0.9}, {0.85, 0.8}, {0.2, 0.55}, {0.9, 0.5}, {0.1, 0.2}, {0.78, 0.95}, {0.3, 0.78}}};
    for (const auto& star : stars)
        if (at.in_disc(star[0], star[1], 0.014)) return 0.95;
    return 0.08 + 0.1 * v;
}

double mountains(double u, double v)
{
    const Place at{u, v};
    const auto peak = [&](double x, double y, double slope) { return y - slope * std::abs(u - x); };
    const double first = peak(0.36, 0.8, 1.5);
    const double second = peak(0.72, 0.6, 1.1);
    const double zigzag = 0.02 * std::abs(std::fmod(20 * u, 2.0) - 1);
    if (v < 0.14) return 0.3 + 0.05 * std::sin(40 * u); // meadow
    if (v < second) return v > 0.48 + zigzag ? 0.95 : 0.28;
    if (v < first) return v > 0.62 + zigzag ? 0.95 : 0.4;
    if (at.in_disc(0.82, 0.84, 0.09)) return 1;
    return 0.5 + 0.15 * (1 - v);
}

double umbrella(double u, double v)
{
    const Place at{u, v};
    const double below =
        0.52 + 0.05 * std::abs(std::sin((u - 0.12) / 0.76 * 4 * 3.14159265)); // rim
    if (at.in_ellipse(0.5, 0.52, 0.38, 0.36) && v > below)
        return static_cast<int>((u - 0.12) / 0.19) % 2 == 0 ? 0.9 : 0.45;
    if (at.in_box(0.488, 0.512, 0.16, 0.93)) return 0.15; // stick
    const double hook = std::hypot(u - 0.57, v - 0.16);
    if (v < 0.16 && hook > 0.058 && hook < 0.082) return 0.15;
    // Rain.
    if (v > below && std::abs(std::fmod(u + 0.3 * v, 0.1) - 0.05) < 0.006 &&
        std::fmod(v + 2.7 * u, 0.2) < 0.1)
        return 0.75;
    return 0.3 + 0.1 * v;
}

double fish(double u, double v)
{
    const Place at{u, v};
    if (at.in_disc(0.28, 0.55, 0.022)) return 0.05;
    if (at.in_disc(0.28, 0.55, 0.05)) return 0.95;
    if (at.in_triangle(0.52, 0.42, 0.62, 0.42, 0.64, 0.3)) return 0.4; // fin
    if (at.in_ellipse(0.44, 0.5, 0.3, 0.2))
        return u > 0.36 && static_cast<int>((u - 0.36) / 0.07) % 2 == 0 ? 0.5 : 0.85;
    if (at.in_triangle(0.68, 0.5, 0.92, 0.72, 0.92, 0.28)) return 0.65; // tail
    for (const double y : {0.68, 0.78, 0.9})
        if (at.in_disc(0.13 + 0.05 * std::sin(9 * y), y, 0.02)) return 0.8; // bubbles
    return 0.18 + 0.12 * v + 0.03 * std::sin(25 * v + 5 * std::sin(6 * u));
}

double balloon(double u, double v)
{
    const Place at{u, v};
    if (at.in_box(0.445, 0.555, 0.1, 0.18)) return 0.2; // basket
    const double rope = 0.05 + 0.45 * (v - 0.18);       // distance of both ropes from the middle
    if (v > 0.18 && v < 0.36 && std::abs(std::abs(u - 0.5) - rope) < 0.007) return 0.1;
    const double widest = 0.3; // the envelope: a ball above, tapering to its mouth
    const double half = v >= 0.62
                            ? std::sqrt(std::max(0.0, widest * widest - (v - 0.62) * (v - 0.62)))
                        : v > 0.3 ? 0.1 + 0.2 * std::sin((v - 0.3) / 0.32 * 1.5707963)
                                  : 0;
    if (half > 0 && std::abs(u - 0.5) < half)
        return static_cast<int>((u - 0.5 + half) / (2 * half) * 5) % 2 == 0 ? 0.95 : 0.55;
    for (const auto& cloud : {std::array{0.16, 0.3}, std::array{0.86, 0.42}})
        if (at.in_ellipse(cloud[0], cloud[1], 0.11, 0.035) ||
            at.in_disc(cloud[0] - 0.02, cloud[1] + 0.03, 0.05))
            return 0.8;
    return 0.28 + 0.12 * (1 - v);
}

double cactus(double u, double v)
{
    const Place at{u, v};
    // A stem and an arm are bars with round ends.
    const auto in_bar = [&](double x, double low, double high, double half) {
        return at.in_box(x - half, x + half, low, high) || at.in_disc(x, low, half) ||
               at.in_disc(x, high, half);
    };
    const auto lies = [&](double y, double left, double right, double half) {
        return at.in_box(left, right, y - half, y + half) || at.in_disc(left, y, half) ||
               at.in_disc(right, y, half);
    };
    for (const double y : {0.33, 0.45, 0.57, 0.69, 0.81})
        for (const double x : {0.46, 0.54})
            if (at.in_disc(x, y, 0.01)) return 0.15; // spines
    if (in_bar(0.5, 0.25, 0.82, 0.09)) return 0.75;
    if (in_bar(0.27, 0.5, 0.66, 0.055) || lies(0.5, 0.27, 0.45, 0.055)) return 0.62;
    if (in_bar(0.74, 0.42, 0.6, 0.055) || lies(0.42, 0.55, 0.74, 0.055)) return 0.62;
    if (v > 0.07 && v < 0.25 && std::abs(u - 0.5) < 0.13 + 0.2 * (v - 0.07)) return 0.4; // pot
    if (v < 0.1 + 0.015 * std::sin(14 * u)) return 0.55;                                 // sand
    if (at.in_disc(0.84, 0.84, 0.08)) return 1;                                          // sun
    return 0.22 + 0.1 * (1 - v);
}

double snowman(double u, double v)
{
    const Place at{u, v};
    if (at.in_box(0.41, 0.59, 0.86, 0.97) || at.in_box(0.35, 0.65, 0.835, 0.865))
        return 0.08;                                                                 // hat
    if (at.in_disc(0.46, 0.78, 0.016) || at.in_disc(0.54, 0.78, 0.016)) return 0.05; // eyes
    if (at.in_triangle(0.49, 0.765, 0.49, 0.725, 0.62, 0.735)) return 0.5;           // nose
    for (const double y : {0.6, 0.52, 0.44})
        if (at.in_disc(0.5, y, 0.016)) return 0.1; // buttons
    for (const double side : {-1.0, 1.0}) {        // arms
        const double along = side * (u - 0.5);
        if (along > 0.14 && along < 0.4 && std::abs(v - 0.5 - 0.6 * (along - 0.14)) < 0.014)
            return 0.15;
    }
    if (at.in_disc(0.5, 0.75, 0.11)) return 0.97;
    if (at.in_disc(0.5, 0.53, 0.16)) return 0.92;
    if (at.in_disc(0.5, 0.24, 0.22)) return 0.87;
    if (v < 0.12 + 0.02 * std::sin(9 * u)) return 0.75; // snow on the ground
    if (std::hypot(std::fmod(u + 0.31 * std::floor(8 * v), 0.16) - 0.08,
                   std::fmod(v, 0.125) - 0.0625) < 0.009)
        return 0.9; // flakes
    return 0.25 + 0.1 * v;
}

constexpr std::array every_drawing{Drawing{"cat", cat},
                                   Drawing{"lighthouse", lighthouse},
                                   Drawing{"sailing_boat", sailing_boat},
                                   Drawing{"rocket", rocket},
                                   Drawing{"mountains", mountains},
                                   Drawing{"umbrella", umbrella},
                                   Drawing{"fish", fish},
                                   Drawing{"balloon", balloon},
                                   Drawing{"cactus", cactus},
                                   Drawing{"snowman", snowman}};

} // namespace

std::span<const Drawing> drawings()
{
    return every_drawing;
}

const Drawing& drawing_named(std::string_view name)
{
    for (const Drawing& one : every_drawing)
        if (one.name == name) return one;
    throw std::out_of_range(std::string(name));
}

std::vector<float> drawn(const Drawing& drawing, int width, int height, std::uint64_t seed)
{
    constexpr double grain = 0.05;
    constexpr int finest = 1024; // finer detail would be invisible and slow
    const int columns = std::min(width, finest);
    const int rows = std::min(height, finest);
    std::vector<float> scene(static_cast<std::size_t>(columns) * rows);
    in_parallel(
        rows,
        [&](std::size_t y, std::size_t end) {
            for (; y < end; ++y)
                for (int x = 0; x < columns; ++x)
                    scene[y * columns + x] = static_cast<float>(
                        (1 - grain) * std::clamp(drawing.at((x + 0.5) / columns,
                                                            (static_cast<double>(y) + 0.5) / rows),
                                                 0.0, 1.0));
        },
        64);
    std::vector<float> values(static_cast<std::size_t>(width) * height);
    const std::uint64_t stream = scramble(seed);
    in_parallel(
        height,
        [&](std::size_t y, std::size_t end) {
            for (; y < end; ++y) {
                const float* const row = &scene[y * rows / height * columns];
                for (std::size_t x = 0; x < static_cast<std::size_t>(width); ++x) {
                    const std::size_t i = y * width + x;
                    values[i] = row[x * columns / width] +
                                static_cast<float>(grain * scrambled_unit(stream + i));
                }
            }
        },
        256);
    return values;
}

} // namespace lanescope::labs
