// Colour maps start and end with the right colours and get lighter monotonically; scales have round
// numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "render/views/colours/colour_maps.h"
#include "render/views/colours/scale.h"

namespace lanescope::render {
namespace {

double lightness(Colour colour)
{
    return 0.2126 * colour.red + 0.7152 * colour.green + 0.0722 * colour.blue;
}

TEST(ColourMaps, LightnessIncreasesMonotonically)
{
    for (const ColourMap map : all_colour_maps) {
        if (map == ColourMap::shortfall) continue; // gets darker
        const auto table = colours(map);
        for (std::size_t i = 1; i < table.size(); ++i)
            EXPECT_GE(lightness(table[i]), lightness(table[i - 1]) - 0.6)
                << name(map) << " at " << i;
        // `excess` begins with a bright colour for the ideal, so its lightness varies less.
        const double range = map == ColourMap::excess ? 100 : 150;
        EXPECT_GT(lightness(table[255]) - lightness(table[0]), range) << name(map);
    }
}

TEST(ColourMaps, IdealHasSameColourInBothDirections)
{
    for (std::size_t i = 0; i < 256; ++i)
        EXPECT_EQ(colours(ColourMap::shortfall)[i], colours(ColourMap::excess)[255 - i]) << i;
}

// Published tables of 256 colours. Our maps interpolate ten colours of each; those of cividis are
// from the R package, in which both ends are a little lighter.
TEST(ColourMaps, MatchPublishedTables)
{
    std::ifstream file(LANESCOPE_SOURCE_DIR "/tests/unit/render/published_colours.txt");
    std::string map_name;
    int maps = 0;
    for (; file >> map_name; ++maps) {
        const auto found =
            std::ranges::find(all_colour_maps, map_name, [](ColourMap map) { return name(map); });
        ASSERT_NE(found, all_colour_maps.end()) << map_name;
        const auto table = colours(*found);
        const bool other_ends = map_name == "cividis";
        double sum = 0;
        for (std::size_t i = 0; i < table.size(); ++i) {
            std::uint32_t published = 0;
            file >> std::hex >> published;
            const int off =
                std::max({std::abs(table[i].red - static_cast<int>(published >> 16)),
                          std::abs(table[i].green - static_cast<int>(published >> 8 & 255)),
                          std::abs(table[i].blue - static_cast<int>(published & 255))});
            EXPECT_LE(off, other_ends ? 22 : 12) << map_name << " at " << i;
            sum += off;
        }
        EXPECT_LE(sum / 256, other_ends ? 4.6 : 1.8) << map_name;
    }
    EXPECT_EQ(maps, 4);
}

TEST(ColourMaps, ContainPublishedColours)
{
    EXPECT_EQ(colours(ColourMap::viridis)[0], (Colour{0x44, 0x01, 0x54}));
    EXPECT_EQ(colours(ColourMap::viridis)[255], (Colour{0xFD, 0xE7, 0x25}));
    EXPECT_EQ(colours(ColourMap::inferno)[255], (Colour{0xFC, 0xFF, 0xA4}));
    // Published colours between our control points: the difference must be barely visible.
    const struct {
        ColourMap map;
        std::size_t at;
        Colour published;
    } between[] = {{ColourMap::viridis, 128, {0x21, 0x91, 0x8C}},
                   {ColourMap::plasma, 64, {0x7E, 0x03, 0xA8}},
                   {ColourMap::plasma, 191, {0xF8, 0x94, 0x41}}};
    for (const auto& [map, at, published] : between) {
        const Colour got = colours(map)[at];
        EXPECT_NEAR(got.red, published.red, 6) << name(map) << ' ' << at;
        EXPECT_NEAR(got.green, published.green, 6) << name(map) << ' ' << at;
        EXPECT_NEAR(got.blue, published.blue, 6) << name(map) << ' ' << at;
    }
}

std::vector<std::string> labels(double low, double high, int wanted)
{
    std::vector<std::string> texts;
    for (const Tick& tick : ticks(low, high, wanted)) texts.push_back(tick.label);
    return texts;
}

TEST(Ticks, AreRound)
{
    EXPECT_EQ(labels(0, 1, 5),
              (std::vector<std::string>{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
    EXPECT_EQ(labels(20, 100, 4), (std::vector<std::string>{"20", "40", "60", "80", "100"}));
    EXPECT_EQ(labels(-1, 1, 2), (std::vector<std::string>{"-1", "0", "1"}));
    EXPECT_EQ(labels(1, 32, 4), (std::vector<std::string>{"10", "20", "30"}));
    EXPECT_EQ(labels(3, 3, 4), (std::vector<std::string>{"3"}));
    EXPECT_EQ(labels(-1000, 2000, 3), (std::vector<std::string>{"-1,000", "0", "1,000", "2,000"}));
    EXPECT_EQ(labels(0, 200000, 2), (std::vector<std::string>{"0", "100,000", "200,000"}));
    EXPECT_EQ(labels(0, 12.8e6, 3), (std::vector<std::string>{"0", "5 M", "10 M"}));
    EXPECT_EQ(labels(0, 2e9, 4), (std::vector<std::string>{"0", "0.5 G", "1 G", "1.5 G", "2 G"}));
}

TEST(Scales, NameTheirUnit)
{
    EXPECT_EQ((Scale{0, 1, ColourMap::viridis, false, "temperature", "°C"}).title(),
              "temperature (°C)");
    EXPECT_EQ((Scale{0, 1, ColourMap::viridis, false, "share", ""}).title(), "share");
}

} // namespace
} // namespace lanescope::render
