// Rotation: the reference at angles with known results, and the lab with a user's picture.
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "compute/labs/rotate/chart.h"

namespace lanescope::labs::rotate {
namespace {

using device::AddressMode;
using device::Filter;

// Pixel (x, y) has the value 10 x + y in its red channel.
Rgba8Image numbered(int width, int height)
{
    Rgba8Image image{width, height, {}};
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (const int channel : {10 * x + y, 0, 0, 255})
                image.pixels.push_back(static_cast<std::uint8_t>(channel));
    return image;
}

double red(const Sampler& sampler, const Turn& turn, int x, int y, int size = 8)
{
    const Range range = allowed(sampler, turn, size, size, x, y)[0];
    EXPECT_EQ(range.low, range.high);
    return range.low;
}

TEST(Rotate, ZeroAngleIsIdentity)
{
    const Rgba8Image source = numbered(8, 8);
    for (const Filter filter : {Filter::point, Filter::linear})
        EXPECT_EQ(red({source, AddressMode::border, filter}, {}, 3, 5), 35);
}

TEST(Rotate, QuarterTurn)
{
    const Rgba8Image source = numbered(8, 8);
    const Turn turn{.cosine = 0, .sine = 1};
    // The pixel at (dx, dy) from the centre samples at (dy, -dx): pixel (3, 5) reads texel (5, 4).
    EXPECT_EQ(red({source, AddressMode::border, Filter::point}, turn, 3, 5), 54);
}

TEST(Rotate, HalfTexelMistakeBlursAndShifts)
{
    const Rgba8Image source = numbered(8, 8);
    const Turn mistaken{.shift = 0};
    // Samples the corner of four texels: their mean is that of 24, 34, 25 and 35.
    EXPECT_DOUBLE_EQ(red({source, AddressMode::border, Filter::linear}, mistaken, 3, 5), 29.5);
}

TEST(Rotate, AddressModesBeyondTheEdge)
{
    const Rgba8Image source = numbered(8, 8);
    const Turn out{.cosine = 2}; // pixel 0 samples 4 - 2 * 3.5 = -3, pixel 7 samples 11
    const auto at = [&](AddressMode mode, int x) {
        return red({source, mode, Filter::point}, out, x, 4);
    };
    const int row = 5; // row of the texel: 4 + 2 * 0.5
    EXPECT_EQ(at(AddressMode::border, 0), 0);
    EXPECT_EQ(at(AddressMode::clamp, 0), row);
    EXPECT_EQ(at(AddressMode::wrap, 0), 50 + row);
    EXPECT_EQ(at(AddressMode::mirror, 0), 20 + row);
    EXPECT_EQ(at(AddressMode::wrap, 7), 30 + row);
    EXPECT_EQ(at(AddressMode::mirror, 7), 40 + row);
}

TEST(Rotate, TextureUnitMayReadNeighbour)
{
    const Rgba8Image source = numbered(8, 8);
    const Turn mistaken{.shift = 0}; // samples the boundary between texels 2 and 3
    const Sampler sampler{source, AddressMode::border, Filter::point, true};
    const Range range = allowed(sampler, mistaken, 8, 8, 3, 5)[0];
    EXPECT_EQ(range.low, 24);
    EXPECT_EQ(range.high, 35);
}

TEST(Rotate, OnSlopeOnlyCoordinatesAreRounded)
{
    const Rgba8Image source = numbered(8, 8);
    const Turn mistaken{.shift = 0};
    const Sampler sampler{source, AddressMode::border, Filter::linear, true};
    const Range range = allowed(sampler, mistaken, 8, 8, 3, 5)[0];
    // Values rise by 1 and 10 per texel, and each coordinate may be off by half a step of 1/256.
    EXPECT_NEAR(range.low, 29.5 - 11.0 / 512, 1e-4);
    EXPECT_NEAR(range.high, 29.5 + 11.0 / 512, 1e-4);
}

// The picture that the H100 rotated: an F, a star, single texels and lines on a checkerboard.
std::array<double, 4> reference_colour(double u, double v, int x, int y)
{
    const auto within = [](double at, double low, double high) { return at >= low && at < high; };
    const auto either = [](bool first) {
        return first ? std::array<double, 4>{230, 230, 230, 255}
                     : std::array<double, 4>{40, 40, 40, 255};
    };
    if (std::hypot(u - 0.5, v - 0.5) < 0.2) { // a star of 36 rays
        const double turn = std::atan2(v - 0.5, u - 0.5) * 36 / std::acos(-1.0);
        if (static_cast<int>(std::floor(turn)) % 2 == 0) return {245, 245, 245, 255};
        return {20, 20, 28, 255};
    }
    if ((within(u, 0.07, 0.11) && within(v, 0.6, 0.93)) ||
        (within(u, 0.07, 0.27) && within(v, 0.88, 0.93)) ||
        (within(u, 0.07, 0.21) && within(v, 0.76, 0.8)))
        return {250, 240, 120, 255};
    if (u > 0.72 && v > 0.72 && u < 0.94 && v < 0.94) { // single texels
        if ((x + y) % 2 == 0) return {255, 255, 255, 255};
        return {0, 0, 0, 255};
    }
    if (v < 0.1) return either(x % 2 == 0);
    if (u > 0.9) return either(y % 3 == 0);
    const bool light = (static_cast<int>(u * 16) + static_cast<int>(v * 16)) % 2 == 0;
    const double shade = light ? 1.0 : 0.72;
    return {shade * (40 + 190 * u), shade * (60 + 120 * v), shade * (210 - 150 * u), 255};
}

Rgba8Image reference_picture(int size)
{
    Rgba8Image image{size, size, {}};
    for (int y = 0; y < size; ++y)
        for (int x = 0; x < size; ++x)
            for (const double channel : reference_colour((x + 0.5) / size, (y + 0.5) / size, x, y))
                image.pixels.push_back(static_cast<std::uint8_t>(channel));
    return image;
}

// Channel 0 of four pixels as an H100 computed it, five steps after the start. They are centres of
// single texels, alternately black and white, where the rounding of weights shows most.
TEST(Rotate, AllowsHardwareResult)
{
    struct Seen {
        int size;
        double degrees;
        double zoom;
        AddressMode mode;
        float shift;
        int x;
        int y;
        double level;
    };
    for (const Seen& seen : {Seen{129, -74.5, 0.7, AddressMode::wrap, 0.5F, 19, 17, 125},
                             Seen{100, 12.5, 20, AddressMode::border, 0.5F, 58, 9, 133},
                             Seen{128, 202.5, 1, AddressMode::clamp, 0.0F, 48, 11, 124},
                             Seen{31, 47.5, 0.4, AddressMode::mirror, 0.5F, 15, 20, 121}}) {
        const Rgba8Image source = reference_picture(seen.size);
        const double radians = seen.degrees * std::acos(-1.0) / 180;
        const Turn turn{.cosine = static_cast<float>(std::cos(radians) / seen.zoom),
                        .sine = static_cast<float>(std::sin(radians) / seen.zoom),
                        .shift = seen.shift};
        const Sampler sampler{source, seen.mode, Filter::linear, true};
        const Range range = allowed(sampler, turn, seen.size, seen.size, seen.x, seen.y)[0];
        EXPECT_LE(range.low, seen.level + 0.5) << seen.size;
        EXPECT_GE(range.high, seen.level - 0.5) << seen.size;
        EXPECT_LT(range.high - range.low, 3) << seen.size;
    }
}

TEST(Rotate, ChartCornersDiffer)
{
    const Rgba8Image image = chart(64);
    const auto pixel = [&](int x, int y) {
        return std::vector(image.pixels.begin() + 4 * (64 * y + x),
                           image.pixels.begin() + 4 * (64 * y + x) + 3);
    };
    EXPECT_NE(pixel(2, 20), pixel(50, 20));
    EXPECT_NE(pixel(2, 20), pixel(2, 40));
}

} // namespace
} // namespace lanescope::labs::rotate
