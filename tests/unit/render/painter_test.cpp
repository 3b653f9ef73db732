// Shapes, letters and the legend, drawn in OpenGL.
#include <cmath>
#include <utility>

#include "render/gl/glyphs.h"
#include "render/views/colours/legend.h"
#include "render/views/paint/gl_painter.h"
#include "tests/unit/render/scene.h"

namespace lanescope::render {
namespace {

constexpr Colour white{255, 255, 255};
constexpr Colour black{0, 0, 0};

TEST(Utf8, InvalidBytesBecomeReplacementCharacter)
{
    EXPECT_EQ(gl::code_points("a°€😀"), (std::vector<char32_t>{U'a', U'°', U'€', U'😀'}));
    EXPECT_EQ(gl::code_points("\xffz"), (std::vector<char32_t>{0xfffd, U'z'}));
    EXPECT_EQ(gl::code_points("\xc3"), (std::vector<char32_t>{0xfffd}));
}

TEST_F(Scene, PainterOriginIsTopLeft)
{
    GlPainter painter;
    const auto drawn = picture(40, 30, [&] {
        painter.fill({10, 5, 20, 10}, {200, 100, 50});
        painter.outline({0, 0, 40, 30}, white, 1);
        painter.flush({0, 0, 40, 30});
    });
    EXPECT_EQ(pixel(drawn, 10, 5), (Colour{200, 100, 50}));
    EXPECT_EQ(pixel(drawn, 29, 14), (Colour{200, 100, 50}));
    EXPECT_EQ(pixel(drawn, 30, 15), black);
    EXPECT_EQ(pixel(drawn, 0, 29), white);
    EXPECT_EQ(count_pixels(drawn, white), 2 * 40 + 2 * 28);
}

// Targets with the window's or the usual memory layout: each is read back, and blitted, whole or in
// part, to a target with the other layout.
TEST_F(Scene, WindowTargetsMatchOffscreen)
{
    constexpr int width = 90, height = 50;
    GlPainter painter;
    const auto draw = [&](const gl::Target& target) {
        target.bind();
        glClearColor(0.2F, 0.4F, 0.6F, 1);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        painter.fill({3, 5, 20, 7}, {200, 30, 10});
        static_cast<Painter&>(painter).line(glm::vec2(10, 40), glm::vec2(80, 22), {10, 220, 90}, 2);
        painter.text({30, 20}, "Heat", {14, {255, 255, 255}});
        painter.flush({0, 0, width, height});
        return read_pixels(target.resolve(), {0, 0, width, height});
    };
    const gl::Target plain(width, height);
    const gl::Target for_window = gl::Target::for_window(width, height);
    const Pixels wanted = draw(plain);
    ASSERT_EQ(pixel(wanted, 4, 6), (Colour{200, 30, 10}));
    EXPECT_TRUE(draw(for_window).rgb == wanted.rgb);
    for (const gl::Target* const to : {&plain, &for_window})
        for (const int from : {0, 37}) {
            to->bind();
            glClear(GL_COLOR_BUFFER_BIT);
            const gl::Target& source = to == &plain ? for_window : plain;
            draw(source);
            for (const auto& [left, right] : {std::pair{0, from}, std::pair{from, width}})
                glBlitNamedFramebuffer(source.resolve(), to->resolve(), left, 0, right, height,
                                       left, 0, right, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
            EXPECT_TRUE(read_pixels(to->resolve(), {0, 0, width, height}).rgb == wanted.rgb);
        }
}

TEST_F(Scene, LettersAreSharpAndAligned)
{
    GlPainter painter;
    const TextStyle style{24, white, false, Align::left};
    const float width = painter.text_width("Lane", style);
    EXPECT_GT(width, 40);
    EXPECT_LT(width, 80);
    const auto drawn = picture(200, 40, [&] {
        painter.text({100, 30}, "Lane", {24, white, false, Align::right});
        painter.flush({0, 0, 200, 40});
    });
    EXPECT_GT(count_pixels(drawn, white), 60) << "the stems are fully white";
    for (int y = 0; y < 40; ++y)
        for (int x = 101; x < 200; ++x)
            ASSERT_EQ(pixel(drawn, x, y), black) << "right of the text's end";
}

TEST_F(Scene, GradientRunsFromLowToHigh)
{
    GlPainter painter;
    const auto drawn = picture(10, 256, [&] {
        painter.gradient({0, 0, 10, 256}, colours(ColourMap::inferno), true);
        painter.flush({0, 0, 10, 256});
    });
    EXPECT_EQ(pixel(drawn, 5, 255), colour_at(ColourMap::inferno, 0));
    EXPECT_EQ(pixel(drawn, 5, 0), colour_at(ColourMap::inferno, 1));
}

TEST_F(Scene, LegendShowsBarTicksAndText)
{
    GlPainter painter;
    Scale scale{20, 100, ColourMap::viridis, false, "temperature", "°C"};
    const float width = legend_width(16);
    const auto drawn = picture(200, 300, [&] {
        draw_legend(painter, {10, 10, width, 280}, scale, dark_theme, 16);
        painter.flush({0, 0, 200, 300});
    });
    EXPECT_EQ(pixel(drawn, 15, 254), colour_at(ColourMap::viridis, 0));
    EXPECT_GT(count_pixels(drawn, dark_theme.text), 60);
    scale.automatic = true;
    const auto automatic = picture(200, 300, [&] {
        draw_legend(painter, {10, 10, width, 280}, scale, dark_theme, 16);
        painter.flush({0, 0, 200, 300});
    });
    EXPECT_FALSE(drawn == automatic) << "the legend says which kind of scale it is";
}

double relative_luminance(Colour colour)
{
    const auto linear = [](double byte) {
        const double value = byte / 255;
        return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) +
           0.0722 * linear(colour.blue);
}

double contrast(Colour a, Colour b)
{
    const double first = relative_luminance(a) + 0.05, second = relative_luminance(b) + 0.05;
    return std::max(first, second) / std::min(first, second);
}

TEST(Themes, HaveEnoughContrast)
{
    for (const Theme& theme : {dark_theme, light_theme}) {
        for (const Colour background : {theme.background, theme.panel}) {
            EXPECT_GE(contrast(theme.text, background), 7);
            EXPECT_GE(contrast(theme.muted, background), 4.5);
        }
        for (const Colour colour : theme.series) EXPECT_GE(contrast(colour, theme.background), 3);
    }
}

} // namespace
} // namespace lanescope::render
