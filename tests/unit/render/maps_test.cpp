// Heatmaps: warps over the picture, sectors of a buffer, and one warp's lanes.
#include <gmock/gmock.h>

#include "render/views/lanes.h"
#include "render/views/memory_map.h"
#include "render/views/warp_map.h"
#include "tests/unit/render/scene.h"

namespace lanescope::render {
namespace {

using testing::Contains;
using testing::HasSubstr;
using trace::WarpCounts;

constexpr Colour black{0, 0, 0};
constexpr Colour white{255, 255, 255};

// Two blocks of two warps, each warp over 4 × 1 elements of an 8 × 2 picture; the last element was
// never stored.
struct Example {
    std::vector<std::uint32_t> owners{1, 1, 1, 1, 3, 3, 3, 3, 2, 2, 2, 2, 4, 4, 4, 0};
    std::vector<WarpCounts> warps = std::vector<WarpCounts>(4);
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
        WarpMapView view;
        const int height = width / 4;
        return picture(width, height, [&] {
            view.draw({.owners = owners.id(),
                       .width = 8,
                       .height = 2,
                       .warps = warps.id(),
                       .warp_count = 4,
                       .warps_per_block = 2},
                      metric, scale, place({0, 0, width, height}, 4), blend, white);
        });
    }
    Example example_;
};

TEST_F(WarpMap, ColoursEachElementByItsWarp)
{
    const Scale scale = fixed_scale(WarpMetric::active_lanes);
    const auto drawn = draw(WarpMetric::active_lanes, scale, 1);
    EXPECT_EQ(pixel(drawn, 30, 30), colour_at(scale.map, 8.0f / 32));
    EXPECT_EQ(pixel(drawn, 30, 10), colour_at(scale.map, 16.0f / 32));
    EXPECT_EQ(pixel(drawn, 110, 30), colour_at(scale.map, 24.0f / 32));
    EXPECT_EQ(pixel(drawn, 110, 10), colour_at(scale.map, 1.0f));
    EXPECT_EQ(pixel(drawn, 150, 10), black) << "nothing was stored here";
}

TEST_F(WarpMap, DrawsBordersOfBlocksAndWarps)
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
}

TEST_F(WarpMap, LeavesOutWarpsWithoutAValueAndBlends)
{
    const Scale scale = fixed_scale(WarpMetric::sector_excess);
    const auto drawn = draw(WarpMetric::sector_excess, scale, 0.5f);
    const Colour full = colour_at(scale.map, 1.0f / 7);
    EXPECT_NEAR(pixel(drawn, 30, 10).blue, full.blue / 2, 1);
    EXPECT_EQ(pixel(drawn, 110, 10), black);
}

TEST_F(WarpMap, AutomaticScalesSpanTheValues)
{
    const Scale scale = automatic_scale(WarpMetric::sector_excess, example_.warps);
    EXPECT_TRUE(scale.automatic);
    EXPECT_EQ(scale.low, 1);
    EXPECT_EQ(scale.high, 4);
    EXPECT_EQ(value(WarpMetric::sector_excess, example_.warps[3]), std::nullopt);
    EXPECT_EQ(value(WarpMetric::active_lanes, example_.warps[0]), 8);
    EXPECT_EQ(automatic_scale(WarpMetric::bank_conflicts, example_.warps).high, 8);
}

TEST_F(WarpMap, AveragesWhenMadeSmaller)
{
    const Scale scale = fixed_scale(WarpMetric::active_lanes);
    const auto drawn = draw(WarpMetric::active_lanes, scale, 1, 4);
    EXPECT_EQ(pixel(drawn, 0, 0), colour_at(scale.map, 12.0f / 32)) << "the mean of warps 1 and 2";
}

TEST_F(WarpMap, TellsTheWarpUnderAPoint)
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

TEST_F(Scene, MemoryMapGoesFromTheUpperLeftInWholeLines)
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
        view.draw({counts.id(), 6}, grid, scale, placement, untouched);
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

TEST(MemoryGrids, FillTheViewportWithWholeLines)
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

// Keeps what is drawn.
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
    void text(glm::vec2, std::string_view text, const TextStyle&) override
    {
        texts.emplace_back(text);
    }
    float text_width(std::string_view text, const TextStyle& style) override
    {
        return 0.6f * style.size_px * static_cast<float>(text.size());
    }
    std::vector<std::pair<Box, Colour>> fills;
    std::vector<std::pair<glm::vec2, glm::vec2>> lines;
    std::vector<std::string> texts;
};

WarpAccess strided(std::uint64_t stride, std::uint32_t active = ~0u)
{
    WarpAccess access;
    access.active = active;
    access.title = "load";
    for (std::size_t lane = 0; lane < 32; ++lane) access.addresses[lane] = 0x1000 + stride * lane;
    return access;
}

TEST(LanesToSectors, OneLineALaneAndTheRightCounts)
{
    Recorder recorder;
    draw_lanes_to_sectors(recorder, {0, 0, 1000, 200}, strided(8), dark_theme, 14);
    EXPECT_EQ(recorder.lines.size(), 32u);
    EXPECT_THAT(recorder.texts,
                Contains("32 of 32 lanes active · 8 sectors of 32 B in 2 lines of 128 B"));
    EXPECT_THAT(recorder.texts, Contains("0x1000"));
    EXPECT_THAT(recorder.texts, Contains("0x1080"));
}

TEST(LanesToSectors, AccessesAcrossSectorsReachBoth)
{
    WarpAccess access = strided(32, 1);
    access.addresses[0] = 0x101c;
    access.width_bytes = 8;
    Recorder recorder;
    draw_lanes_to_sectors(recorder, {0, 0, 1000, 200}, access, dark_theme, 14);
    EXPECT_EQ(recorder.lines.size(), 2u);
    EXPECT_THAT(recorder.texts,
                Contains("1 of 32 lanes active · 2 sectors of 32 B in 1 line of 128 B"));
}

TEST(LanesToBanks, CountsDifferentWordsOnly)
{
    Recorder conflicts;
    draw_lanes_to_banks(conflicts, {0, 0, 1000, 200}, strided(128), dark_theme, 14);
    EXPECT_THAT(conflicts.texts, Contains(HasSubstr("at most 32 different words")));
    Recorder broadcast;
    draw_lanes_to_banks(broadcast, {0, 0, 1000, 200}, strided(0), dark_theme, 14);
    EXPECT_THAT(broadcast.texts, Contains(HasSubstr("at most 1 different words")));
}

} // namespace
} // namespace lanescope::render
