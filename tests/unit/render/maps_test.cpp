// Heatmaps of warps over the picture and of a buffer's sectors, and drawings of a warp's lanes.
#include <gmock/gmock.h>

#include <cstdlib>
#include <map>

#include "render/views/field.h"
#include "render/views/labels.h"
#include "render/views/lanes.h"
#include "render/views/maps/memory_map.h"
#include "render/views/maps/warp_map.h"
#include "render/views/slots.h"
#include "tests/unit/render/scene.h"

namespace lanescope::render {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using trace::WarpCounts;

constexpr Colour black{0, 0, 0};
constexpr Colour white{255, 255, 255};

// Two blocks of two warps. Each warp stored 4 × 1 elements of a picture of 8 × 2, except for the
// last element, which was never stored.
struct Example {
    std::vector<std::uint32_t> owners{1, 1, 1, 1, 3, 3, 3, 3, 2, 2, 2, 2, 4, 4, 4, 0};
    std::vector<WarpCounts> warps = std::vector<WarpCounts>(4);
    // All from one level; half from each of two; nothing read.
    std::vector<trace::Served> served{{.l1 = 8}, {.dram = 16}, {.l1 = 5, .l2 = 5}, {.written = 9}};
    Example()
    {
        for (std::uint32_t i = 0; i < 4; ++i) {
            warps[i].warp_instructions = 10;
            warps[i].thread_instructions = 80 * (i + 1);
            warps[i].global_requests = 2;
            warps[i].memory_lanes = 64;
            warps[i].global_sectors = 8 << i;
            warps[i].global_ideal_sectors = 8;
        }
        warps[3].global_ideal_sectors = warps[3].global_sectors = 0;
    }
};

class WarpMap : public Scene {
protected:
    Pixels draw(WarpMetric metric, const Scale& scale, float blend, int width = 160)
    {
        const gl::Buffer owners = filled(example_.owners);
        const gl::Buffer warps = filled(example_.warps);
        const gl::Buffer served = filled(example_.served);
        WarpMapView view;
        const int height = width / 4;
        return picture(width, height, [&] {
            view.draw({.owners = owners.id(),
                       .width = 8,
                       .height = 2,
                       .warps = warps.id(),
                       .warp_count = 4,
                       .warps_per_block = 2,
                       .served = served.id()},
                      metric, place({0, 0, width, height}, 4), {scale, white, {6, 1, white}},
                      blend);
        });
    }
    Example example_;
};

TEST_F(WarpMap, MixesColoursOfLevels)
{
    const Scale scale = fixed_scale(WarpMetric::served_cold);
    EXPECT_THAT(scale.classes, testing::ElementsAre("L1", "L2", "DRAM"));
    const auto drawn = draw(WarpMetric::served_cold, scale, 1);
    const auto expect_near = [&](int x, int y, Colour wanted) {
        const Colour seen = pixel(drawn, x, y);
        EXPECT_NEAR(seen.red, wanted.red, 2) << x << ", " << y;
        EXPECT_NEAR(seen.green, wanted.green, 2) << x << ", " << y;
        EXPECT_NEAR(seen.blue, wanted.blue, 2) << x << ", " << y;
    };
    expect_near(30, 30, colour_at(scale.map, 0));
    expect_near(30, 10, colour_at(scale.map, 1));
    expect_near(110, 30, mixed_levels(0.5, 0.5, 0));
    expect_near(110, 10, black); // read nothing
    EXPECT_EQ(mixed_levels(0, 0, 1), colour_at(scale.map, 1));
}

TEST_F(WarpMap, ColoursElementsByWarp)
{
    const Scale scale = fixed_scale(WarpMetric::active_lanes);
    const auto drawn = draw(WarpMetric::active_lanes, scale, 1);
    EXPECT_EQ(pixel(drawn, 30, 30), colour_at(scale.map, 8.0f / 32));
    EXPECT_EQ(pixel(drawn, 30, 10), colour_at(scale.map, 16.0f / 32));
    EXPECT_EQ(pixel(drawn, 110, 30), colour_at(scale.map, 24.0f / 32));
    EXPECT_EQ(pixel(drawn, 110, 10), colour_at(scale.map, 1.0f));
    EXPECT_EQ(pixel(drawn, 150, 10), black) << "nothing was stored here";
}

// Computing cells into an image gives the same pixels as drawing them: with one to four samples per
// pixel, zoomed and clipped, at fractional offsets, and blended with the picture below.
TEST_F(WarpMap, ComputedCellsEqualDrawnCells)
{
    constexpr int side = 96;
    std::vector<float> values(side * side);
    std::vector<std::uint32_t> owners(side * side);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i % 251) / 251.0F;
        owners[i] = static_cast<std::uint32_t>(i / 7 % 5); // 0: nothing stored
    }
    const gl::Buffer field = filled(values), owned = filled(owners), warps = filled(example_.warps);
    Scale scale;
    scale.map = ColourMap::viridis;
    const Scale lanes = fixed_scale(WarpMetric::active_lanes);
    const auto drawn = [&](const char* cells, int px, const PanZoom& zoom) {
        setenv("LANESCOPE_CELLS", cells, 1);
        FieldView below;
        WarpMapView map;
        unsetenv("LANESCOPE_CELLS");
        return picture(128, 128, [&] {
            const Placement placement = place({5, 3, px + 9, px}, 1, zoom);
            below.draw({field.id(), side, side}, scale, placement);
            map.draw({owned.id(), side, side, warps.id(), 4, 2}, WarpMetric::active_lanes,
                     placement, {lanes, white, {6, 1, white}}, 0.6F);
        });
    };
    PanZoom closer;
    closer.zoom_at({0.31, 0.64}, 3.7);
    for (const PanZoom& zoom : {PanZoom{}, closer})
        for (const int px : {110, 80, 41, 27, 20}) {
            const Pixels computed = drawn("computed", px, zoom), at_once = drawn("drawn", px, zoom);
            int unlike = 0;
            for (std::size_t i = 0; i < computed.rgb.size(); ++i)
                unlike += std::abs(computed.rgb[i] - at_once.rgb[i]) > 1 ? 1 : 0; // rounded twice
            EXPECT_EQ(unlike, 0) << px << " pixels";
            EXPECT_GT(count_pixels(at_once, black), 0);
            EXPECT_LT(count_pixels(at_once, black), 128 * 128 - px * px / 2);
        }
}

TEST_F(WarpMap, DrawsBlockAndWarpBorders)
{
    const auto drawn = draw(WarpMetric::active_lanes, fixed_scale(WarpMetric::active_lanes), 1);
    EXPECT_EQ(pixel(drawn, 79, 30), white);
    EXPECT_EQ(pixel(drawn, 80, 30), white);
    EXPECT_NE(pixel(drawn, 40, 30), white);
    const Colour between_warps = pixel(drawn, 30, 20);
    EXPECT_NE(between_warps, white);
    EXPECT_NE(between_warps, pixel(drawn, 30, 25));
    const auto small = draw(WarpMetric::active_lanes, fixed_scale(WarpMetric::active_lanes), 1, 16);
    EXPECT_EQ(count_pixels(small, white), 0) << "no room for borders";
    const auto medium =
        draw(WarpMetric::active_lanes, fixed_scale(WarpMetric::active_lanes), 1, 88);
    EXPECT_EQ(pixel(medium, 44, 15), white);
    EXPECT_EQ(pixel(medium, 20, 11), pixel(medium, 20, 15)) << "11 pixels per warp: no borders";
}

TEST_F(WarpMap, SkipsWarpsWithoutValueAndBlends)
{
    const Scale scale = fixed_scale(WarpMetric::sector_excess);
    const auto drawn = draw(WarpMetric::sector_excess, scale, 0.5f);
    EXPECT_EQ(colour_at(scale.map, 0), colours(ColourMap::excess).front()) << "ideal is calm";
    const Colour full = colour_at(scale.map, 1.0f / 7);
    EXPECT_NEAR(pixel(drawn, 30, 10).blue, full.blue / 2, 1);
    EXPECT_EQ(pixel(drawn, 110, 10), black);
}

TEST_F(WarpMap, AutomaticScalesSpanTheValues)
{
    const auto scale_of = [&](WarpMetric metric) {
        return automatic_scale(metric, range_of(metric, example_.warps).value());
    };
    const Scale scale = scale_of(WarpMetric::sector_excess);
    EXPECT_TRUE(scale.automatic);
    EXPECT_EQ(scale.low, 1) << "ideal, whatever the least is";
    EXPECT_EQ(scale.high, 4);
    EXPECT_EQ(scale_of(WarpMetric::active_lanes).low, 8);
    EXPECT_EQ(scale_of(WarpMetric::active_lanes).high, 32);
    EXPECT_EQ(scale_of(WarpMetric::sectors).low, 0);
    EXPECT_EQ(scale_of(WarpMetric::sectors).high, 50) << "32, rounded up to 1, 2 or 5";
    EXPECT_EQ(value(WarpMetric::sector_excess, example_.warps[3]), std::nullopt);
    EXPECT_EQ(value(WarpMetric::sectors, example_.warps[2]), 32);
    EXPECT_EQ(value(WarpMetric::active_lanes, example_.warps[0]), 8);
    EXPECT_FALSE(range_of(WarpMetric::bank_conflicts, example_.warps)) << "nobody used banks";
}

std::vector<std::string> labels(const Scale& scale)
{
    std::vector<std::string> all;
    for (const Tick& tick : ticks(scale, 8)) all.push_back(tick.label);
    return all;
}

// Every scale has a tick at the best value.
TEST_F(WarpMap, BestValueHasTickOnEveryScale)
{
    EXPECT_THAT(labels(fixed_scale(WarpMetric::active_lanes)), Contains("32 ideal"));
    EXPECT_THAT(labels(fixed_scale(WarpMetric::sector_excess)), Contains("1 ideal"));
    EXPECT_THAT(labels(fixed_scale(WarpMetric::bank_conflicts)), Contains("1 ideal"));
    EXPECT_THAT(labels(automatic_scale(WarpMetric::active_lanes, {29.5F, 32})),
                Contains("32 ideal"));
    EXPECT_THAT(labels(automatic_scale(WarpMetric::sector_excess, {1.1F, 32})),
                Contains("1 ideal"));
}

// Warp 2 is at four times the ideal: above a scale that ends at 2, but within one that ends at 4.
TEST_F(WarpMap, ValuesAboveRangeAreHatched)
{
    Scale scale = fixed_scale(WarpMetric::sector_excess);
    scale.high = 4;
    EXPECT_EQ(count_pixels(draw(WarpMetric::sector_excess, scale, 1, 16), white), 0);
    scale.high = 2;
    const auto drawn = draw(WarpMetric::sector_excess, scale, 1, 16);
    const int hatched = count_pixels(drawn, white);
    EXPECT_GT(hatched, 0);
    EXPECT_LT(hatched, 16) << "of the warp's 8 × 2 pixels";
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 8; ++x) EXPECT_NE(pixel(drawn, x, y), white) << "other warps";
    scale.open_ended = false;
    EXPECT_EQ(count_pixels(draw(WarpMetric::sector_excess, scale, 1, 16), white), 0);
}

TEST_F(WarpMap, AveragesWhenDownscaled)
{
    const Scale scale = fixed_scale(WarpMetric::active_lanes);
    const auto drawn = draw(WarpMetric::active_lanes, scale, 1, 4);
    EXPECT_EQ(pixel(drawn, 0, 0), colour_at(scale.map, 12.0f / 32)) << "the mean of warps 1 and 2";
}

TEST_F(WarpMap, FindsWarpUnderPoint)
{
    const gl::Buffer owners = filled(example_.owners);
    const gl::Buffer warps = filled(example_.warps);
    const WarpMapData data{.owners = owners.id(),
                           .width = 8,
                           .height = 2,
                           .warps = warps.id(),
                           .warp_count = 4,
                           .warps_per_block = 2};
    const auto upper_left = warp_at(data, {0.1, 0.9});
    ASSERT_TRUE(upper_left.has_value());
    EXPECT_EQ(upper_left->index, 1u);
    EXPECT_EQ(upper_left->counts, example_.warps[1]);
    EXPECT_EQ(warp_at(data, {0.9, 0.1})->index, 2u);
    EXPECT_FALSE(warp_at(data, {0.99, 0.9}).has_value()) << "nothing was stored here";
    EXPECT_FALSE(warp_at(data, {1.2, 0.5}).has_value()) << "outside";
}

TEST(WarpMetrics, AreFoundByName)
{
    for (const WarpMetric metric : all_warp_metrics) EXPECT_EQ(warp_metric(name(metric)), metric);
    EXPECT_EQ(warp_metric("nosuch"), std::nullopt);
}

TEST_F(Scene, MemoryMapStartsTopLeftInWholeLines)
{
    const std::vector<std::uint32_t> touches{1, 2, 3, 4, 0, 6};
    const auto counts = filled(touches);
    const Scale scale = automatic_scale(SectorMetric::touches, 6);
    EXPECT_EQ(scale.high, 6);
    EXPECT_EQ(count_of({counts.id(), 6}, 3), 4u);
    const MemoryGrid grid{4, 2};
    MemoryMapView view;
    const Colour untouched{70, 70, 70};
    const auto placement = place({0, 0, 80, 40}, 2);
    const auto drawn = picture(80, 40, [&] {
        view.draw({counts.id(), 6}, grid, placement, {scale, untouched, {6, 1, white}});
    });
    EXPECT_EQ(pixel(drawn, 10, 10), colour_at(scale.map, 1.0f / 6));
    EXPECT_EQ(pixel(drawn, 65, 10), colour_at(scale.map, 4.0f / 6));
    EXPECT_EQ(pixel(drawn, 10, 30), untouched);
    EXPECT_EQ(pixel(drawn, 30, 30), colour_at(scale.map, 1));
    EXPECT_EQ(pixel(drawn, 50, 30), black) << "past the end";
    EXPECT_EQ(pixel(drawn, 19, 10), black) << "a gap between sectors";
    EXPECT_EQ(grid.sector_at(placement.to_picture({30, 10}), 6), 5);
    EXPECT_EQ(grid.sector_at(placement.to_picture({50, 10}), 6), std::nullopt);
}

TEST(MemoryGrids, FillViewportWithWholeLines)
{
    for (const int sectors : {1, 4, 5, 100, 8192, 1 << 20}) {
        for (const double aspect : {0.2, 1.0, 2.5}) {
            const MemoryGrid grid = memory_grid(sectors, aspect);
            EXPECT_EQ(grid.columns % 4, 0);
            EXPECT_GE(grid.columns * grid.rows, sectors);
            EXPECT_LT(grid.columns * (grid.rows - 1), sectors);
        }
    }
}

TEST(MemoryGrids, WrapAtArrayRow)
{
    const MemoryGrid grid = memory_grid(64 * 256, 1.5, 64 * 32);
    EXPECT_EQ(grid.columns, 64);
    EXPECT_EQ(grid.rows, 256);
    EXPECT_NEAR(grid.aspect(), 1.5, 1e-9) << "cells are stretched to fill the room";
    EXPECT_EQ(memory_grid(64 * 4096, 1.5, 64 * 32).cell, 8) << "but no further";
    EXPECT_EQ(memory_grid(4096, 1.5, 1023 * 4).columns, 128) << "127.9 sectors to a row";
    EXPECT_EQ(memory_grid(64, 1, 64 * 32).columns % 4, 0) << "one row is no picture";
    EXPECT_EQ(memory_grid(100, 1, 32).rows, memory_grid(100, 1).rows)
        << "rows of a sector are a thread";
}

// Records draw calls.
class Recorder : public Painter {
public:
    using Painter::line;
    void fill(const Box& box, Colour colour) override { fills.emplace_back(box, colour); }
    void line(std::span<const glm::vec2> points, Colour, float) override
    {
        lines.emplace_back(points[0], points[1]);
    }
    void area(std::span<const glm::vec2>, std::span<const glm::vec2>, Colour) override {}
    void gradient(const Box&, std::span<const Colour>, bool) override {}
    void text(glm::vec2 at, std::string_view text, const TextStyle& style) override
    {
        texts.emplace_back(text);
        places.emplace_back(at);
        colours.emplace_back(style.colour);
    }
    // Colour of the first text that starts with these words.
    Colour colour_of(const std::string& begin) const
    {
        for (std::size_t i = 0; i < texts.size(); ++i)
            if (texts[i].starts_with(begin)) return colours[i];
        return {};
    }
    float text_width(std::string_view text, const TextStyle& style) override
    {
        return 0.6f * style.size_px * static_cast<float>(text.size());
    }
    // Number of lines from lanes to their sectors, which are longer than those of the hatching.
    std::size_t connections() const
    {
        return static_cast<std::size_t>(std::ranges::count_if(
            lines, [](const auto& line) { return line.second.y - line.first.y > 40; }));
    }
    // Number of hatching lines, which rise to the right at 45°.
    std::size_t hatches() const
    {
        return static_cast<std::size_t>(std::ranges::count_if(lines, [](const auto& line) {
            const glm::vec2 along = line.second - line.first;
            return along.x > 0 && std::abs(along.x + along.y) < 0.01f;
        }));
    }
    std::vector<std::pair<Box, Colour>> fills;
    std::vector<std::pair<glm::vec2, glm::vec2>> lines;
    std::vector<std::string> texts;
    std::vector<glm::vec2> places; // positions of the texts
    std::vector<Colour> colours;
};

WarpAccess strided(std::uint64_t stride, std::uint32_t active = ~0u)
{
    WarpAccess access;
    access.active = active;
    access.title = "load";
    for (std::size_t lane = 0; lane < 32; ++lane) access.addresses[lane] = 0x1000 + stride * lane;
    return access;
}

TEST(LanesToSectors, DrawsOneLinePerLane)
{
    Recorder recorder;
    draw_lanes_to_sectors(recorder, {0, 0, 1000, 200}, strided(8), dark_theme, 14);
    EXPECT_EQ(recorder.connections(), 32u);
    EXPECT_THAT(recorder.texts, Contains("256 bytes transferred, 128 requested"));
    EXPECT_THAT(recorder.texts, Contains("8 sectors of 32 bytes · 32 of 32 lanes active"));
    EXPECT_THAT(recorder.texts, Contains("+ 0"));
    EXPECT_THAT(recorder.texts, Contains("+ 128"));
}

TEST(LanesToSectors, LineLabelsGiveArrayOffset)
{
    WarpAccess access = strided(8);
    access.memory = "from";
    access.begins = 0x1040 - 4096; // so that the array begins in the middle of a line
    Recorder recorder;
    draw_lanes_to_sectors(recorder, {0, 0, 1000, 200}, access, dark_theme, 14);
    EXPECT_THAT(recorder.texts, Contains("from + 4,032"));
    EXPECT_THAT(recorder.texts, Contains("from + 4,160"));
    access.begins = 0x1040;
    Recorder before;
    draw_lanes_to_sectors(before, {0, 0, 1000, 200}, access, dark_theme, 14);
    EXPECT_THAT(before.texts, Contains("from − 64"));
}

TEST(LanesToSectors, StraddlingAccessReachesBothSectors)
{
    WarpAccess access = strided(32, 1);
    access.addresses[0] = 0x101c;
    access.width_bytes = 8;
    Recorder recorder;
    draw_lanes_to_sectors(recorder, {0, 0, 1000, 200}, access, dark_theme, 14);
    EXPECT_EQ(recorder.connections(), 2u);
    EXPECT_THAT(recorder.texts, Contains("64 bytes transferred, 8 requested"));
    EXPECT_THAT(recorder.texts, Contains("2 sectors of 32 bytes · 1 of 32 lanes active"));
}

TEST(LanesToSectors, ShowsUnusedBytes)
{
    Recorder dense;
    draw_lanes_to_sectors(dense, {0, 0, 1000, 400}, strided(4), dark_theme, 14);
    EXPECT_EQ(dense.hatches(), 0u) << "every byte is requested";
    Recorder every_second;
    draw_lanes_to_sectors(every_second, {0, 0, 1000, 400}, strided(8), dark_theme, 14);
    EXPECT_GT(every_second.hatches(), 0u);
    Recorder scattered;
    draw_lanes_to_sectors(scattered, {0, 0, 1000, 400}, strided(4096), dark_theme, 14);
    EXPECT_GT(scattered.hatches(), 0u);
    EXPECT_THAT(scattered.texts, Contains(HasSubstr("1,024 bytes transferred, 128 requested")));
    EXPECT_EQ(scattered.connections(), 32u);
}

TEST(Labels, RowNamesAreBesideTheirRows)
{
    const std::vector<std::string> names{"copy", "child"}; // from the bottom
    Recorder recorder;
    const float left = row_names_width(recorder, names, 14);
    EXPECT_GT(left, recorder.text_width("child", {14, {}}));
    const PixelRect viewport{0, 0, 400, 200};
    const Placement placement = place({100, 0, 300, 200}, 0);
    draw_row_names(recorder, names, 2, {placement, viewport}, {dark_theme, 14, 12});
    ASSERT_THAT(recorder.texts, testing::ElementsAre("copy", "child"));
    EXPECT_NEAR(recorder.places[0].y, 155, 5);
    EXPECT_NEAR(recorder.places[1].y, 55, 5);
    EXPECT_LT(recorder.places[0].x, 100);
    EXPECT_EQ(row_names_width(recorder, {}, 14), 0);
}

TEST(Labels, ColumnsOfOneNameShareIt)
{
    const std::vector<std::string> names{"by turns", "by turns", "by turns", "weak"};
    Recorder recorder;
    const PixelRect viewport{0, 0, 400, 200};
    const Placement placement = place({0, 0, 400, 150}, 0);
    draw_column_names(recorder, names, 4, {placement, viewport}, {dark_theme, 14, 12});
    ASSERT_THAT(recorder.texts, testing::ElementsAre("by turns", "weak"));
    EXPECT_NEAR(recorder.places[0].x, 150, 1) << "centred over three columns";
    EXPECT_NEAR(recorder.places[1].x, 350, 1);
    EXPECT_LT(recorder.places[0].y, 50) << "above the cells";
    // A name that is wider than its columns would run into its neighbour.
    Recorder narrow;
    draw_column_names(narrow, names, 4, {place({0, 0, 40, 150}, 0), viewport},
                      {dark_theme, 14, 12});
    EXPECT_THAT(narrow.texts, testing::Not(testing::Contains("weak")));
}

TEST(Slots, MarkedCapacityMayBeExceeded)
{
    SlotsData data{.rows = {{"Bytes", "", 100, 30, 30, INT32_MAX, "needed"}},
                   .occupant = "block",
                   .occupants = 2};
    const auto drawn = [&] {
        Recorder recorder;
        draw_slots(recorder, {0, 0, 800, 200}, data, dark_theme, 14);
        const auto mark = std::ranges::find(recorder.texts, "needed");
        EXPECT_NE(mark, recorder.texts.end());
        return std::pair(
            recorder.texts,
            mark == recorder.texts.end()
                ? 0.0f
                : recorder.places[static_cast<std::size_t>(mark - recorder.texts.begin())].x);
    };
    const auto [few, at_end] = drawn();
    EXPECT_THAT(few, Contains(HasSubstr("60, needed: 100")));
    EXPECT_GT(at_end, 700);
    data.occupants = 8;
    const auto [many, within] = drawn();
    EXPECT_THAT(many, Contains(HasSubstr("240, needed: 100")));
    EXPECT_NEAR(within, 800 * 100 / 240, 5);
}

TEST(LanesToBanks, CountsDistinctWords)
{
    Recorder conflicts;
    draw_lanes_to_banks(conflicts, {0, 0, 1000, 200}, strided(128), dark_theme, 14);
    EXPECT_THAT(conflicts.texts, Contains("32 words in bank 0: 32 wavefronts"));
    Recorder broadcast;
    draw_lanes_to_banks(broadcast, {0, 0, 1000, 200}, strided(0), dark_theme, 14);
    EXPECT_THAT(broadcast.texts,
                Contains("One pass over the banks (a wavefront) serves all lanes"));
}

TEST(LanesToBanks, BanksShowTheirPasses)
{
    const auto texts = [](const WarpAccess& access) {
        Recorder recorder;
        draw_lanes_to_banks(recorder, {0, 0, 1400, 200}, access, dark_theme, 14);
        return recorder.texts;
    };
    EXPECT_THAT(texts(strided(8)), Contains("×2")) << "words 0 and 32 are in one bank";
    EXPECT_THAT(texts(strided(4)), Not(Contains(HasSubstr("×"))));
    WarpAccess access = strided(0);
    for (std::size_t lane = 0; lane < 4; ++lane) access.addresses[lane] = 0x1080; // bank 0 as well
    access.atomic = true;
    access.paid = 32;
    EXPECT_THAT(texts(access), Contains(HasSubstr("32 passes (wavefronts): lanes in one bank")));
    EXPECT_THAT(texts(access), Contains("×32"));
}

TEST(LanesToSectors, VerdictUsesCostColour)
{
    for (const auto draw : {draw_lanes_to_sectors, draw_lanes_to_banks}) {
        WarpAccess access = strided(128);
        const std::string begin = draw == draw_lanes_to_banks ? "32 words" : "1,024 bytes";
        const auto colour = [&] {
            Recorder recorder;
            draw(recorder, {0, 0, 1000, 300}, access, dark_theme, 14);
            return recorder.colour_of(begin);
        };
        EXPECT_EQ(colour(), dark_theme.text) << "nobody said what it costs";
        access.paid = 32;
        access.ideal = 4;
        EXPECT_EQ(colour(), dark_theme.series[1]);
        access.ideal = 32;
        EXPECT_EQ(colour(), dark_theme.series[2]);
        access.typical = false;
        EXPECT_EQ(colour(), dark_theme.text) << "other requests cost more";
    }
}

// Each row labels every line, or every second, fourth, … line, at equal distances.
TEST(LanesToSectors, LineLabelsAreEvenlySpaced)
{
    Recorder recorder;
    draw_lanes_to_sectors(recorder, {0, 0, 400, 400}, strided(4096), dark_theme, 14);
    std::map<float, std::vector<float>> rows;
    for (std::size_t i = 0; i < recorder.texts.size(); ++i)
        if (recorder.texts[i].starts_with("+ "))
            rows[recorder.places[i].y].push_back(recorder.places[i].x);
    ASSERT_GT(rows.size(), 1u);
    for (const auto& [y, places] : rows) {
        ASSERT_GT(places.size(), 1u);
        for (std::size_t i = 2; i < places.size(); ++i)
            EXPECT_NEAR(places[i] - places[i - 1], places[1] - places[0], 1) << y;
    }
}

TEST(LanesToBanks, RowsHaveNames)
{
    Recorder recorder;
    draw_lanes_to_banks(recorder, {0, 0, 1000, 300}, strided(4), dark_theme, 14);
    for (const char* name : {"lane", "passes", "bank"}) EXPECT_THAT(recorder.texts, Contains(name));
    Recorder narrow;
    draw_lanes_to_banks(narrow, {0, 0, 300, 300}, strided(4), dark_theme, 14);
    EXPECT_THAT(narrow.texts, Not(Contains("bank")));
}

// If lanes at one address are serialised, the drawing has the same count as the title.
TEST(LanesToSectors, ShowsSerialisationCost)
{
    WarpAccess atomic = strided(0);
    Recorder plain;
    draw_lanes_to_sectors(plain, {0, 0, 1000, 400}, atomic, dark_theme, 14);
    EXPECT_THAT(plain.texts, Not(Contains(HasSubstr("paid"))));
    atomic.paid = 32;
    Recorder global;
    draw_lanes_to_sectors(global, {0, 0, 1000, 400}, atomic, dark_theme, 14);
    EXPECT_THAT(global.texts, Contains(HasSubstr("32 passes over 1 sector")));
    atomic.atomic = true;
    Recorder shared;
    draw_lanes_to_banks(shared, {0, 0, 1400, 200}, atomic, dark_theme, 14);
    EXPECT_THAT(shared.texts, Contains(HasSubstr("32 passes (wavefronts): lanes on one word")));
    EXPECT_THAT(shared.texts, Contains("×32"));
    atomic.atomic = false;
    atomic.paid = 1; // the cost of a load, which is broadcast
    Recorder broadcast;
    draw_lanes_to_banks(broadcast, {0, 0, 1000, 200}, atomic, dark_theme, 14);
    EXPECT_THAT(broadcast.texts, Contains(HasSubstr("broadcast")));
}

} // namespace
} // namespace lanescope::render
