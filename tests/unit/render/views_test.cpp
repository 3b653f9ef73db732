// Colours of single pixels in each view.
#include <cmath>
#include <limits>
#include <numeric>

#include "render/views/field.h"
#include "render/views/image.h"
#include "render/views/paint/gl_painter.h"
#include "render/views/plot/chart.h"
#include "render/views/points.h"
#include "render/views/surface.h"
#include "tests/unit/render/scene.h"

namespace lanescope::render {
namespace {

constexpr Colour black{0, 0, 0};

Scale unit_scale(ColourMap map = ColourMap::viridis)
{
    Scale scale;
    scale.map = map;
    return scale;
}

TEST_F(Scene, FieldHasRowZeroAtBottom)
{
    const auto values = filled<float>({0.0f, 0.25f, 0.5f, 1.0f});
    FieldView view;
    for (const ColourMap map : all_colour_maps) {
        const auto drawn = picture(64, 64, [&] {
            view.draw({values.id(), 2, 2}, unit_scale(map), place({0, 0, 64, 64}, 1));
        });
        EXPECT_EQ(pixel(drawn, 0, 63), colour_at(map, 0.0f));
        EXPECT_EQ(pixel(drawn, 63, 63), colour_at(map, 0.25f));
        EXPECT_EQ(pixel(drawn, 31, 31), colour_at(map, 0.5f)) << "cells are sharp up to their edge";
        EXPECT_EQ(pixel(drawn, 32, 31), colour_at(map, 1.0f));
    }
}

TEST_F(Scene, FieldKeepsProportions)
{
    const auto values = filled<float>({1, 1});
    FieldView view;
    const auto drawn = picture(100, 100, [&] {
        view.draw({values.id(), 2, 1}, unit_scale(), place({0, 0, 100, 100}, 2));
    });
    EXPECT_EQ(pixel(drawn, 50, 50), colour_at(ColourMap::viridis, 1));
    EXPECT_EQ(pixel(drawn, 50, 20), black);
    EXPECT_EQ(count_pixels(drawn, colour_at(ColourMap::viridis, 1)), 100 * 50);
}

TEST_F(Scene, FieldAveragesWhenDownscaled)
{
    std::vector<float> chequered(64 * 64);
    for (std::size_t i = 0; i < chequered.size(); ++i)
        chequered[i] = (i + i / 64) % 2 == 0 ? 0.0f : 1.0f;
    const auto values = filled(chequered);
    FieldView view;
    const auto drawn = picture(32, 32, [&] {
        view.draw({values.id(), 64, 64}, unit_scale(), place({0, 0, 32, 32}, 1));
    });
    EXPECT_EQ(count_pixels(drawn, colour_at(ColourMap::viridis, 0.5f)), 32 * 32);
}

TEST_F(Scene, FieldClampsAndMarksNaN)
{
    const auto values = filled<float>({-5.0f, 5.0f, std::numeric_limits<float>::quiet_NaN(),
                                       std::numeric_limits<float>::infinity()});
    FieldView view;
    const auto drawn = picture(40, 10, [&] {
        view.draw({values.id(), 4, 1}, unit_scale(), place({0, 0, 40, 10}, 4));
    });
    EXPECT_EQ(pixel(drawn, 5, 5), colour_at(ColourMap::viridis, 0));
    EXPECT_EQ(pixel(drawn, 15, 5), colour_at(ColourMap::viridis, 1));
    EXPECT_EQ(pixel(drawn, 25, 5), (Colour{255, 0, 255}));
    EXPECT_EQ(pixel(drawn, 35, 5), colour_at(ColourMap::viridis, 1));
}

TEST_F(Scene, ZoomKeepsCellUnderPointer)
{
    std::vector<float> ramp(64 * 64);
    for (std::size_t i = 0; i < ramp.size(); ++i)
        ramp[i] = static_cast<float>(i) / static_cast<float>(ramp.size());
    const auto values = filled(ramp);
    FieldView view;
    PanZoom zoom;
    const PixelRect viewport{10, 20, 80, 80};
    const glm::dvec2 pointer{33.5, 71.5};
    const auto before = place(viewport, 1, zoom).to_picture(pointer);
    zoom.zoom_at(before, 8);
    const auto placement = place(viewport, 1, zoom);
    const auto after = placement.to_picture(pointer);
    EXPECT_NEAR(before.x, after.x, 1e-9);
    EXPECT_NEAR(before.y, after.y, 1e-9);
    const auto drawn = picture(100, 110, [&] {
        view.draw({values.id(), 64, 64}, unit_scale(), placement);
    });
    const auto cell = glm::ivec2(after * 64.0);
    EXPECT_EQ(pixel(drawn, 33, 109 - 71),
              colour_at(ColourMap::viridis, ramp[static_cast<std::size_t>(cell.y * 64 + cell.x)]));
    EXPECT_EQ(pixel(drawn, 5, 50), black) << "nothing is drawn beside the viewport";
    EXPECT_EQ(pixel(drawn, 50, 100), black);
}

TEST(PanAndZoom, StayWithinPicture)
{
    PanZoom view;
    view.zoom_at({0.9, 0.9}, 4);
    view.pan({100, -100});
    EXPECT_DOUBLE_EQ(view.centre.x, 1 - 0.125);
    EXPECT_DOUBLE_EQ(view.centre.y, 0.125);
    view.zoom_at({0.5, 0.5}, 0.0001);
    EXPECT_EQ(view, PanZoom{});
}

TEST_F(Scene, ImageShowsTexels)
{
    gl::Texture texture(GL_RGBA8, 2, 2);
    const std::vector<std::uint8_t> texels{255, 0, 0,   255, 0,   255, 0,   255,
                                           0,   0, 255, 255, 255, 255, 255, 0};
    texture.upload(GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
    ImageView view;
    const auto drawn = picture(40, 40, [&] {
        view.draw({texture.id(), 2, 2}, place({0, 0, 40, 40}, 1));
    });
    EXPECT_EQ(pixel(drawn, 1, 38), (Colour{255, 0, 0}));
    EXPECT_EQ(pixel(drawn, 38, 38), (Colour{0, 255, 0}));
    EXPECT_EQ(pixel(drawn, 1, 1), (Colour{0, 0, 255}));
    EXPECT_EQ(pixel(drawn, 38, 1), (Colour{255, 255, 255})) << "alpha does not matter";
    EXPECT_EQ(pixel(drawn, 19, 38), pixel(drawn, 1, 38)) << "texels are squares";
}

TEST_F(Scene, SurfaceIsLitColouredAndDepthTested)
{
    // A flat floor at z = 0 with value 0, and a tall block in the middle with value 1.
    constexpr int side = 33;
    std::vector<float> vertices;
    for (int row = 0; row < side; ++row)
        for (int column = 0; column < side; ++column) {
            const float x = 2.0f * static_cast<float>(column) / (side - 1) - 1;
            const float y = 2.0f * static_cast<float>(row) / (side - 1) - 1;
            const bool block = std::abs(x) < 0.4f && std::abs(y) < 0.4f;
            vertices.insert(vertices.end(), {x, y, block ? 0.5f : 0.0f, block ? 1.0f : 0.0f});
        }
    const auto buffer = filled(vertices);
    SurfaceView view;
    const Camera above{0, 89, 3.2f};
    const auto drawn = picture(200, 200, [&] {
        view.draw({buffer.id(), side, side}, unit_scale(), above, {0, 0, 200, 200});
    });
    const Colour top = pixel(drawn, 100, 100);
    const Colour yellow = colour_at(ColourMap::viridis, 1);
    EXPECT_NEAR(top.green * yellow.red, top.red * yellow.green, 600)
        << "the block's top keeps the hue of value 1";
    EXPECT_GT(top.green, 180);
    EXPECT_EQ(pixel(drawn, 2, 2), black);
    const Colour floor = pixel(drawn, 60, 100);
    EXPECT_GT(floor.blue, floor.green);

    // A low view from the side, in which the block hides the floor behind it.
    const auto side_view = picture(200, 200, [&] {
        view.draw({buffer.id(), side, side}, unit_scale(), {0, 20, 3.2f}, {0, 0, 200, 200}, 8);
    });
    EXPECT_GT(pixel(side_view, 100, 80).green, 100);
}

// From the front: a near point hides a far one, whichever is drawn first, and a third is beside
// them.
TEST_F(Scene, PointsAreColouredAndDepthTested)
{
    const auto buffer =
        filled<float>({0, -0.9f, 0, 0, 0, 0.9f, 0, 1, 0.7f, 0, 0, 1, 0, -0.9f, 0.6f, 1});
    PointsView view;
    const Camera front{0, 0, 3.2f};
    const auto drawn = picture(400, 400, [&] {
        view.draw({buffer.id(), 4}, unit_scale(), front, {0, 0, 400, 400});
    });
    const Colour centre = pixel(drawn, 200, 200);
    EXPECT_GT(centre.blue, 2 * centre.green) << "the near point has value 0";
    int right = 0;
    for (int x = 250; x < 320; ++x)
        if (pixel(drawn, x, 200).green > 150) ++right;
    EXPECT_GE(right, 6);
    EXPECT_LE(right, 14) << "a disc of about ten pixels";
    EXPECT_EQ(pixel(drawn, 100, 200), black);
    EXPECT_EQ(pixel(drawn, 200, 300), black) << "z is up";
}

TEST_F(Scene, FlatPointsKeepTheirPlaces)
{
    const auto buffer = filled<float>({0.5f, 0.5f, 0.9f, 1});
    PointsView view;
    const auto drawn = picture(400, 200, [&] {
        view.draw({buffer.id(), 1}, unit_scale(), place({0, 0, 400, 200}, 1));
    });
    EXPECT_GT(pixel(drawn, 250, 50).green, 200) << "a square of 200 pixels from 100 to 300";
    EXPECT_EQ(pixel(drawn, 150, 50), black);
    EXPECT_EQ(pixel(drawn, 250, 150), black);
}

TEST(OrbitCamera, StaysWithinLimits)
{
    Camera camera;
    camera.orbit(0, -1e6f, 700);
    EXPECT_EQ(camera.elevation_degrees, 89);
    camera.orbit(1e6f, 0, 700);
    EXPECT_LE(std::abs(camera.azimuth_degrees), 180);
    camera.zoom(1e9f);
    EXPECT_FLOAT_EQ(camera.distance, 1.2f);
}

TEST_F(Scene, BarHeightMatchesCount)
{
    const auto counts = filled<std::uint32_t>({0, 50, 100, 25});
    BarsView view;
    const Colour colour{10, 200, 30};
    const auto drawn = picture(100, 100, [&] {
        view.draw({counts.id(), 4, 100}, {0, 0, 100, 100}, colour);
    });
    EXPECT_EQ(pixel(drawn, 10, 98), black);
    EXPECT_EQ(pixel(drawn, 30, 98), colour);
    EXPECT_EQ(pixel(drawn, 30, 51), colour);
    EXPECT_EQ(pixel(drawn, 30, 48), black);
    EXPECT_EQ(pixel(drawn, 60, 1), colour);
    EXPECT_EQ(pixel(drawn, 80, 76), colour);
    EXPECT_EQ(pixel(drawn, 80, 73), black);
}

TEST_F(Scene, NarrowBarsShowMaximumPerPixel)
{
    std::vector<std::uint32_t> many(1000, 1);
    many[503] = 100;
    const auto counts = filled(many);
    BarsView view;
    const auto drawn = picture(100, 50, [&] {
        view.draw({counts.id(), 1000, 100}, {0, 0, 100, 50}, {255, 255, 255});
    });
    EXPECT_EQ(pixel(drawn, 50, 2), (Colour{255, 255, 255}));
    EXPECT_EQ(pixel(drawn, 52, 2), black);
}

TEST_F(Scene, CurvePassesThroughPoints)
{
    const auto points = filled<float>({-1, -1, 0, 0.5f, 1, -1});
    CurveView view;
    const Colour colour{250, 10, 10};
    const auto drawn = picture(100, 100, [&] {
        view.draw({points.id(), 3}, {0, 0, 100, 100}, colour, 3);
    });
    EXPECT_EQ(pixel(drawn, 50, 25), colour);
    EXPECT_EQ(pixel(drawn, 25, 62), colour);
    EXPECT_EQ(pixel(drawn, 50, 60), black);
}

// A sawtooth with ten points per pixel is a band between its extremes, not a filled rectangle.
TEST_F(Scene, DenseCurveIsBand)
{
    std::vector<float> teeth;
    for (int i = 0; i < 1000; ++i) {
        teeth.push_back(2 * static_cast<float>(i) / 999 - 1);
        teeth.push_back(i % 2 == 0 ? -0.5f : 0.5f);
    }
    const auto points = filled(teeth);
    const Colour colour{250, 10, 10};
    GlPainter painter;
    const auto drawn = picture(100, 100, [&] {
        draw_curve(painter, {0, 0, 100, 100}, {points.id(), 1000}, colour, 3);
        painter.flush({0, 0, 100, 100});
    });
    EXPECT_EQ(pixel(drawn, 50, 25), colour);
    EXPECT_EQ(pixel(drawn, 50, 74), colour);
    EXPECT_EQ(pixel(drawn, 50, 10), black);
    EXPECT_NE(pixel(drawn, 50, 50), colour);
    EXPECT_NE(pixel(drawn, 50, 50), black);
    EXPECT_TRUE(is_dense(1000, {0, 0, 100, 100}));
    EXPECT_FALSE(is_dense(200, {0, 0, 100, 100}));
}

} // namespace
} // namespace lanescope::render
