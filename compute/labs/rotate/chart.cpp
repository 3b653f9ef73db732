// The test chart, and sampling in double precision.
#include "compute/labs/rotate/chart.h"

#include <algorithm>
#include <cmath>

#include "compute/experiment/inputs/parallel.h"

namespace lanescope::labs::rotate {
namespace {

using Colour = std::array<double, 4>;

bool within(double x, double low, double high)
{
    return x >= low && x < high;
}

// A house in the sun, whose rotation is easy to see. Sun rays, tiles, panes and fence have
// single-texel detail, where filters differ.
Colour chart_colour(double u, double v, int x, int y)
{
    constexpr Colour white{245, 245, 245, 255};
    const double du = u - 0.26;
    const double dv = v - 0.72;
    if (std::hypot(du, dv) < 0.2) { // a star of 36 rays
        const bool ray =
            static_cast<int>(std::floor(std::atan2(dv, du) * 36 / std::acos(-1.0))) % 2 == 0;
        return ray ? Colour{255, 214, 60, 255} : Colour{196, 96, 20, 255};
    }
    if (v < 0.12) return x % 2 == 0 ? white : Colour{70, 45, 30, 255}; // a fence
    if (within(u, 0.66, 0.76) && within(v, 0.12, 0.34)) return {110, 40, 30, 255};
    if (within(u, 0.53, 0.63) && within(v, 0.3, 0.42))
        return (x + y) % 2 == 0 ? white : Colour{20, 20, 40, 255}; // panes
    if (within(u, 0.79, 0.89) && within(v, 0.3, 0.42))
        return (x + y) % 2 == 0 ? white : Colour{20, 20, 40, 255};
    if (within(u, 0.48, 0.94) && within(v, 0.12, 0.52)) return {226, 196, 150, 255};
    if (v >= 0.52 && v < 0.8 - std::abs(u - 0.71)) // a roof of rows of tiles
        return y % 3 == 0 ? Colour{90, 20, 24, 255} : Colour{190, 52, 44, 255};
    if (v < 0.24) return {60 + 40 * u, 140 + 60 * v, 60, 255}; // a meadow
    const bool light = (static_cast<int>(u * 16) + static_cast<int>(v * 16)) % 2 == 0;
    const double shade = light ? 1.0 : 0.88;
    return {shade * (70 + 60 * u), shade * (140 + 50 * v), shade * 235, 255};
}

int resolve(int i, int size, device::AddressMode mode)
{
    const auto modulo = [](int a, int b) { return (a % b + b) % b; };
    switch (mode) {
    case device::AddressMode::clamp: return std::clamp(i, 0, size - 1);
    case device::AddressMode::wrap: return modulo(i, size);
    case device::AddressMode::mirror: {
        const int k = modulo(i, 2 * size);
        return k < size ? k : 2 * size - 1 - k;
    }
    case device::AddressMode::border: return i >= 0 && i < size ? i : -1;
    }
    return -1;
}

Colour texel(const Sampler& sampler, double column, double row)
{
    constexpr double farthest = 1 << 30; // fits in an int even after adding a picture's width
    const Rgba8Image& source = sampler.source;
    if (!(std::abs(column) < farthest && std::abs(row) < farthest)) return {};
    const int i = resolve(static_cast<int>(column), source.width, sampler.mode);
    const int j = resolve(static_cast<int>(row), source.height, sampler.mode);
    if (i < 0 || j < 0) return {};
    const std::uint8_t* bytes =
        &source.pixels[4 * (static_cast<std::size_t>(j) * source.width + i)];
    return {static_cast<double>(bytes[0]), static_cast<double>(bytes[1]),
            static_cast<double>(bytes[2]), static_cast<double>(bytes[3])};
}

// A texture unit rounds coordinates and weights to 1/256 of a texel: an error of at most half of
// that.
constexpr double half_step = 1.0 / 512;
// A coordinate in [0, 1] is a product of two single-precision numbers, the position in texels and
// the size of a texel: two roundings of 2^-24 each. It is then truncated to 21 fractional bits, by
// at most 1/256 of a texel.
constexpr double scaling = 0x1p-23;
constexpr double cut_off = 0x1p-21;

// Range of valid colours at (u, v), given in texels.
std::array<Range, 4> sample(const Sampler& sampler, double u, double v)
{
    std::array<Range, 4> seen;
    if (sampler.filter == device::Filter::point) {
        const Colour colour = texel(sampler, std::floor(u), std::floor(v));
        for (int c = 0; c < 4; ++c) seen[c] = {colour[c], colour[c]};
        return seen;
    }
    const double left = std::floor(u - 0.5);
    const double below = std::floor(v - 0.5);
    const double a = u - 0.5 - left;
    const double b = v - 0.5 - below;
    const Colour corners[4] = {texel(sampler, left, below), texel(sampler, left + 1, below),
                               texel(sampler, left, below + 1),
                               texel(sampler, left + 1, below + 1)};
    for (int c = 0; c < 4; ++c) {
        const double mixed = (1 - a) * (1 - b) * corners[0][c] + a * (1 - b) * corners[1][c] +
                             (1 - a) * b * corners[2][c] + a * b * corners[3][c];
        // The four rounded weights still sum to one, also along both axes: if one grows, its two
        // neighbours shrink by the same amount and the opposite one grows.
        const double twist = corners[0][c] - corners[1][c] - corners[2][c] + corners[3][c];
        const double rounding = sampler.texture_unit ? half_step * std::abs(twist) : 0;
        seen[c] = {mixed - rounding, mixed + rounding};
    }
    return seen;
}

// The interval along one axis that must contain the texture unit's coordinate, with a texel centre
// in between if there is one: colours are linear between centres.
std::vector<double> places(const Sampler& sampler, double texels, int size)
{
    if (!sampler.texture_unit) return {texels};
    const double slack = half_step + scaling * std::abs(texels);
    const double low = texels - slack - std::min(cut_off * size, 1.0 / 256);
    const double high = texels + slack;
    std::vector<double> found{low, high};
    const double centre = std::floor(texels) + 0.5;
    if (low < centre && centre < high) found.push_back(centre);
    return found;
}

} // namespace

Rgba8Image chart(int size)
{
    Rgba8Image image{size, size, std::vector<std::uint8_t>(std::size_t{4} * size * size)};
    in_parallel(
        size,
        [&](std::size_t first, std::size_t end) {
            std::uint8_t* to = &image.pixels[4 * size * first];
            for (auto y = static_cast<int>(first); y < static_cast<int>(end); ++y)
                for (int x = 0; x < size; ++x)
                    for (const double channel :
                         chart_colour((x + 0.5) / size, (y + 0.5) / size, x, y))
                        *to++ = static_cast<std::uint8_t>(channel);
        },
        256);
    return image;
}

std::array<Range, 4> allowed(const Sampler& sampler, const Turn& turn, int width, int height, int x,
                             int y)
{
    // In single precision like the kernels, so that a point on the border of two texels falls on
    // the same side.
    const float dx = static_cast<float>(x) + turn.shift - 0.5F * static_cast<float>(width);
    const float dy = static_cast<float>(y) + turn.shift - 0.5F * static_cast<float>(height);
    const float u = std::fma(
        turn.cosine, dx, std::fma(turn.sine, dy, 0.5F * static_cast<float>(sampler.source.width)));
    const float v =
        std::fma(-turn.sine, dx,
                 std::fma(turn.cosine, dy, 0.5F * static_cast<float>(sampler.source.height)));

    std::array<Range, 4> ranges;
    ranges.fill({1e9, -1e9});
    for (const double place_v : places(sampler, v, sampler.source.height))
        for (const double place_u : places(sampler, u, sampler.source.width)) {
            const std::array<Range, 4> seen = sample(sampler, place_u, place_v);
            for (int c = 0; c < 4; ++c) {
                ranges[c].low = std::min(ranges[c].low, seen[c].low);
                ranges[c].high = std::max(ranges[c].high, seen[c].high);
            }
        }
    return ranges;
}

} // namespace lanescope::labs::rotate
