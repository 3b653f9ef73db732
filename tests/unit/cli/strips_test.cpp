// A picture drawn in strips equals the picture drawn at once.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "app/draw/strips.h"
#include "render/context/offscreen.h"
#include "render/views/paint/gl_painter.h"

namespace lanescope::test {
namespace {

using namespace std::chrono_literals;
using render::PixelRect;

class Drawing {
public:
    void operator()(const PixelRect& viewport)
    {
        for (int i = 0; i < 60; ++i) {
            const auto at = static_cast<float>(i);
            painter_.text({13 + 7 * at, 30 + 17 * at}, "strip by strip",
                          {18 + at / 4, {200, 180, static_cast<std::uint8_t>(60 + 3 * i), 255}});
            const std::array<glm::vec2, 3> points{{{0, 11 * at}, {700, 300}, {900, 17 * at}}};
            painter_.line(points, {90, static_cast<std::uint8_t>(4 * i), 160, 255}, 2);
        }
        painter_.flush(viewport);
    }

private:
    render::GlPainter painter_;
};

TEST(Strips, EqualWholePicture)
{
    const render::Offscreen context;
    const app::Size size{1300, 1111};
    for (const int samples : {1, 4}) {
        Drawing draw;
        const auto black = [](const render::gl::Target& target) {
            target.bind();
            glClearColor(0, 0, 0, 1);
            glClear(GL_COLOR_BUFFER_BIT);
        };
        const render::gl::Target whole(size.width, size.height, samples);
        black(whole);
        draw({0, 0, size.width, size.height});
        const render::Pixels wanted =
            render::read_pixels(whole.resolve(), {0, 0, size.width, size.height});

        app::Strips strips;
        int parts = 0;
        strips.begin(size, samples, {.drawings = {[&](const PixelRect& viewport) {
                                         ++parts;
                                         glClearColor(0, 0, 0, 1);
                                         glClear(GL_COLOR_BUFFER_BIT);
                                         draw(viewport);
                                     }}});
        std::optional<render::Pixels> got;
        while (!got) got = strips.advance(0ms);
        EXPECT_GT(parts, samples);
        EXPECT_FALSE(strips.in_progress());
        // Rounding depends on the position in the framebuffer, so a few pixels at edges may
        // differ.
        ASSERT_EQ(got->rgb.size(), wanted.rgb.size());
        std::size_t different = 0;
        for (std::size_t i = 0; i < wanted.rgb.size(); ++i)
            different += std::abs(got->rgb[i] - wanted.rgb[i]) > 2;
        EXPECT_LT(static_cast<double>(different), 1e-4 * static_cast<double>(wanted.rgb.size()))
            << samples << " samples";
    }
}

TEST(Strips, FailureEndsDrawing)
{
    const render::Offscreen context;
    app::Strips strips;
    strips.begin({8, 8}, 1,
                 {.drawings = {[](const PixelRect&) { throw std::runtime_error("no"); }}});
    EXPECT_THROW(strips.advance(0ms), std::runtime_error);
    EXPECT_FALSE(strips.in_progress());
}

} // namespace
} // namespace lanescope::test
